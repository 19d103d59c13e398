/* SPDX-License-Identifier: MIT */
/* Judging a result, and telling what came out. */
#include "core/judge.h"

#include "core/expect_measure.h"
#include "core/junit.h"
#include "os/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_BYTES	160

struct judge {
	struct expect_outcome *list;
	size_t count, missed;
	FILE *junit;			/* NULL: not asked for */
	const char *junit_name;
	int junit_err;			/* -errno: it could not be written */
};

/* What was left there by an earlier run must not pass for the outcome of this one. */
static int on_begin(void *self, const struct observed *run, struct diag *diag)
{
	struct judge *g = self;
	int err;

	g->junit_name = run->flags->junit;
	if (!g->junit_name)
		return 0;
	g->junit = output_stream(g->junit_name, &err);
	if (g->junit)
		return 0;
	diag_error(diag, NULL, "--junit=%s: the file can't be written: %s", g->junit_name,
		   output_error(err));
	return -EINVAL;
}

/* ---- Judging --------------------------------------------------------------------------------- */

static void add(struct judge *g, const struct expectation *e, const struct expect_scope *s,
		size_t job, size_t group)
{
	struct expect_outcome *list = realloc(g->list, (g->count + 1) * sizeof(*list));
	struct expect_outcome *o;

	fl_assert(list);
	g->list = list;
	o = &list[g->count++];
	*o = (struct expect_outcome){ .e = e, .job = job, .group = group };
	o->measured = expect_measure(e, s);
	o->holds = o->measured.known && expect_holds(e, o->measured.value);
	g->missed += !o->holds;
}

/* Several jobs of a group, or clones of a section, say the same: that is one expectation. */
static bool said_before(const struct judge *g, const struct expectation *e, size_t job,
			size_t group)
{
	for (size_t i = 0; i < g->count; i++) {
		const struct expect_outcome *o = &g->list[i];

		if (o->e->group == e->group && o->e->text.len == e->text.len &&
		    (e->group ? o->group == group : o->job == job) &&
		    !memcmp(o->e->text.at, e->text.at, e->text.len))
			return true;
	}
	return false;
}

static size_t group_of(const struct result *r, const struct result_job *j)
{
	size_t i = 0;

	while (i + 1 < r->nr_groups && r->groups[i].id != j->group)
		i++;
	return i;
}

static void judge_group(struct judge *g, const struct result *r, const struct trust *trust,
			const struct expectation *e, size_t group)
{
	const struct result_job **jobs = calloc(r->nr_jobs, sizeof(*jobs));
	struct expect_scope s = { .jobs = jobs, .group = &r->groups[group], .trust = trust };

	fl_assert(jobs);
	for (size_t i = 0; i < r->nr_jobs; i++)
		if (r->jobs[i].group == r->groups[group].id)
			jobs[s.nr_jobs++] = &r->jobs[i];
	add(g, e, &s, 0, group);
	free(jobs);
}

static void judge_conf(struct judge *g, const struct result *r, const struct trust *trust,
		       const struct expect_conf *c, size_t job)
{
	const struct result_job *j = &r->jobs[job];
	const struct expect_scope alone = { .jobs = &j, .nr_jobs = 1, .trust = trust };
	size_t group = group_of(r, j);

	for (size_t i = 0; i < c->count; i++) {
		const struct expectation *e = &c->list[i];

		if (said_before(g, e, job, group))
			continue;
		if (e->group)
			judge_group(g, r, trust, e, group);
		else
			add(g, e, &alone, job, group);
	}
}

static void on_fill(void *self, const struct observed *run, struct result *r)
{
	struct judge *g = self;

	if (!r->final)
		return;
	for (size_t i = 0; i < r->nr_jobs; i++)
		for (int k = 0; k < r->jobs[i].jobs; k++) {
			const struct plan_job *p = &run->plan->jobs[r->jobs[i].members[k]];

			judge_conf(g, r, run->trust, &p->job->expect, i);
		}
	if (!g->junit)
		return;
	g->junit_err = junit_write(r, g->list, g->count, g->junit);
	if (fclose(g->junit) && !g->junit_err)
		g->junit_err = -errno;
	g->junit = NULL;
}

/* ---- Telling --------------------------------------------------------------------------------- */

