/* SPDX-License-Identifier: MIT */
/* The observer that grades a run: gathers the evidence, has it checked, gives the verdict. */
#include "core/trust_watch.h"
#include "core/trust_checks.h"
#include "core/trust_gather.h"
#include "core/trust_verdict.h"

#include <stdlib.h>
#include <string.h>

#define JOBS_MAX	8192u		/* looked at: a kilobyte and some time for each */

struct watch {
	const struct observed *run;
	struct trust_scene scene;
	struct trust_gather gather;
	size_t count;			/* jobs that are looked at; 0: no memory */
	struct trust_facts *facts;
	struct trust_case *cases;
	struct usage usage;
	uint64_t ready_ns;
};

static int on_begin(void *self, const struct observed *run, struct diag *diag)
{
	struct watch *w = self;

	(void)diag;
	w->run = run;
	return 0;
}

/* A run that cannot be graded for want of memory is better than none. */
static void on_ready(void *self, const struct observed *run)
{
	struct watch *w = self;
	const struct plan *plan = run->plan;
	size_t n = fl_min(plan->count, (size_t)JOBS_MAX);

	w->facts = calloc(n ? n : 1, sizeof(*w->facts));
	w->cases = calloc(n ? n : 1, sizeof(*w->cases));
	w->count = w->facts && w->cases ? n : 0;
	trust_gather_init(&w->gather, &w->scene);
	for (size_t i = 0; i < w->count; i++) {
		/* Clones lie where the first one does. */
		if (i && plan->jobs[i].job == plan->jobs[i - 1].job)
			w->facts[i] = w->facts[i - 1];
		else
			trust_gather_target(&w->gather, &plan->jobs[i], &w->facts[i]);
		w->facts[i].file_id = trust_gather_file_id(&plan->jobs[i]);
	}
	trust_gather_start(&w->gather);
	machine_load("", &w->scene.load_before);
	throttle_cpu("", &w->scene.cpu_before);
	usage_take(USAGE_PROCESS, &w->usage);
	w->ready_ns = clock_now_ns();
}

/* Files have been opened and what was cached of them is dropped, if that was to be. */
static int on_may_go(void *self, const struct observed *run, size_t job, char *why,
		     size_t why_bytes)
{
	struct watch *w = self;

	(void)why;
	(void)why_bytes;
	if (job < w->count)
		trust_gather_before(&w->gather, &run->plan->jobs[job], &w->facts[job]);
	return 0;
}

static void on_job_measured(void *self, const struct observed *run, size_t job)
{
	struct watch *w = self;

	if (job < w->count)
		trust_gather_after(&w->gather, &run->plan->jobs[job], &w->facts[job]);
}

/* ---- The end --------------------------------------------------------------------------------- */

static struct trust_drift drift_of(const struct observed *run, size_t job)
{
	static uint64_t at_ns[SERIES_POINTS], ios[SERIES_POINTS];

	if (!run->series)
		return (struct trust_drift){ .known = false };
	return trust_drift_of(at_ns, ios, series_points(run->series, job, at_ns, ios));
}

static void make_case(struct watch *w, size_t job)
{
	const struct crew_job *j = &w->run->crew->jobs[job];

	w->cases[job] = (struct trust_case){
		.plan = j->plan, .block = j->block, .facts = &w->facts[job],
		.drift = drift_of(w->run, job),
		.run_ns = j->block->start_ns ? crew_elapsed_ns(j) : 0,
	};
}

static void complete_scene(struct watch *w)
{
	struct trust_scene *s = &w->scene;
	const struct clock_facts *clock = clock_facts();
	struct usage now;

	trust_gather_end(&w->gather);
	usage_take(USAGE_PROCESS, &now);
	s->usage = usage_since(&w->usage, &now);
	machine_load("", &s->load_after);
	throttle_cpu("", &s->cpu_after);
	machine_clock("", &s->clock);
	clock_recalibrate();
	s->clock_name = clock->name;
	s->clock_cost_ns = clock->cost_ns;
	s->clock_error_ppm = clock->error_ppm;
	s->run_ns = clock_now_ns() - w->ready_ns;
	s->confidence = w->run->flags->confidence / 100;
	s->jobs = w->run->jobs;
	s->cases = w->cases;
	s->count = w->count;
}

static void on_finish(void *self, const struct observed *run)
{
	struct watch *w = self;
	size_t unseen = run->plan->count - w->count;

	for (size_t i = 0; i < w->count; i++)
		make_case(w, i);
	complete_scene(w);
	trust_check_all(&w->scene, run->trust);
	if (unseen)
		trust_number(trust_add(run->trust, "unseen", TRUST_OK, TRUST_RUN,
				       "%zu of the %zu jobs were not looked at", unseen,
				       run->plan->count), "unseen_jobs", (double)unseen);
}

/* While jobs run nothing is judged yet. */
static void run_text(const void *self, const struct result *r, FILE *out)
{
	const struct watch *w = self;

	if (r->final)
		trust_verdict_text(w->run, out);
}

static void run_json(const void *self, const struct result *r, struct json *doc)
{
	const struct watch *w = self;

	if (r->final)
		trust_verdict_json(w->run, doc);
}

static int status(const void *self)
{
	const struct watch *w = self;

	return trust_verdict_status(w->run);
}

static void on_done(void *self)
{
	struct watch *w = self;

	free(w->facts);
	free(w->cases);
}

const struct observer trust_observer = {
	.name = "trust", .state_bytes = sizeof(struct watch), .begin = on_begin,
	.ready = on_ready, .may_go = on_may_go, .job_measured = on_job_measured,
	.finish = on_finish, .run_text = run_text, .run_json = run_json, .status = status,
	.done = on_done,
};
