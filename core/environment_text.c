/* SPDX-License-Identifier: MIT */
/* Facts in lines that a person reads at a glance. */
#include "core/environment_text.h"
#include "core/reporter.h"
#include "lib/numfmt.h"

#include <stdlib.h>
#include <string.h>

#define STACK_MAX	8	/* devices one below the other that a line names */

/* The fact PREFIX.NAME, "" if there is none. */
static const char *get(const struct facts *f, const char *prefix, const char *name)
{
	struct strbuf whole = STRBUF_INIT;
	const char *text;

	strbuf_printf(&whole, "%s%s%s", prefix, *prefix ? "." : "", name);
	text = facts_get(f, strbuf_str(&whole));
	strbuf_free(&whole);
	return text ? text : "";
}

static struct num_text bytes(const char *text)
{
	const struct num_style style = { .figures = NUM_FIGURES_DEFAULT };

	return num_bytes(strtoull(text, NULL, 10), style);
}

/* Adds ", TEXT BEHIND" unless there is no text. */
static void add(struct strbuf *sb, const char *front, const char *text, const char *behind)
{
	if (*text)
		strbuf_printf(sb, "%s%s%s%s", sb->len ? ", " : "", front, text, behind);
}

static void put_machine(const struct facts *f, FILE *out)
{
	const char *governor = get(f, "", "cpu.governor"), *hv, *limit, *cpus;
	struct strbuf sb = STRBUF_INIT;

	strbuf_printf(&sb, "%s %s", get(f, "", "kernel.name"), get(f, "", "kernel.release"));
	add(&sb, "", get(f, "", "cpu.count"), " CPUs");
	if (*get(f, "", "cpu.model"))
		strbuf_printf(&sb, "%s%s%s%s)", *get(f, "", "cpu.count") ? " (" : ", CPUs (",
			      get(f, "", "cpu.model"), *governor ? ", " : "", governor);
	hv = get(f, "", "virtualization.hypervisor");
	add(&sb, "hypervisor ", strcmp(hv, "none") ? hv : "", "");
	if (*get(f, "", "memory.total_bytes"))
		add(&sb, "", bytes(get(f, "", "memory.total_bytes")).s, " of memory");
	limit = get(f, "", "limits.cgroup.memory_bytes");
	add(&sb, "limited to ", *limit ? bytes(limit).s : "", "");
	cpus = get(f, "", "limits.cgroup.cpus");
	add(&sb, "limited to ", cpus, " CPUs");
	fputs("Environment: ", out);
	reporter_text(strbuf_str(&sb), out);
	fputc('\n', out);
	strbuf_free(&sb);
}

/* The names of a device and of what it is built of: "dm-0 on md0 on nvme0n1". First ones only. */
static void add_stack(struct strbuf *sb, const struct facts *f, const char *prefix)
{
	struct strbuf at = STRBUF_INIT;

	strbuf_printf(&at, "%s.device", prefix);
	for (int i = 0; i < STACK_MAX && *get(f, strbuf_str(&at), "name"); i++) {
		const char *part = get(f, strbuf_str(&at), "partition");

		strbuf_printf(sb, "%s%s", i ? " on " : "",
			      *part ? part : get(f, strbuf_str(&at), "name"));
		strbuf_puts(&at, ".below.0.device");
	}
	strbuf_free(&at);
}

static void put_target(const struct facts *f, const char *prefix, FILE *out)
{
	struct strbuf sb = STRBUF_INIT, at = STRBUF_INIT;
	const char *dev, *files = get(f, prefix, "files");

	strbuf_printf(&at, "%s.device", prefix);
	dev = strbuf_str(&at);
	add(&sb, "", get(f, prefix, "filesystem.type"), "");
	if (*get(f, dev, "name")) {
		if (sb.len)
			strbuf_puts(&sb, ", ");
		add_stack(&sb, f, prefix);
		add(&sb, "", get(f, dev, "model"), "");
		add(&sb, "", *get(f, dev, "size_bytes") ? bytes(get(f, dev, "size_bytes")).s : "",
		    "");
		add(&sb, "blocks ", get(f, dev, "logical_block_bytes"), "");
		if (*get(f, dev, "physical_block_bytes"))
			strbuf_printf(&sb, "/%s", get(f, dev, "physical_block_bytes"));
		add(&sb, "scheduler ", get(f, dev, "scheduler"), "");
		add(&sb, "", get(f, dev, "write_cache"), "");
	}
	fputs("  ", out);
	reporter_text(get(f, prefix, "path"), out);
	if (strcmp(files, "1"))
		fprintf(out, " and %llu more", strtoull(files, NULL, 10) - 1);
	fputs(sb.len ? ": " : "", out);
	reporter_text(strbuf_str(&sb), out);
	fputc('\n', out);
	strbuf_free(&sb);
	strbuf_free(&at);
}

static void put_change(const struct facts *f, const char *prefix, FILE *out)
{
	fputs("  changed: ", out);
	reporter_text(get(f, prefix, "what"), out);
	fputs(" was ", out);
	reporter_text(get(f, prefix, "before"), out);
	fputs(", is ", out);
	reporter_text(get(f, prefix, "after"), out);
	fputc('\n', out);
}

/* put for every place of a list: "targets.0", "targets.1" ... as long as they have a NAME. */
static void each(const struct facts *f, const char *list, const char *name,
		 void (*put)(const struct facts *f, const char *prefix, FILE *out), FILE *out)
{
	char prefix[64];

	for (size_t i = 0;; i++) {
		snprintf(prefix, sizeof(prefix), "%s.%zu", list, i);
		if (!*get(f, prefix, name))
			return;
		put(f, prefix, out);
	}
}

void environment_text(const struct facts *f, bool all, FILE *out)
{
	put_machine(f, out);
	each(f, "targets", "path", put_target, out);
	each(f, "changed", "what", put_change, out);
	for (size_t i = 0; all && i < f->count; i++) {
		fprintf(out, "    %s: ", f->list[i].name);
		reporter_text(f->list[i].text, out);
		fputc('\n', out);
	}
}
