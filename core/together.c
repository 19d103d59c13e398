/* SPDX-License-Identifier: MIT */
/* The three bandwidths of a group. */
#include "core/together.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_NS_PER_JOB	10000	/* large crews are not looked at for every change of a state */

int together_init(struct together *t, const struct plan *plan)
{
	memset(t, 0, sizeof(*t));
	t->groups = calloc(fl_max(plan->count, (size_t)1), sizeof(*t->groups));
	t->seen = calloc(fl_max(plan->count, (size_t)1), sizeof(*t->seen));
	if (!t->groups || !t->seen)
		return -ENOMEM;
	for (size_t i = 0; i < plan->count; i++) {
		if (!i || plan->jobs[i].group != plan->jobs[i - 1].group)
			t->groups[t->nr_groups++] = (struct together_group){
				.id = plan->jobs[i].group, .first = i,
			};
		t->groups[t->nr_groups - 1].end = i + 1;
	}
	return 0;
}

void together_free(struct together *t)
{
	free(t->groups);
	free(t->seen);
	memset(t, 0, sizeof(*t));
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

/* Only such jobs are in the results. */
static bool is_reported(const struct crew_job *j)
{
	return j->plan->job->measure.stats;
}

/* Has it begun to be counted? A ramp is not counted. */
static bool has_begun(const struct crew_job *j)
{
	return j->block->start_ns && atomic_load(&j->block->state) >= WORKER_RUN;
}

static bool has_ended(const struct crew_job *j)
{
	return j->ended || j->block->end_ns;
}

static uint64_t end_of(const struct crew_job *j, uint64_t now_ns)
{
	return has_ended(j) ? j->block->start_ns + crew_elapsed_ns(j) : now_ns;
}

static uint64_t bytes_of(const struct crew_job *j, uint32_t dirs)
{
	uint64_t bytes = 0;

	for (int d = 0; d < DIRS; d++)
		if (dirs & 1u << d)
			bytes += j->block->dir[d].bytes;
	return bytes;
}

static void see(struct together_seen *seen, const struct crew_job *j, uint64_t now_ns)
{
	seen->ns = end_of(j, now_ns);
	for (int d = 0; d < DIRS; d++)
		seen->bytes[d] = j->block->dir[d].bytes;
}

/* What the job had moved at a moment between the last look and this one. */
static double bytes_at(const struct together_seen *before, const struct crew_job *j,
		       uint64_t now_ns, uint64_t at_ns, int dir)
{
	struct together_seen from = *before, to;

	see(&to, j, now_ns);
	if (from.ns < j->block->start_ns)
		from = (struct together_seen){ .ns = j->block->start_ns };
	if (at_ns >= to.ns)
		return (double)to.bytes[dir];
	if (at_ns <= from.ns)
		return (double)from.bytes[dir];
	return (double)from.bytes[dir] + (double)(to.bytes[dir] - from.bytes[dir]) *
	       (double)(at_ns - from.ns) / (double)(to.ns - from.ns);
}

/* ---- Groups ---------------------------------------------------------------------------------- */

static void sum_at(const struct together *t, const struct together_group *g,
		   const struct crew *crew, uint64_t now_ns, uint64_t at_ns, double bytes[DIRS])
{
	memset(bytes, 0, DIRS * sizeof(*bytes));
	for (size_t i = g->first; i < g->end; i++)
		if (is_reported(&crew->jobs[i]) && has_begun(&crew->jobs[i]))
			for (int d = 0; d < DIRS; d++)
				bytes[d] += bytes_at(&t->seen[i], &crew->jobs[i], now_ns, at_ns, d);
}

/* All that will ever begin have begun. */
static bool all_begun(const struct together_group *g, const struct crew *crew, uint64_t *last_ns)
{
	bool any = false;

	*last_ns = 0;
	for (size_t i = g->first; i < g->end; i++) {
		const struct crew_job *j = &crew->jobs[i];

		if (!is_reported(j) || (j->ended && !has_begun(j)))
			continue;
		if (!has_begun(j))
			return false;
		*last_ns = fl_max(*last_ns, j->block->start_ns);
		any = true;
	}
	return any;
}

static bool any_ended(const struct together_group *g, const struct crew *crew, uint64_t *first_ns)
{
	*first_ns = UINT64_MAX;
	for (size_t i = g->first; i < g->end; i++) {
		const struct crew_job *j = &crew->jobs[i];

		if (is_reported(j) && has_begun(j) && has_ended(j))
			*first_ns = fl_min(*first_ns, end_of(j, 0));
	}
	return *first_ns != UINT64_MAX;
}

static void look_at(struct together *t, struct together_group *g, const struct crew *crew,
		    uint64_t now_ns)
{
	uint64_t at_ns;

	if (!g->open && all_begun(g, crew, &at_ns)) {
		g->open = true;
		g->open_ns = at_ns;
		sum_at(t, g, crew, now_ns, at_ns, g->bytes_open);
	}
	if (any_ended(g, crew, &at_ns)) {
		g->closed = true;
		g->close_ns = at_ns;
		sum_at(t, g, crew, now_ns, at_ns, g->bytes_close);
	}
	for (size_t i = g->first; i < g->end; i++)
		see(&t->seen[i], &crew->jobs[i], now_ns);
}

void together_look(struct together *t, const struct crew *crew, uint64_t now_ns)
{
	bool over = true;

	for (size_t i = 0; over && i < crew->count; i++)
		over = crew->jobs[i].ended;
	if (!over && now_ns - t->look_ns < crew->count * LOOK_NS_PER_JOB)
		return;
	t->look_ns = now_ns;
	for (size_t i = 0; i < t->nr_groups; i++)
		if (!t->groups[i].closed)
			look_at(t, &t->groups[i], crew, now_ns);
}

/* ---- Figures --------------------------------------------------------------------------------- */

static double per_second(double bytes, uint64_t ns)
{
	return ns ? bytes * 1e9 / (double)ns : 0;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void spread(double *bw, size_t n, struct result_together *out)
{
	qsort(bw, n, sizeof(*bw), by_size);
	out->min_bw = bw[0];
	out->max_bw = bw[n - 1];
	out->median_bw = (bw[(n - 1) / 2] + bw[n / 2]) / 2;
}

static void figure_all(const struct together *t, const struct together_group *g,
		       const struct crew *crew, uint32_t dirs, uint64_t now_ns,
		       struct result_together *out)
{
	uint64_t to_ns = g->closed ? g->close_ns : now_ns;
	double bytes[DIRS];

	if (!g->open || to_ns <= g->open_ns)
		return;
	if (g->closed)
		memcpy(bytes, g->bytes_close, sizeof(bytes));
	else
		sum_at(t, g, crew, now_ns, now_ns, bytes);
	out->all_ns = to_ns - g->open_ns;
	for (int d = 0; d < DIRS; d++)
		if (dirs & 1u << d)
			out->all_bw += per_second(bytes[d] - g->bytes_open[d], out->all_ns);
}

bool together_figures(const struct together *t, const struct crew *crew, int id, uint32_t dirs,
		      uint64_t now_ns, struct result_together *out)
{
	const struct together_group *g = t->groups;
	uint64_t first_ns = UINT64_MAX, last_ns = 0, bytes = 0;
	double *bw;

	memset(out, 0, sizeof(*out));
	for (; g < t->groups + t->nr_groups && g->id != id; g++)
		;
	if (g == t->groups + t->nr_groups)
		return false;
	bw = calloc(g->end - g->first, sizeof(*bw));
	for (size_t i = g->first; bw && i < g->end; i++) {
		const struct crew_job *j = &crew->jobs[i];
		uint64_t end_ns, moved;

		if (!is_reported(j) || !has_begun(j))
			continue;
		if (!(j->plan->job->workload.rw.bits & dirs))
			continue;
		moved = bytes_of(j, dirs);
		end_ns = end_of(j, now_ns);
		first_ns = fl_min(first_ns, j->block->start_ns);
		last_ns = fl_max(last_ns, end_ns);
		bytes += moved;
		bw[out->workers++] = per_second((double)moved, end_ns - j->block->start_ns);
	}
	if (bw && out->workers) {
		out->whole_ns = last_ns - first_ns;
		out->whole_bw = per_second((double)bytes, out->whole_ns);
		spread(bw, out->workers, out);
		figure_all(t, g, crew, dirs, now_ns, out);
	}
	free(bw);
	return out->workers;
}
