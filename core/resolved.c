/* SPDX-License-Identifier: MIT */
/* Walking through all rows there are, the engine's too. */
#include "core/resolved.h"

#include <errno.h>
#include <string.h>

#define TEXT_BYTES	4096

/* The words of the user, where a value cannot be shown otherwise. Canonical names. */
static const char *given(const struct settings *s, const char *name)
{
	for (size_t i = s->count; i > 0; i--)
		if (!strcmp(s->list[i - 1].name, name))
			return s->list[i - 1].value;
	return NULL;
}

static const char *written(const struct jobs *jobs, const struct job *job, const struct fl_opt *row)
{
	const char *text = given(&job->echo, row->name);

	if (!text)
		text = given(&jobs->global_echo, row->name);
	return text ? text : row->def;
}

/*
 * Of the runner's own options; those of engines may be anything, so all their texts count. What has
 * a '/' in it is taken for a path, whichever option it is of.
 */
static bool tells_place(const struct fl_opt *row, const char *text, bool engine)
{
	static const char *const names[] = {
		"filename", "directory", "opendir", "filename_format", "allow_destroy",
		"require_mount", "description", "name",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(row->name, names[i]))
			return true;
	return strchr(text, '/') || (engine && row->type == FL_OPT_STR);
}

static void add_table(const struct jobs *jobs, const struct job *job, const struct opt_table *t,
		      const void *conf, unsigned int flags, bool engine, struct facts *f)
{
	char room[TEXT_BYTES];
	struct fl_opt row;

	for (size_t i = 0; i < t->count; i++) {
		const char *text = room;
		int err;

		opt_row(t, i, &row);
		if (row.type == OPT_NO_EFFECT)
			continue;
		err = opt_show(&row, conf, room, sizeof(room));
		if (err == -ENOTSUP)
			text = written(jobs, job, &row);
		else if (err && err != -ENAMETOOLONG)
			continue;
		if (text)
			facts_text(f, row.name, text, flags | (tells_place(&row, text, engine) ?
							       FACT_ID : 0));
	}
}

void resolved_facts(const struct jobs *jobs, const struct job *job, unsigned int flags,
		    struct facts *f)
{
	size_t mark = facts_enter(f, "options"), count;
	const struct opt_table *const *tables = job_tables(&count);

	for (size_t i = 0; i < count; i++)
		add_table(jobs, job, tables[i], job_conf(job, i), flags, false, f);
	if (job->engine_opts)
		add_table(jobs, job, &job->engine->opts, job->engine_opts, flags, true, f);
	facts_leave(f, mark);
}