static void text_outcome(const struct expect_outcome *o, struct num_style style, FILE *out)
{
	char words[WORDS_BYTES];

	fprintf(out, "%s %.*s: %s\n", o->holds ? "PASS" : "FAIL", (int)o->e->text.len,
		o->e->text.at, expect_words(o, style, words, sizeof(words)));
}

static bool is_of_job(const struct expect_outcome *o, const struct result *r,
		      const struct result_job *j)
{
	return !o->e->group && &r->jobs[o->job] == j;
}

static void job_text(const void *self, const struct result *r, const struct result_job *j,
		     FILE *out)
{
	const struct judge *g = self;

	for (size_t i = 0; r->final && i < g->count; i++) {
		if (!is_of_job(&g->list[i], r, j))
			continue;
		fputs("  expect       : ", out);
		text_outcome(&g->list[i], j->style, out);
	}
}

static void run_text(const void *self, const struct result *r, FILE *out)
{
	const struct judge *g = self;

	for (size_t i = 0; r->final && i < g->count; i++) {
		const struct result_group *group = &r->groups[g->list[i].group];

		if (!g->list[i].e->group)
			continue;
		fprintf(out, "expect, group %d: ", group->id);
		text_outcome(&g->list[i], group->style, out);
	}
}

static void json_outcome(const struct expect_outcome *o, struct json *doc)
{
	char *text = strndup(o->e->text.at, o->e->text.len);

	json_object(doc, NULL);
	json_str(doc, "text", text);
	json_bool(doc, "holds", o->holds);
	json_str(doc, "unit", expect_unit_name(o->e->unit));
	if (o->e->unit == EXPECT_GRADE) {
		char words[WORDS_BYTES];

		json_str(doc, "measured", expect_words(o, (struct num_style){ 0 }, words,
						      sizeof(words)));
	} else {
		json_f64(doc, "limit", o->e->limit);
		if (o->measured.known)
			json_f64(doc, "measured", o->measured.value);
	}
	if (o->e->what == EXPECT_PERCENTILE) {
		json_u64(doc, "samples", o->measured.samples);
		json_bool(doc, "carried", o->measured.known && !o->measured.weak);
	}
	json_end(doc);
	free(text);
}

static void job_json(const void *self, const struct result *r, const struct result_job *j,
		     struct json *doc)
{
	const struct judge *g = self;
	bool any = false;

	for (size_t i = 0; r->final && i < g->count; i++) {
		if (!is_of_job(&g->list[i], r, j))
			continue;
		if (!any)
			json_array(doc, "expect");
		any = true;
		json_outcome(&g->list[i], doc);
	}
	if (any)
		json_end(doc);
}

static void run_json(const void *self, const struct result *r, struct json *doc)
{
	const struct judge *g = self;

	if (!r->final || !g->count)
		return;
	json_object(doc, "expect");
	json_u64(doc, "passed", g->count - g->missed);
	json_u64(doc, "missed", g->missed);
	json_array(doc, "groups");
	for (size_t i = 0; i < r->nr_groups; i++) {
		json_object(doc, NULL);
		json_i64(doc, "groupid", r->groups[i].id);
		json_array(doc, "expect");
		for (size_t k = 0; k < g->count; k++)
			if (g->list[k].e->group && g->list[k].group == i)
				json_outcome(&g->list[k], doc);
		json_end(doc);
		json_end(doc);
	}
	json_end(doc);
	json_end(doc);
}

/* The result may have gone to a file: what the status is about is said here, too. */
static int on_status(const void *self)
{
	const struct judge *g = self;

	if (g->junit_err) {
		diag_say(stderr, "fio-like: --junit=%s could not be written: %s", g->junit_name,
			 strerror(-g->junit_err));
		return 1;
	}
	if (!g->missed)
		return 0;
	diag_say(stderr, "fio-like: %zu of %zu expectations missed", g->missed, g->count);
	return JUDGE_STATUS;
}

static void on_done(void *self)
{
	struct judge *g = self;

	if (g->junit)
		fclose(g->junit);
	free(g->list);
}

const struct observer judge_observer = {
	.name = "judge",
	.state_bytes = sizeof(struct judge),
	.begin = on_begin,
	.fill = on_fill,
	.job_text = job_text,
	.job_json = job_json,
	.run_text = run_text,
	.run_json = run_json,
	.status = on_status,
	.done = on_done,
};
