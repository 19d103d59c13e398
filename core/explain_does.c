/* SPDX-License-Identifier: MIT */
/* A job as a sentence: verb, amount, order, size, place, engine, time. */
#include "core/explain.h"
#include "lib/numfmt.h"
#include "lib/strbuf.h"

#include <inttypes.h>
#include <string.h>

static const struct num_style style = { .figures = NUM_FIGURES_DEFAULT };

static const char *verb(const struct workload_conf *w)
{
	switch (w->rw.bits & RW_DIRS) {
	case RW_READ:
		return "Reads";
	case RW_WRITE:
		return "Writes";
	case RW_TRIM:
		return "Trims";
	case RW_READ | RW_WRITE:
		return "Reads and writes";
	default:
		return "Trims, then writes,";
	}
}

static void add_size(struct strbuf *sb, const struct outlook *o)
{
	if (o->block_min == o->block_max)
		strbuf_puts(sb, num_bytes(o->block_min, style).s);
	else
		strbuf_printf(sb, "%s to %s", num_bytes(o->block_min, style).s,
			      num_bytes(o->block_max, style).s);
}

/* "1024 I/Os of 4096B", of a mix "717 reads and 307 writes of 4096B". */
static void add_ios(struct strbuf *sb, const struct outlook *o)
{
	static const char *const names[DIRS] = { "reads", "writes", "trims" };
	bool mixed = false, first = true;

	for (int d = 0; d < DIRS; d++)
		mixed |= o->ios[d] && o->ios[d] != outlook_ios(o);
	strbuf_puts(sb, o->about ? "about " : "");
	if (!mixed)
		strbuf_printf(sb, "%" PRIu64 " I/O%s", outlook_ios(o), outlook_ios(o) == 1 ? "" :
			      "s");
	for (int d = 0; mixed && d < DIRS; d++) {
		if (!o->ios[d])
			continue;
		strbuf_printf(sb, "%s%" PRIu64 " %s", first ? "" : " and ", o->ios[d], names[d]);
		first = false;
	}
	strbuf_puts(sb, " of ");
	add_size(sb, o);
}

static void add_order(struct strbuf *sb, const struct preview_job *j)
{
	const struct workload_conf *w = &j->job->workload;
	const struct setting *dist = section_last(j->section, "random_distribution");

	if (w->rw.bits & RW_RANDOM && dist && dist->value && strcmp(dist->value, "random"))
		strbuf_printf(sb, " at random (%s)", dist->value);
	else if (w->rw.bits & RW_RANDOM)
		strbuf_printf(sb, " at random%s", w->order.norandommap ? ", some blocks more than "
			      "once" : "");
	else
		strbuf_puts(sb, w->rw.step < 0 ? " backwards" : w->rw.step ? " with gaps" :
			    " in order");
}

/* "Replays FILE, at its times (12.3s): reads and writes 32KiB" */
static void add_log(struct strbuf *sb, const struct preview_job *j)
{
	const struct replay_logs *logs = j->job->logs;

	strbuf_printf(sb, "Replays %s", logs->list[0].path);
	if (logs->nr > 1)
		strbuf_printf(sb, " and %" PRIu32 " more", logs->nr - 1);
	if (logs->conf->no_stall)
		strbuf_puts(sb, " at full speed: ");
	else
		strbuf_printf(sb, " at its times (%s): ",
			      num_duration(logs->list[0].facts.end_ns).s);
}

static void add_place(struct strbuf *sb, const struct preview_job *j)
{
	const struct outlook *o = &j->outlook;
	uint32_t nr = j->clones[0].files.nr;
	char name[FILES_NAME_BYTES];

	if (j->job->engine->ops.caps & FL_CAP_NO_FILES) {
		strbuf_printf(sb, " of nothing (engine %s moves no data)",
			      j->job->engine->ops.name);
		return;
	}
	files_name(&j->clones[0].files, 0, name);
	if (nr > 1)
		strbuf_printf(sb, ", %s in all, in %" PRIu32 " files from %s on",
			      num_bytes(j->clones[0].files.bytes, style).s, nr, name);
	else
		strbuf_printf(sb, "%s %s", o->endless ? " of" : ", on", name);
}

