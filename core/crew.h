/* SPDX-License-Identifier: MIT */
/*
 * The crew: all workers of a run as the parent knows them, and the memory they share with it, which
 * outlives them.
 */
#ifndef CORE_CREW_H
#define CORE_CREW_H

#include "core/plan.h"
#include "core/rates.h"
#include "core/worker.h"
#include "core/zbd_share.h"

/* What the parent knows of one worker. */
struct crew_job {
	const struct plan_job *plan;
	struct worker_block *block;	/* shared with the worker */
	struct worker_setup setup;
	struct rates rates;
	int32_t pid;			/* of its process, or of the thread host; 0: not started */
	bool started;
	bool ended;			/* its block is final, or its process is gone */
	bool measured;			/* its counted part is over, and that has been told */
	bool told;			/* what its end means for others (exitall) has been done */
	int signal;			/* that killed it, 0 */
	uint64_t killed_ns;		/* by the parent, clock_now_ns(); 0: it was not */
	uint64_t seen_end_ns;		/* when the parent learnt of its end */
	/* by wait4(2), for those that could not write it themselves */
	uint64_t usr_us, sys_us, ctx, minflt, majflt;
};

struct logs;

struct crew {
	struct crew_job *jobs;
	size_t count;
	struct run_control *control;	/* shared */
	struct overlap *board;		/* shared; NULL: no job needs it */
	struct flows *flows;		/* shared; NULL: likewise */
	struct zbd_devices zones;	/* of jobs with zonemode=zbd */
	struct content_shared *content;	/* shared; NULL: no job has dedupe_global */
	struct logs *logs;		/* the writer of the logs; NULL: there are none */
	size_t shared_bytes;
	bool exitall;			/* some job has it, and so all do */
	uint32_t waves;			/* started so far */
	uint64_t start_ns;
	int stopped_by;			/* signal, 0 */
};

/*
 * crew_init - shared memory for all workers of the plan. Before any fork.
 * Returns 0, or -errno with a sentence in why.
 */
int crew_init(struct crew *crew, const struct plan *plan, char *why, size_t why_bytes);
void crew_free(struct crew *crew);

/* crew_elapsed_ns - counted time of a job so far: to its end, its last sign of life, or now. */
uint64_t crew_elapsed_ns(const struct crew_job *j);

/* crew_running - has it started and not ended? */
fl_inline bool crew_running(const struct crew_job *j)
{
	return j->started && !j->ended;
}

#endif
