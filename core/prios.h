/* SPDX-License-Identifier: MIT */
/*
 * Latencies by I/O priority, for jobs whose requests have priorities of their own (cmdprio).
 *
 * Which one a request was sent with is the engine's choice: fl_cmdprio_pick() leaves it in the
 * request. The worker counts into memory shared with the parent, as into its block; only jobs that
 * can need it have any.
 */
#ifndef CORE_PRIOS_H
#define CORE_PRIOS_H

#include "core/job.h"
#include "core/stats.h"
#include "fio-like/cmdprio.h"

#define PRIOS_MAX	(FL_CMDPRIO_SHARES_MAX + 1)	/* of one direction: and none of its own */

struct prios {
	bool total;			/* total latency; else completion latency */
	_Atomic uint32_t count[2];	/* by FL_OP_READ, FL_OP_WRITE: how many were met */
	uint32_t prio[2][PRIOS_MAX];	/* as ioprio_set(2) packs it; 0: none of its own */
	struct lat_stat lat[2][PRIOS_MAX];
};

/* prios_wanted - does the job give single requests a priority, and measure their latency? */
bool prios_wanted(const struct job *job);

/* prios_new - for a job that wants them, in shared memory. NULL with *err -errno. */
struct prios *prios_new(const struct job *job, int *err);
void prios_free(struct prios *p);

/* prios_add - count a read or write that was sent with prio and took so long. Worker. */
void prios_add(struct prios *p, uint32_t op, uint32_t prio, uint64_t ns);

/* prios_reset - forget what was counted (end of the ramp). Worker. */
void prios_reset(struct prios *p);

#endif