static void add_how(struct strbuf *sb, const struct preview_job *j)
{
	const struct job *job = j->job;
	uint32_t depth = j->facts.sync ? 1 : job->depth.depth;

	if (depth == 1)
		strbuf_printf(sb, ", one at a time by %s", job->engine->ops.name);
	else
		strbuf_printf(sb, ", up to %" PRIu32 " at once by %s", depth,
			      job->engine->ops.name);
	if (j->facts.target == DOUBT_TARGET_NONE)
		return;
	if (job->engine->ops.caps & FL_CAP_UNALIGNED)
		strbuf_puts(sb, ", through a mapping");
	else
		strbuf_puts(sb, job->files.direct ? ", past the page cache" :
			    ", through the page cache");
}

static void add_time(struct strbuf *sb, const struct preview_job *j)
{
	const struct pace_conf *p = &j->job->pace;

	if (p->time_based)
		strbuf_printf(sb, ", for %s, over and over", num_duration(p->runtime_ns).s);
	else if (j->job->files.fill)
		strbuf_puts(sb, ", until the device is full");
	else if (p->runtime_ns)
		strbuf_printf(sb, ", for %s at most", num_duration(p->runtime_ns).s);
	if (p->ramp_ns)
		strbuf_printf(sb, " after %s that do not count", num_duration(p->ramp_ns).s);
	if (p->ramp_bytes)
		strbuf_printf(sb, "%s the first %s that do not count", p->ramp_ns ? " and" :
			      " after", num_bytes(p->ramp_bytes, style).s);
	if (p->think_ns)
		strbuf_printf(sb, ", with pauses of %s", num_duration(p->think_ns).s);
	if (j->outlook.pace_ns)
		strbuf_printf(sb, ", which takes %s at least", num_duration(j->outlook.pace_ns).s);
	if (j->job->steady.text)
		strbuf_puts(sb, ", until its rate is steady");
}

/* "at 3072KiB/s of reads", "at 500 reads a second" */
static void add_rate(struct strbuf *sb, const struct rate_conf *r, uint32_t dirs)
{
	static const char *const names[DIRS] = { "reads", "writes", "trims" };
	bool first = true;

	for (int d = 0; d < DIRS; d++) {
		if (!(dirs & 1u << d) || !(r->bytes.v[d] || r->ios.v[d]))
			continue;
		strbuf_puts(sb, first ? ", at " : " and ");
		first = false;
		if (r->ios.v[d])
			strbuf_printf(sb, "%" PRIu64 " %s a second", r->ios.v[d], names[d]);
		else
			strbuf_printf(sb, "%s of %s", num_rate(r->bytes.v[d], style).s, names[d]);
	}
	if (!first && r->poisson)
		strbuf_puts(sb, " that arrive by chance");
}

static void add_verify(struct strbuf *sb, const struct verify_conf *v)
{
	if (!verify_on(v) || v->kind.mode == VERIFY_NULL)
		return;
	if (!v->writes || v->only)
		strbuf_puts(sb, ", and checks what is there");
	else if (v->do_verify)
		strbuf_puts(sb, ", then reads it back and checks it");
	else
		strbuf_puts(sb, ", so that it can be checked later");
}

char *explain_does(const struct preview *p, const struct preview_job *j)
{
	const struct workload_conf *w = &j->job->workload;
	const struct outlook *o = &j->outlook;
	struct strbuf sb = STRBUF_INIT;

	(void)p;
	if (j->job->files.create_only) {
		strbuf_puts(&sb, "Makes its files and does no I/O");
		return strbuf_steal(&sb);
	}
	if (j->n > 1)
		strbuf_printf(&sb, "%" PRIu32 " %s%s, all together: ", j->n, j->job->proc.thread ?
			      "threads" : "processes", o->shared ? " on the same files" : "");
	if (j->job->logs)
		add_log(&sb, j);
	else
		strbuf_printf(&sb, "%s ", verb(w));
	strbuf_printf(&sb, "%s", num_bytes(o->endless ? o->file_bytes : outlook_bytes(o),
					    style).s);
	if (!j->job->logs)
		add_order(&sb, j);
	if (o->endless) {
		strbuf_puts(&sb, " in I/Os of ");
		add_size(&sb, o);
	} else {
		strbuf_puts(&sb, " in ");
		add_ios(&sb, o);
	}
	add_place(&sb, j);
	add_how(&sb, j);
	add_rate(&sb, &j->job->rate, w->rw.bits & RW_DIRS);
	add_time(&sb, j);
	if (o->syncs)
		strbuf_printf(&sb, ", with %" PRIu64 " syncs%s in between", o->syncs,
			      o->endless ? " a pass" : "");
	add_verify(&sb, &j->job->verify);
	return strbuf_steal(&sb);
}
