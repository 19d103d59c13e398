/* SPDX-License-Identifier: MIT */
/*
 * Help is printed from rows. The only prose kept here is the way of calling the program; whatever
 * has a table (flags, formats, options, engines) speaks for itself.
 */
#include "core/help.h"

#include "core/cli_flags_help.h"
#include "core/engines.h"
#include "core/fionames.h"
#include "core/host.h"
#include "core/owners.h"
#include "gen/config.h"
#include "lib/strbuf.h"

#include <errno.h>
#include <string.h>

#define FLAG_COLUMNS	28
#define PAGE_COLUMNS	80

/* ---- --help ---- */

/* A name and what it is, in two columns; the second has as many lines as it takes. */
static void put_entry(const char *name, const char *text, FILE *out)
{
	size_t room = PAGE_COLUMNS - FLAG_COLUMNS - 4, left = 0;

	fprintf(out, "  %-*s", FLAG_COLUMNS, name);
	if (strlen(name) <= FLAG_COLUMNS) {
		fputs("  ", out);
		left = room;
	}
	for (size_t len; *text; text += len, text += strspn(text, " ")) {
		len = strcspn(text, " ");
		if (left < len + (left < room)) {
			fprintf(out, "\n  %-*s  ", FLAG_COLUMNS, "");
			left = room;
		} else if (left < room) {
			fputc(' ', out);
			left--;
		}
		fprintf(out, "%.*s", (int)len, text);
		left -= fl_min(left, len);
	}
	fputc('\n', out);
}

static void put_flag(const struct cli_flag *flag, FILE *out)
{
	struct strbuf sb = STRBUF_INIT;

	if (flag->letter)
		strbuf_printf(&sb, "-%c, ", flag->letter);
	else
		strbuf_puts(&sb, "    ");
	strbuf_printf(&sb, "--%s", flag->name);
	if (flag->value == FIONAME_MAYBE || flag->value == FIONAME_WORD)
		strbuf_printf(&sb, "[=%s]", flag->value_name);
	else if (flag->value == FIONAME_VALUE)
		strbuf_printf(&sb, "=%s", flag->value_name);
	put_entry(strbuf_str(&sb), flag->help, out);
	strbuf_free(&sb);
}

void help_usage(const char *program, FILE *out)
{
	const struct cli_flag *flag;
	const struct reporter *format;

	fprintf(out, "Drives storage the way a job file says, and reports what happened.\n\n"
		"  %s [flags] JOBFILE...\n"
		"  %s [flags] [default options] --name=JOB [job options] [--name=JOB ...]\n\n"
		"A job file of '-' is standard input. Options of jobs are written as in a job\n"
		"file, --bs=4k or --bs 4k. Those in front of the first --name hold for all jobs,\n"
		"and for the job files wherever these do not say otherwise.\n",
		program, program);
	for (size_t i = 0; cli_flag_group(i); i++) {
		fprintf(out, "\n%s\n", cli_flag_group(i));
		for (size_t k = 0; (flag = cli_flag_in_group(i, k)); k++)
			put_flag(flag, out);
	}
	fputs("\nOutput formats\n", out);
	for (size_t i = 0; (format = report_at(i)); i++)
		put_entry(format->name, format->help, out);
	fprintf(out, "\nExit status: 0 all went well, 1 something failed or was refused, 3 an\n"
		"expectation was missed, 4 and 5 see --strict, 128 + N stopped by signal N.\n\n"
		"To begin with\n"
		"  %s --name=first --rw=randread --size=1g --runtime=10 --time_based\n"
		"  %s --example=first >first.ini\n"
		"  %s --explain first.ini\n"
		"  man %s\n", program, program, program, program);
}

/* ---- --cmdhelp ---- */

static int explain_missing(const struct opt_table *const *tables, size_t n, const char *name,
			   char *why, size_t why_bytes)
{
	char engines[256];

	if (owners_list(name, engines, sizeof(engines)))
		snprintf(why, why_bytes, "'%s' is an option of these engines: %s "
			 "(--enghelp=ENGINE,%s)", name, engines, name);
	else
		fionames_explain(name, opt_nearest(tables, n, name), why, why_bytes);
	return -ENOENT;
}

static void put_table(const struct opt_table *t, FILE *out)
{
	struct fl_opt row;

	for (size_t i = 0; i < t->count; i++) {
		opt_row(t, i, &row);
		opt_help_line(&row, out);
	}
}

