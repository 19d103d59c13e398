/* SPDX-License-Identifier: MIT */
/*
 * Three versions of a job side by side: as the defaults are, as the words alone have it, and as it
 * is after all checks. What the second and the third differ in is what options made of each other.
 */
#include "core/sources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES	4096

struct versions {
	struct job plain, said;
	const struct job *now;
	const struct section *section;
	void (*fn)(void *ctx, const struct source_setting *s);
	void *ctx;
};

static void *conf_in(struct job *job, size_t table)
{
	return (void *)job_conf(job, table);	/* the job is ours */
}

static void *engine_defaults(const struct engine *e)
{
	void *conf = e->ops.conf_size ? calloc(1, e->ops.conf_size) : NULL;

	if (conf)
		opt_defaults(&e->opts, conf, e->ops.conf_size);
	return conf;
}

/* All words in their order; they have been accepted before. */
static void say_one(struct job *job, const struct setting *s)
{
	struct opt_units units = { .kb_base = job->select.kb_base };
	const struct opt_table *const *tables;
	char why[512];
	struct fl_opt row;
	size_t count;
	int i = -1;

	tables = job_tables(&count);
	for (size_t t = 0; t < count && i < 0; t++) {
		i = opt_find(tables[t], s->name);
		if (i < 0)
			continue;
		opt_row(tables[t], (size_t)i, &row);
		opt_set(&row, conf_in(job, t), s->value, &units, why, sizeof(why));
	}
	i = i < 0 && job->engine_opts ? opt_find(&job->engine->opts, s->name) : -1;
	if (i < 0)
		return;
	opt_row(&job->engine->opts, (size_t)i, &row);
	opt_set(&row, job->engine_opts, s->value, &units, why, sizeof(why));
}

static void say_all(struct job *job, const struct settings *list)
{
	for (size_t i = 0; i < list->count; i++)
		say_one(job, &list->list[i]);
}

static enum source source_of(const struct versions *v, const struct setting *said, bool changed)
{
	const struct settings *own = &v->section->own;

	if (!said)
		return changed ? SOURCE_DERIVED : SOURCE_DEFAULT;
	if (!said->at.file)
		return SOURCE_COMMAND_LINE;
	return said >= own->list && said < own->list + own->count ? SOURCE_JOB : SOURCE_GLOBAL;
}

static void tell(const struct versions *v, const struct fl_opt *row, const void *plain,
		 const void *said, const void *now)
{
	const struct setting *words = section_given(v->section, row);
	char text[TEXT_BYTES], before[TEXT_BYTES];
	struct source_setting s = { .row = row, .said = words };
	int err = opt_show(row, now, text, sizeof(text));
	int was = opt_show(row, words ? said : plain, before, sizeof(before));

	s.value = !err || err == -ENAMETOOLONG ? text : NULL;
	s.changed = err != was || (!err && strcmp(text, before));
	s.from = source_of(v, words, s.changed);
	v->fn(v->ctx, &s);
}

static void tell_table(const struct versions *v, const struct opt_table *t, const void *plain,
		       const void *said, const void *now)
{
	struct fl_opt row;

	for (size_t i = 0; i < t->count; i++) {
		opt_row(t, i, &row);
		if (row.type != OPT_NO_EFFECT || section_given(v->section, &row))
			tell(v, &row, plain, said, now);
	}
}

void sources_each(const struct job *job, const struct section *section,
		  void (*fn)(void *ctx, const struct source_setting *s), void *ctx)
{
	struct versions *v = calloc(1, sizeof(*v));
	size_t count;
	const struct opt_table *const *tables = job_tables(&count);

	fl_assert(v);
	*v = (struct versions){ .now = job, .section = section, .fn = fn, .ctx = ctx };
	job_defaults(&v->plain);
	job_defaults(&v->said);
	v->plain.engine = v->said.engine = job->engine;
	v->plain.engine_opts = engine_defaults(job->engine);
	v->said.engine_opts = engine_defaults(job->engine);
	v->said.select.kb_base = job->select.kb_base;
	say_all(&v->said, &section->global);
	say_all(&v->said, &section->own);
	for (size_t t = 0; t < count; t++)
		tell_table(v, tables[t], job_conf(&v->plain, t), job_conf(&v->said, t),
			   job_conf(job, t));
	if (job->engine_opts && v->plain.engine_opts && v->said.engine_opts)
		tell_table(v, &job->engine->opts, v->plain.engine_opts, v->said.engine_opts,
			   job->engine_opts);
	free(v->plain.engine_opts);
	free(v->said.engine_opts);
	free(v);
}

const char *source_name(enum source from)
{
	static const char *const names[] = {
		[SOURCE_DEFAULT] = "default", [SOURCE_DERIVED] = "derived",
		[SOURCE_GLOBAL] = "global", [SOURCE_JOB] = "job",
		[SOURCE_COMMAND_LINE] = "command line",
	};

	return names[from];
}
