/* SPDX-License-Identifier: MIT */
/* The page of --explain for people. */
#include "core/explain.h"
#include "core/sources.h"
#include "lib/numfmt.h"
#include "lib/printable.h"
#include "lib/strbuf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAME_COLUMNS	22
#define VALUE_COLUMNS	26

static const struct num_style style = { .figures = NUM_FIGURES_DEFAULT };

/* ---- Settings -------------------------------------------------------------------------------- */

struct listing {
	const struct preview_job *j;
	bool all;
	FILE *out;
};

static bool is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(name, *list))
			return true;
	return false;
}

/* Defaults that decide what a job measures, of jobs whose kind they matter to. */
static bool matters(const struct preview_job *j, const char *name)
{
	static const char *const always[] = { "rw", "bs", "ioengine", "iodepth", "numjobs", NULL };
	static const char *const of_files[] = { "direct", "invalidate", NULL };
	static const char *const of_writes[] = { "fsync", "end_fsync", "sync", "overwrite", NULL };
	static const char *const of_random[] = { "norandommap", "random_distribution",
						 "randrepeat", NULL };
	uint32_t bits = j->job->workload.rw.bits;
	bool files = !(j->job->engine->ops.caps & FL_CAP_NO_FILES);

	return is_one_of(name, always) || (files && is_one_of(name, of_files)) ||
	       (files && bits & RW_WRITE && is_one_of(name, of_writes)) ||
	       (bits & RW_RANDOM && is_one_of(name, of_random)) ||
	       ((bits & RW_DIRS) == (RW_READ | RW_WRITE) && !strcmp(name, "rwmixread"));
}

static void add_shown(struct strbuf *sb, const char *text)
{
	printable_add(sb, text, strlen(text));
}

static void add_origin(struct strbuf *sb, const struct origin *at)
{
	if (!at->file) {
		strbuf_puts(sb, "command line");
		return;
	}
	add_shown(sb, at->file);
	if (at->line > 0)
		strbuf_printf(sb, ":%d", at->line);
}

/* The user's own words, where they are still what counts; else what has become of them. */
static void add_value(struct strbuf *sb, const struct source_setting *s)
{
	const char *words = s->said ? s->said->value ? s->said->value : "1" : NULL;

	if (s->row->type == OPT_NO_EFFECT)
		strbuf_puts(sb, "no effect");
	else if (words && !s->changed)
		add_shown(sb, words);
	else if (s->from == SOURCE_DEFAULT && s->row->def)
		add_shown(sb, s->row->def);
	else if (s->value)
		add_shown(sb, s->value);
	else if (words || s->row->def)
		add_shown(sb, words ? words : s->row->def);
}

static void add_source(struct strbuf *sb, const struct source_setting *s)
{
	if (s->said) {
		strbuf_puts(sb, s->from == SOURCE_GLOBAL ? "[global]  " : "");
		add_origin(sb, &s->said->at);
		if (s->changed && s->said->value) {
			strbuf_puts(sb, ", which says ");
			add_shown(sb, s->said->value);
		}
	} else {
		strbuf_puts(sb, s->from == SOURCE_DERIVED ? "follows from other settings" :
			    "default");
	}
}