int help_options(const struct opt_table *const *tables, size_t n, const char *name, FILE *out,
		 char *why, size_t why_bytes)
{
	struct fl_opt row;

	if (!name || !*name || !strcmp(name, "all")) {
		for (size_t k = 0; k < n; k++) {
			fprintf(out, "%s%s\n", k ? "\n" : "", tables[k]->title);
			put_table(tables[k], out);
		}
		return 0;
	}
	for (size_t k = 0; k < n; k++) {
		int i = opt_find(tables[k], name);

		if (i < 0)
			continue;
		opt_row(tables[k], (size_t)i, &row);
		opt_help_full(&row, out);
		return 0;
	}
	return explain_missing(tables, n, name, why, why_bytes);
}

/* ---- --enghelp ---- */

struct listing {
	FILE *out, *err;
};

/* The engine's own; what is built in goes by the program's; "": none is known. */
static const char *version_of(const struct engine *e)
{
	if (e->ops.version)
		return e->ops.version;
	return strcmp(e->origin, "built in") ? "" : FL_VERSION;
}

static void put_engine_line(void *ctx, const char *name, const struct engine *e, const char *why)
{
	struct listing *l = ctx;

	char reason[256];

	if (!e) {
		fprintf(l->err, "engine %s cannot be used: %s\n", name, why);
		return;
	}
	fprintf(l->out, "  %-14s  %s\n  %-14s  %s%s%s; ", name, e->ops.help ? e->ops.help : "", "",
		e->origin, version_of(e)[0] ? ", version " : ", without a version",
		version_of(e));
	/* The probe is a process of its own, which is not to have our lines in its buffer. */
	fflush(l->out);
	if (host_probe(e, reason, sizeof(reason)))
		fprintf(l->out, "cannot work here: %s\n", reason);
	else
		fputs("works here\n", l->out);
}

static const char *const op_names[] = {
	[FL_OP_READ] = "read", [FL_OP_WRITE] = "write", [FL_OP_TRIM] = "trim",
	[FL_OP_SYNC] = "sync",
	[FL_OP_DATASYNC] = "datasync", [FL_OP_SYNC_RANGE] = "sync_range", [FL_OP_APPEND] = "append",
	[FL_OP_WRITE_ZEROES] = "write_zeroes", [FL_OP_COPY] = "copy", [FL_OP_VERIFY] = "verify",
	[FL_OP_STAT] = "stat", [FL_OP_CREATE] = "create", [FL_OP_UNLINK] = "unlink",
	[FL_OP_LIST] = "list",
};

static void put_engine(const struct engine *e, FILE *out)
{
	char why[256];

	fprintf(out, "%s\n  %s\n\n  %-12s%s\n", e->ops.name, e->ops.help ? e->ops.help : "", "from",
		e->origin);
	if (version_of(e)[0])
		fprintf(out, "  %-12s%s\n", "version", version_of(e));
	fprintf(out, "  %-12s", "operations");
	for (uint32_t op = 0; op < ARRAY_SIZE(op_names); op++)
		if (engine_can(e, op))
			fprintf(out, "%s ", op_names[op]);
	fputc('\n', out);
	if (host_probe(e, why, sizeof(why)))
		fprintf(out, "  %-12snot on this machine: %s\n", "works", why);
	else
		fprintf(out, "  %-12syes\n", "works");
	fprintf(out, "\n%s\n", e->opts.count ? "Options" : "It has no options.");
	put_table(&e->opts, out);
	for (uint32_t i = 0; i < e->ops.nr_counters; i++) {
		struct fl_counter row;

		engine_counter(e, i, &row);
		fprintf(out, "%s  %-28s  %s\n", i ? "" : "\nCounters in the report\n", row.name,
			row.help ? row.help : "");
	}
}

int help_engines(const char *arg, FILE *out, FILE *err, char *why, size_t why_bytes)
{
	struct listing l = { out, err };
	const struct opt_table *table;
	const struct engine *e;
	struct fl_opt row;
	const char *comma;
	char name[256];
	int i, rc;

	if (!arg || !*arg) {
		fputs("Engines\n", out);
		fflush(out);
		engines_each(put_engine_line, &l);
		return 0;
	}
	comma = strchr(arg, ',');
	snprintf(name, sizeof(name), "%.*s", (int)(comma ? comma - arg : (long)strlen(arg)), arg);
	rc = engines_find(name, &e, why, why_bytes);
	if (rc)
		return rc;
	if (!comma) {
		fflush(out);
		put_engine(e, out);
		return 0;
	}
	i = opt_find(&e->opts, comma + 1);
	if (i >= 0) {
		opt_row(&e->opts, (size_t)i, &row);
		opt_help_full(&row, out);
		return 0;
	}
	table = &e->opts;
	snprintf(why, why_bytes, "the engine '%s' has no option '%s'", name, comma + 1);
	if (opt_nearest(&table, 1, comma + 1))
		snprintf(why + strlen(why), why_bytes - strlen(why), "; did you mean '%s'?",
			 opt_nearest(&table, 1, comma + 1));
	return -ENOENT;
}
