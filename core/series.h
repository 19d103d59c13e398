/* SPDX-License-Identifier: MIT */
/*
 * How many I/Os every job had done at common moments, so that rates over time can be told of each
 * job and of several together. The parent looks at the workers' counters; nothing of it is on the
 * I/O path, and its size does not grow with the run: when the room is used up every second moment
 * is forgotten.
 */
#ifndef CORE_SERIES_H
#define CORE_SERIES_H

#include "core/crew.h"
#include "lib/interval.h"

#define SERIES_POINTS	256u
#define SERIES_SPAN_NS	100000000ull	/* between two moments, to begin with */

struct series {
	size_t jobs, points;
	uint64_t span_ns, due_ns;
	uint64_t at_ns[SERIES_POINTS];	/* clock_now_ns() */
	/* by job, direction, point: I/Os done, and 1; 0: the job was not being counted just then */
	uint64_t *count;
};

/* series_init - returns 0 or -ENOMEM. series_free() in both cases. */
int series_init(struct series *s, size_t jobs);
void series_free(struct series *s);

/* series_look - take a point if one is due. Of any moment, but of rising ones. */
void series_look(struct series *s, const struct crew *crew, uint64_t now_ns);

/*
 * series_iops - the mean rate of these jobs and directions (a bit each) together, and how far it
 * may be off, over the time in which all of them were at work. Returns false when that was too
 * short. span_ns: (out) the time that one value of out->per_batch stands for.
 */
bool series_iops(const struct series *s, const size_t *jobs, size_t nr_jobs, uint32_t dirs,
		 double level, struct interval_mean *out, uint64_t *span_ns);

/*
 * series_points - the moments at which a job was being counted, ascending, and how many I/Os of all
 * directions it had done by then; since the last reset of its counters. Arrays of SERIES_POINTS.
 * Returns how many.
 */
size_t series_points(const struct series *s, size_t job, uint64_t *at_ns, uint64_t *ios);

#endif
