/* SPDX-License-Identifier: MIT */
/* Differences of results. */
#include "core/periods.h"
#include "core/latsum.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ latencies */

/* Bounds of what is in the bins, and the values that stand for them. */
static void extremes(const struct result_lat *before, const struct result_lat *now,
		     struct result_lat *out)
{
	unsigned low = 0, high = HIST_BINS - 1;

	while (!out->bins[low])
		low++;
	while (!out->bins[high])
		high--;
	out->min = now->min;
	if (before->n && now->min == before->min)
		out->min = fl_max(fl_min(hist_value(low), now->max), now->min);
	out->max = now->max;
	if (before->n && now->max == before->max)
		out->max = fl_max(fl_min(hist_value(high), now->max), now->min);
	out->max = fl_max(out->max, out->min);
}

void periods_lat(const struct result_lat *before, const struct result_lat *now,
		 struct result_lat *out)
{
	uint64_t *bins;
	struct moments m = now->moments;

	memset(out, 0, sizeof(*out));
	out->percentiles = now->percentiles;
	if (now->n <= before->n)
		return;
	bins = malloc(HIST_BINS * sizeof(*bins));
	if (!bins)
		return;
	for (unsigned i = 0; i < HIST_BINS; i++) {
		bins[i] = now->bins[i] - (before->n ? before->bins[i] : 0);
		out->n += bins[i];
	}
	out->bins = bins;
	extremes(before, now, out);
	if (before->n)
		moments_take(&m, &before->moments);
	/* Sums are not of the very moment of the bins: what came between must not show. */
	out->mean = moments_mean(&m, out->n);
	out->mean = fl_max(fl_min(out->mean, (double)out->max), (double)out->min);
	out->stddev = fl_min(moments_stddev(&m, out->n), (double)(out->max - out->min));
}

static void dir_since(const struct result_dir *before, const struct result_dir *now,
		      struct result_dir *out)
{
	memset(out, 0, sizeof(*out));
	out->bytes = now->bytes - before->bytes;
	out->ios = now->returned_ios - before->returned_ios;
	out->short_ios = now->short_ios - before->short_ios;
	out->drop_ios = now->drop_ios - before->drop_ios;
	out->errors = now->errors - before->errors;
	periods_lat(&before->slat, &now->slat, &out->slat);
	periods_lat(&before->clat, &now->clat, &out->clat);
	periods_lat(&before->lat, &now->lat, &out->lat);
	periods_lat(&before->intended, &now->intended, &out->intended);
	out->has_intended = now->has_intended;
}

/* ------------------------------------------------------------------ time */

/* When the jobs of a result were counted. */
struct counted {
	uint64_t begin_ns, end_ns;	/* clock_now_ns(); begin 0: not yet */
	uint32_t dirs;
	bool over;			/* all of them have ended */
};

static struct counted counted_of(const struct result_job *j, const struct crew *crew,
				uint64_t now_ns)
{
	struct counted s = { .over = true };

	for (int k = 0; k < j->jobs; k++) {
		const struct crew_job *c = &crew->jobs[j->members[k]];
		uint64_t start = c->block->start_ns;

		s.dirs |= c->plan->job->workload.rw.bits & RW_DIRS;
		s.over &= c->ended;
		if (!start)
			continue;
		s.begin_ns = s.begin_ns ? fl_min(s.begin_ns, start) : start;
		s.end_ns = fl_max(s.end_ns, c->ended || c->block->end_ns ?
				  start + crew_elapsed_ns(c) : now_ns);
	}
	return s;
}