static void put_setting(void *ctx, const struct source_setting *s)
{
	struct strbuf value = STRBUF_INIT, source = STRBUF_INIT;
	struct listing *l = ctx;
	const char *name = s->row->name;

	add_value(&value, s);
	add_source(&source, s);
	if (s->from > SOURCE_DERIVED || (value.len && (l->all || matters(l->j, name))))
		fprintf(l->out, "  %-*s  %-*s  %s\n", NAME_COLUMNS, name, VALUE_COLUMNS,
			strbuf_str(&value), strbuf_str(&source));
	strbuf_free(&value);
	strbuf_free(&source);
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

static void put_start(const struct preview *p, const struct preview_job *j, FILE *out)
{
	const struct range *delay = &j->job->pace.start_delay_ns;

	if (j->clones != p->plan.jobs && j->clones[0].stonewall)
		fprintf(out, "  Starts when all jobs before it have ended.\n");
	if (j->job->proc.wait_for)
		fprintf(out, "  Starts when %s has ended.\n", j->job->proc.wait_for);
	if (delay->lo != delay->hi)
		fprintf(out, "  Waits %s to %s before it starts.\n", num_duration(delay->lo).s,
			num_duration(delay->hi).s);
	else if (delay->hi)
		fprintf(out, "  Waits %s before it starts.\n", num_duration(delay->hi).s);
}

static void put_commands(const struct preview_job *j, FILE *out)
{
	static const char *const when[] = { "Before it", "After it" };

	for (int i = EXEC_PRERUN; i <= EXEC_POSTRUN; i++) {
		const char *command = exec_command(&j->job->exec, (enum exec_when)i);
		struct strbuf sb = STRBUF_INIT;

		if (command) {
			add_shown(&sb, command);
			fprintf(out, "  %s, this command is run: %s\n", when[i], strbuf_str(&sb));
		}
		strbuf_free(&sb);
	}
}

static void put_needs(const struct preview_job *j, FILE *out)
{
	const struct outlook *o = &j->outlook;

	if (o->layout_files)
		fprintf(out, "  Before the clock starts, %" PRIu32 " file%s made: %s to be written "
			"or reserved.\n", o->layout_files, o->layout_files == 1 ? " is" : "s are",
			num_bytes(o->layout_bytes, style).s);
	fprintf(out, "  Needs %s of memory, of that %s for I/O buffers", num_bytes(o->memory_bytes,
		style).s, num_bytes(o->buffer_bytes, style).s);
	if (o->map_bytes)
		fprintf(out, " and %s to remember blocks", num_bytes(o->map_bytes, style).s);
	if (j->job->proc.lockmem)
		fprintf(out, "; %s more are taken away from everybody (lockmem)",
			num_bytes(j->job->proc.lockmem, style).s);
	fputs(".\n", out);
}

static void put_doubt(const struct preview_job *j, const struct doubt *d, FILE *out)
{
	struct strbuf sb = STRBUF_INIT;
	struct origin at = preview_origin(j, d);

	add_shown(&sb, d->text);
	fprintf(out, "  %c %s\n", d->grade == DOUBT_DOUBTFUL ? '!' : '-', strbuf_str(&sb));
	strbuf_clear(&sb);
	add_origin(&sb, &at);
	fprintf(out, "    %s (%s)%s%s\n", strbuf_str(&sb), d->id, d->fix[0] ? "; better: " : "",
		d->fix);
	strbuf_free(&sb);
}

static void put_job(const struct preview *p, const struct preview_job *j, bool all, FILE *out)
{
	struct strbuf sb = STRBUF_INIT;
	struct listing l = { j, all, out };
	char *does;

	strbuf_putc(&sb, '[');
	add_shown(&sb, j->job->name);
	strbuf_puts(&sb, "]  ");
	add_origin(&sb, &j->job->at);
	fprintf(out, "\n%s\n", strbuf_str(&sb));
	strbuf_free(&sb);
	if (j->planned) {
		does = explain_does(p, j);
		add_shown(&sb, does);
		fprintf(out, "  %s.\n", strbuf_str(&sb));
		free(does);
		strbuf_free(&sb);
		put_start(p, j, out);
		put_commands(j, out);
		put_needs(j, out);
	}
	fputc('\n', out);
	sources_each(j->job, j->section, put_setting, &l);
	if (j->nr_doubts)
		fputc('\n', out);
	for (size_t i = 0; i < j->nr_doubts; i++)
		put_doubt(j, &j->doubts[i], out);
}

static void put_refusals(const struct preview *p, FILE *out)
{
	size_t n = diag_complaints(p->refusals);

	if (n)
		fputs("\nThis run would be refused here:\n", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "  ! %s\n", diag_complaint(p->refusals, i));
}

static unsigned int put_notes(const struct diag *d, FILE *out)
{
	size_t n = d ? diag_notes(d) : 0;

	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s  - %s\n", i ? "" : "\n", diag_note_text(d, i));
	return (unsigned int)n;
}

void explain_text(const struct preview *p, bool all, FILE *out)
{
	unsigned int doubtful = 0, notes = 0;

	fprintf(out, "%zu job%s in %zu process%s or thread%s, on %" PRIu32 " CPU%s and %s of "
		"memory. Nothing is run.\n", p->count, p->count == 1 ? "" : "s", p->plan.count,
		p->plan.count == 1 ? "" : "es", p->plan.count == 1 ? "" : "s", p->machine.cpus,
		p->machine.cpus == 1 ? "" : "s", num_bytes(p->machine.memory_bytes, style).s);
	for (size_t i = 0; i < p->count; i++) {
		put_job(p, &p->jobs[i], all, out);
		for (size_t k = 0; k < p->jobs[i].nr_doubts; k++)
			if (p->jobs[i].doubts[k].grade == DOUBT_DOUBTFUL)
				doubtful++;
			else
				notes++;
	}
	put_refusals(p, out);
	notes += put_notes(p->parsed, out) + put_notes(p->refusals, out);
	if (doubtful || notes)
		fprintf(out, "\n%u doubtful setting%s (!), %u note%s (-)\n", doubtful,
			doubtful == 1 ? "" : "s", notes, notes == 1 ? "" : "s");
}
