/* SPDX-License-Identifier: MIT */
/* Counters at common moments. */
#include "core/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int series_init(struct series *s, size_t jobs)
{
	memset(s, 0, sizeof(*s));
	s->jobs = jobs;
	s->span_ns = SERIES_SPAN_NS;
	s->count = calloc(fl_max(jobs, (size_t)1) * DIRS * SERIES_POINTS, sizeof(*s->count));
	return s->count ? 0 : -ENOMEM;
}

void series_free(struct series *s)
{
	free(s->count);
	s->count = NULL;
}

static uint64_t *points_of(const struct series *s, size_t job, int dir)
{
	return s->count + (job * DIRS + (size_t)dir) * SERIES_POINTS;
}

/* Every second point goes, and the next ones come at half the pace. */
static void thin(struct series *s)
{
	for (size_t p = 0; p < SERIES_POINTS / 2; p++)
		s->at_ns[p] = s->at_ns[2 * p];
	for (size_t i = 0; i < s->jobs * DIRS; i++) {
		uint64_t *count = s->count + i * SERIES_POINTS;

		for (size_t p = 0; p < SERIES_POINTS / 2; p++)
			count[p] = count[2 * p];
	}
	s->points = SERIES_POINTS / 2;
	s->span_ns *= 2;
	s->due_ns = s->at_ns[s->points - 1] + s->span_ns;
}

void series_look(struct series *s, const struct crew *crew, uint64_t now_ns)
{
	if (s->points == SERIES_POINTS)
		thin(s);
	if (now_ns < s->due_ns)
		return;
	for (size_t i = 0; i < s->jobs; i++) {
		const struct crew_job *j = &crew->jobs[i];
		bool counts = crew_running(j) && atomic_load(&j->block->state) == WORKER_RUN;

		for (int d = 0; d < DIRS; d++)
			points_of(s, i, d)[s->points] =
				counts ? j->block->dir[d].done_ios + 1 : 0;
	}
	s->at_ns[s->points++] = now_ns;
	s->due_ns = now_ns + s->span_ns;
}

/* I/Os per second between a point and the next; below 0 unless all the jobs were at work. */
static double rate_at(const struct series *s, const size_t *jobs, size_t nr_jobs, uint32_t dirs,
		      size_t p)
{
	uint64_t ios = 0;

	for (size_t i = 0; i < nr_jobs * DIRS; i++) {
		const uint64_t *count = points_of(s, jobs[i / DIRS], (int)(i % DIRS)) + p;

		if (!count[0] || count[1] < count[0])
			return -1;
		if (dirs & 1u << i % DIRS)
			ios += count[1] - count[0];
	}
	return (double)ios * 1e9 / (double)(s->at_ns[p + 1] - s->at_ns[p]);
}

bool series_iops(const struct series *s, const size_t *jobs, size_t nr_jobs, uint32_t dirs,
		 double level, struct interval_mean *out, uint64_t *span_ns)
{
	double rates[SERIES_POINTS];
	size_t n = 0;

	for (size_t p = 0; p + 1 < s->points; p++) {
		double rate = rate_at(s, jobs, nr_jobs, dirs, p);

		if (rate >= 0)
			rates[n++] = rate;
	}
	*span_ns = s->span_ns;
	return interval_of_mean(rates, n, level, out);
}

size_t series_points(const struct series *s, size_t job, uint64_t *at_ns, uint64_t *ios)
{
	size_t n = 0;

	for (size_t p = 0; p < s->points; p++) {
		uint64_t sum = 0;
		bool counts = true;

		for (int d = 0; d < DIRS; d++) {
			uint64_t count = points_of(s, job, d)[p];

			counts &= count != 0;
			sum += count - counts;
		}
		if (!counts)
			continue;
		if (n && sum < ios[n - 1])	/* reset in between: the end of a ramp */
			n = 0;
		at_ns[n] = s->at_ns[p];
		ios[n++] = sum;
	}
	return n;
}