/* begin_ns: the end of the period before; 0 if this is the first. */
static void take(struct period *out, const struct result_job *before, const struct result_job *now,
		 const struct counted *s, uint64_t begin_ns)
{
	static const struct result_job nothing;

	if (!before)
		before = &nothing;
	memset(out, 0, sizeof(*out));
	out->any = true;
	out->dirs = s->dirs;
	out->end_ns = s->end_ns - s->begin_ns;
	out->begin_ns = begin_ns ? begin_ns - s->begin_ns : 0;
	for (int d = 0; d <= DIRS; d++) {
		dir_since(&before->dir[d], &now->dir[d], &out->dir[d]);
		out->dir[d].runtime_ms = (out->end_ns - out->begin_ns + 500000) / 1000000;
	}
	out->sync_ios = now->sync_ios - before->sync_ios;
	periods_lat(&before->sync, &now->sync, &out->sync);
}

/* ------------------------------------------------------------------ all jobs */

/* The crew as if jobs in their ramp had done nothing yet. jobs is to be freed; NULL: no memory. */
static struct crew without_ramps(const struct crew *crew, struct worker_block *empty)
{
	struct crew view = *crew;

	view.jobs = malloc((crew->count ? crew->count : 1) * sizeof(*view.jobs));
	for (size_t i = 0; view.jobs && i < crew->count; i++) {
		view.jobs[i] = crew->jobs[i];
		if (atomic_load(&crew->jobs[i].block->state) < WORKER_RUN && !crew->jobs[i].ended)
			view.jobs[i].block = empty;
	}
	return view;
}

static void free_list(struct periods *p)
{
	for (size_t i = 0; p->list && i < p->now.nr_jobs; i++) {
		for (int d = 0; d <= DIRS; d++) {
			latsum_free(&p->list[i].dir[d].slat);
			latsum_free(&p->list[i].dir[d].clat);
			latsum_free(&p->list[i].dir[d].lat);
			latsum_free(&p->list[i].dir[d].intended);
		}
		latsum_free(&p->list[i].sync);
	}
	free(p->list);
	p->list = NULL;
}

/* What was now is before. */
static void move_on(struct periods *p)
{
	free_list(p);
	merge_free(&p->before);
	p->before = p->now;
	memset(&p->now, 0, sizeof(p->now));
}

static void compare(struct periods *p, const struct crew *view, uint64_t now_ns)
{
	for (size_t i = 0; i < p->now.nr_jobs; i++) {
		const struct result_job *j = &p->now.jobs[i];
		struct counted s = counted_of(j, view, now_ns);

		if (!s.begin_ns || p->over[i])
			continue;
		p->over[i] = s.over;
		/* A job may have ended a little before it was looked at, and be told so later. */
		s.end_ns = fl_max(s.end_ns, fl_max(p->end_ns[i], s.begin_ns));
		take(&p->list[i], i < p->before.nr_jobs ? &p->before.jobs[i] : NULL, j, &s,
		     p->end_ns[i]);
		p->end_ns[i] = s.end_ns;
	}
}

/* What there is room for is taken; what there is none for comes with the next period. */
int periods_take(struct periods *p, const struct crew *crew, const struct jobs *jobs,
		 uint64_t now_ns)
{
	size_t room = crew->count ? crew->count : 1;
	struct worker_block *empty = calloc(1, sizeof(*empty));
	struct period *list = calloc(room, sizeof(*list));
	struct crew view = { 0 };
	bool taken;

	if (!p->over)
		p->over = calloc(room, sizeof(*p->over));
	if (!p->end_ns)
		p->end_ns = calloc(room, sizeof(*p->end_ns));
	if (empty && list && p->over && p->end_ns) {
		stats_init(empty);
		view = without_ramps(crew, empty);
	}
	taken = view.jobs;
	if (taken) {
		move_on(p);
		p->list = list;
		merge_make(&p->now, &view, jobs, NULL, NULL, false);
		compare(p, &view, now_ns);
		p->number++;
	} else {
		free(list);
	}
	free(view.jobs);
	free(empty);
	return taken ? 0 : -ENOMEM;
}

void periods_free(struct periods *p)
{
	free_list(p);
	merge_free(&p->before);
	merge_free(&p->now);
	free(p->over);
	free(p->end_ns);
	memset(p, 0, sizeof(*p));
}
