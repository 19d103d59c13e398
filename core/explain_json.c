/* SPDX-License-Identifier: MIT */
/* The same as a document, for programs: all settings, numbers without rounding. */
#include "core/explain.h"
#include "core/sources.h"
#include "gen/config.h"
#include "lib/json.h"

#include <stdlib.h>

static void put_origin(struct json *j, const struct origin *at)
{
	if (!at->file)
		return;
	json_str(j, "file", at->file);
	if (at->line > 0)
		json_i64(j, "line", at->line);
}

static void put_setting(void *ctx, const struct source_setting *s)
{
	struct json *j = ctx;
	const char *value = s->value ? s->value : !s->said ? s->row->def : s->said->value;

	if (!value && !s->said)
		return;
	json_object(j, NULL);
	json_str(j, "name", s->row->name);
	json_str(j, "value", value);
	json_str(j, "source", source_name(s->from));
	if (s->said) {
		json_str(j, "said", s->said->value);
		put_origin(j, &s->said->at);
	}
	if (s->row->type == OPT_NO_EFFECT)
		json_bool(j, "no_effect", true);
	json_end(j);
}

static void put_dirs(struct json *j, const char *key, const uint64_t v[DIRS])
{
	json_object(j, key);
	json_u64(j, "read", v[DIR_READ]);
	json_u64(j, "write", v[DIR_WRITE]);
	json_u64(j, "trim", v[DIR_TRIM]);
	json_end(j);
}

static void put_outlook(struct json *j, const struct outlook *o)
{
	json_object(j, "outlook");
	put_dirs(j, "ios", o->ios);
	put_dirs(j, "bytes", o->bytes);
	json_u64(j, "syncs", o->syncs);
	json_bool(j, "exact", !o->about);
	json_bool(j, "endless", o->endless);
	json_u64(j, "files", o->shared ? o->files / o->clones : o->files);
	json_u64(j, "file_bytes", o->shared ? o->file_bytes / o->clones : o->file_bytes);
	json_u64(j, "layout_files", o->layout_files);
	json_u64(j, "layout_bytes", o->layout_bytes);
	json_u64(j, "think_ns", o->think_ns);
	json_u64(j, "least_ns", o->pace_ns);
	json_u64(j, "memory_bytes", o->memory_bytes);
	json_u64(j, "buffer_bytes", o->buffer_bytes);
	json_u64(j, "map_bytes", o->map_bytes);
	json_end(j);
}

static void put_doubts(struct json *j, const struct preview_job *job)
{
	json_array(j, "doubts");
	for (size_t i = 0; i < job->nr_doubts; i++) {
		const struct doubt *d = &job->doubts[i];
		struct origin at = preview_origin(job, d);

		json_object(j, NULL);
		json_str(j, "id", d->id);
		json_str(j, "severity", d->grade == DOUBT_DOUBTFUL ? "doubtful" : "note");
		json_str(j, "option", d->option);
		json_str(j, "text", d->text);
		json_str(j, "fix", d->fix);
		put_origin(j, &at);
		json_end(j);
	}
	json_end(j);
}

static void put_job(struct json *j, const struct preview *p, const struct preview_job *job)
{
	char *does = job->planned ? explain_does(p, job) : NULL;

	json_object(j, NULL);
	json_str(j, "name", job->job->name);
	put_origin(j, &job->job->at);
	json_u64(j, "clones", job->n);
	json_i64(j, "group", job->clones[0].group);
	if (does) {
		json_str(j, "does", does);
		put_outlook(j, &job->outlook);
	}
	free(does);
	json_array(j, "settings");
	sources_each(job->job, job->section, put_setting, j);
	json_end(j);
	put_doubts(j, job);
	json_end(j);
}

static void put_notes(struct json *j, const struct diag *d)
{
	for (size_t i = 0; d && i < diag_notes(d); i++)
		json_str(j, NULL, diag_note_text(d, i));
}

void explain_json(const struct preview *p, FILE *out)
{
	struct json j;

	json_init(&j, out);
	json_object(&j, NULL);
	json_str(&j, "fio-like explain", FL_VERSION);
	json_array(&j, "jobs");
	for (size_t i = 0; i < p->count; i++)
		put_job(&j, p, &p->jobs[i]);
	json_end(&j);
	json_array(&j, "refused");
	for (size_t i = 0; i < diag_complaints(p->refusals); i++)
		json_str(&j, NULL, diag_complaint(p->refusals, i));
	json_end(&j);
	json_array(&j, "notes");
	put_notes(&j, p->parsed);
	put_notes(&j, p->refusals);
	json_end(&j);
	json_end(&j);
}
