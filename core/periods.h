/* SPDX-License-Identifier: MIT */
/*
 * What each job did from one look to the next: the difference of two results.
 *
 * Counters and bins only grow, so the periods of a job add up to its result exactly, whatever was
 * written while they were read. Within one period counts are read one after the other while the
 * jobs go on: they may disagree by the few I/Os that ended meanwhile. A maximum that did not grow
 * cannot be told from counters: that of a period is then the middle of its highest bin, so that it
 * falls again after a stall. Minimum likewise. Of a ramp nothing is told.
 *
 * The parent does all of it; nothing is on the I/O path.
 */
#ifndef CORE_PERIODS_H
#define CORE_PERIODS_H

#include "core/merge.h"

struct period {
	bool any;			/* the job ran in it; else nothing else is set */
	uint64_t begin_ns, end_ns;	/* since the first of the jobs began to be counted */
	uint32_t dirs;			/* a bit for each direction that the jobs use */
	struct result_dir dir[DIRS + 1];	/* amounts and latencies; no sampled rates */
	struct result_lat sync;
	uint64_t sync_ios;
};

struct periods {
	uint64_t number;		/* how many have been taken */
	struct result before, now;
	struct period *list;		/* one for each of now.jobs */
	bool *over;			/* the last period of the job has been taken */
	uint64_t *end_ns;		/* of the last period of each, clock_now_ns() */
};

/*
 * periods_take - the period from the last call, or the beginning, to now_ns (clock_now_ns()), of
 * every job of the result, which is p->now. *p: zeroed before the first call. Returns 0 or -ENOMEM.
 */
int periods_take(struct periods *p, const struct crew *crew, const struct jobs *jobs,
		 uint64_t now_ns);
void periods_free(struct periods *p);

/*
 * periods_lat - the samples that are in now and not in before, which may be empty.
 * out->bins, if out->n is not 0, belongs to the caller: latsum_free().
 */
void periods_lat(const struct result_lat *before, const struct result_lat *now,
		 struct result_lat *out);

#endif
