/* SPDX-License-Identifier: MIT */
/* Sampling the jobs, judging the window, ending them. */
#include "core/steady_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>


/* Jobs that are judged together. */
struct unit {
	const struct steady_conf *conf;	/* of the first of them that has one */
	size_t *jobs, nr_jobs;		/* places in the crew */
	struct steady_window window;
	struct steady_verdict verdict;	/* of the window as it is */
	uint64_t due_ns;		/* clock_now_ns() of the next sample; 0: not begun */
	uint64_t last_ns;		/* of the last reading; 0: none, the ramp is not over */
	struct reading { uint64_t ios, bytes, clat_ns; } last;
	bool attained;
};

struct steady {
	struct unit *units;
	size_t nr_units;
	struct result_steady *shown;	/* a place for each unit's part of a result */
};

static bool same_unit(const struct plan_job *a, const struct plan_job *b)
{
	return a == b || plan_together(a, b);
}

/* All that are reported with this job, itself the first of them. Returns 0 or -ENOMEM. */
static int unit_make(struct unit *u, const struct plan *plan, size_t first)
{
	u->jobs = calloc(plan->count, sizeof(*u->jobs));
	if (!u->jobs)
		return -ENOMEM;
	for (size_t i = first; i < plan->count; i++) {
		const struct steady_conf *c = &plan->jobs[i].job->steady;

		if (!same_unit(&plan->jobs[first], &plan->jobs[i]))
			continue;
		u->jobs[u->nr_jobs++] = i;
		if (!u->conf && c->samples)
			u->conf = c;
	}
	return u->conf ? steady_init(&u->window, u->conf->samples) : 0;
}

static void unit_free(struct unit *u)
{
	free(u->jobs);
	steady_free(&u->window);
}

/* Is this job in a unit that begins before it? */
static bool is_taken(const struct plan *plan, size_t job)
{
	for (size_t i = 0; i < job; i++)
		if (plan_together(&plan->jobs[i], &plan->jobs[job]))
			return true;
	return false;
}

static int begin(void *self, const struct observed *run, struct diag *diag)
{
	const struct plan *plan = run->plan;
	struct steady *s = self;
	bool any = false;
	int err = 0;

	for (size_t i = 0; i < plan->count; i++)
		any |= plan->jobs[i].job->steady.samples > 0;
	if (!any)
		return 0;
	s->units = calloc(plan->count, sizeof(*s->units));
	s->shown = calloc(plan->count, sizeof(*s->shown));
	if (!s->units || !s->shown)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < plan->count; i++) {
		if (is_taken(plan, i))
			continue;
		err = unit_make(&s->units[s->nr_units], plan, i);
		if (err || !s->units[s->nr_units].conf)
			unit_free(&s->units[s->nr_units]);
		else
			s->nr_units++;
	}
	if (err)
		diag_error(diag, NULL, "steadystate: no memory for its samples");
	return err;
}

/* ---- Sampling -------------------------------------------------------------------------------- */

/*
 * Are those jobs of the unit that have not ended all at work and counted? since_ns: when the last
 * of them began to be. No job at all: nothing changes any more.
 */
static bool at_work(const struct unit *u, const struct crew *crew, uint64_t *since_ns, bool *over)
{
	bool all = true;

	*since_ns = 0;
	*over = true;
	for (size_t i = 0; i < u->nr_jobs; i++) {
		const struct crew_job *j = &crew->jobs[u->jobs[i]];

		if (j->ended)
			continue;
		*over = false;
		if (!j->started || atomic_load(&j->block->state) < WORKER_RUN)
			all = false;
		else
			*since_ns = fl_max(*since_ns, j->block->start_ns);
	}
	return all && !*over;
}

static struct reading read_counters(const struct unit *u, const struct crew *crew)
{
	struct reading r = { 0, 0, 0 };

	for (size_t i = 0; i < u->nr_jobs; i++) {
		const struct worker_block *b = crew->jobs[u->jobs[i]].block;

		for (int d = 0; d < DIRS; d++) {
			r.ios += b->dir[d].done_ios;
			r.bytes += b->dir[d].bytes;
			r.clat_ns += b->dir[d].clat.m.sum;
		}
	}
	return r;
}

static uint64_t per_second(uint64_t n, uint64_t ns)
{
	return (uint64_t)((double)n * 1e9 / (double)ns);
}

static void add_sample(struct unit *u, const struct reading *r, uint64_t ns)
{
	uint64_t ios = r->ios - u->last.ios;
	const uint64_t sample[STEADY_SERIES] = {
		[STEADY_IOPS] = per_second(ios, ns),
		[STEADY_BW] = per_second(r->bytes - u->last.bytes, ns),
		[STEADY_LAT] = ios ? (r->clat_ns - u->last.clat_ns) / ios : 0,
	};

	steady_add(&u->window, sample);
	u->verdict = steady_judge(&u->window, &u->conf->criterion);
}

static void window_restart(struct unit *u)
{
	steady_clear(&u->window);
	memset(&u->verdict, 0, sizeof(u->verdict));
	u->due_ns = u->last_ns = 0;
}

static void end_all(const struct unit *u, const struct crew *crew)
{
	for (size_t i = 0; i < u->nr_jobs; i++)
		atomic_store(&crew->jobs[u->jobs[i]].block->stop, 1);
}

static void unit_look(struct unit *u, const struct crew *crew, uint64_t now_ns)
{
	uint64_t since_ns;
	struct reading r;
	bool over;

	if (!at_work(u, crew, &since_ns, &over)) {
		if (!over)
			window_restart(u);
		return;
	}
	if (!u->due_ns)
		u->due_ns = since_ns + u->conf->ramp_ns;
	if (now_ns < u->due_ns)
		return;
	r = read_counters(u, crew);
	if (u->last_ns)
		add_sample(u, &r, now_ns - u->last_ns);
	u->last = r;
	u->last_ns = now_ns;
	while (u->due_ns <= now_ns)
		u->due_ns += u->conf->interval_ns;
	u->attained = u->verdict.attained;
	if (u->attained)
		end_all(u, crew);
}

static void look(void *self, const struct observed *run, uint64_t now_ns)
{
	struct steady *s = self;

	for (size_t i = 0; i < s->nr_units; i++)
		if (!s->units[i].attained)
			unit_look(&s->units[i], run->crew, now_ns);
}

/* ---- The result ------------------------------------------------------------------------------ */

static bool has_job(const struct unit *u, size_t job)
{
	size_t i = 0;

	while (i < u->nr_jobs && u->jobs[i] != job)
		i++;
	return i < u->nr_jobs;
}

static void fill(void *self, const struct observed *run, struct result *r)
{
	struct steady *s = self;

	(void)run;
	for (size_t k = 0; k < s->nr_units; k++) {
		const struct unit *u = &s->units[k];

		s->shown[k] = (struct result_steady){
			&u->conf->criterion, &u->window, &u->verdict,
			.duration_ns = u->conf->duration_ns, .attained = u->attained,
		};
		for (size_t i = 0; i < r->nr_jobs; i++)
			if (has_job(u, r->jobs[i].members[0]))
				r->jobs[i].steady = &s->shown[k];
	}
}

static void done(void *self)
{
	struct steady *s = self;

	for (size_t i = 0; i < s->nr_units; i++)
		unit_free(&s->units[i]);
	free(s->units);
	free(s->shown);
}

const struct observer steady_observer = {
	.name = "steadystate",
	.state_bytes = sizeof(struct steady),
	.begin = begin,
	.look = look,
	.fill = fill,
	.done = done,
};
