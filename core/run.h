/* SPDX-License-Identifier: MIT */
/*
 * Running a plan: one process per job (jobs with thread=1 share one), started together, watched,
 * sampled, stopped, and buried. The parent does no I/O of the jobs; whatever becomes of a worker,
 * what it had measured is in memory the parent owns.
 */
#ifndef CORE_RUN_H
#define CORE_RUN_H

#include "core/crew.h"

/* What the caller wants to be told while it runs. All may be NULL. */
struct run_watch {
	/* the caller's turn to read counters: at each change of a worker's state, and in between */
	void (*look)(void *ctx, uint64_t now_ns);
	/* about tick_ns apart */
	void (*tick)(void *ctx, const struct crew *crew, uint64_t now_ns);
	/* job i of the crew is about to be started, with its wave; nothing of it counts any more;
	 * its end has been seen */
	void (*job_begins)(void *ctx, size_t i);
	void (*job_measured)(void *ctx, size_t i);
	void (*job_ended)(void *ctx, size_t i);
	/*
	 * job i and its wave have set up and wait for their start. Other than 0 (-errno, with a
	 * sentence in why): it ends with that error instead
	 */
	int (*may_go)(void *ctx, size_t i, char *why, size_t why_bytes);
	/* in each new worker process, first thing; 0, or -errno with a sentence: its jobs fail */
	int (*enter)(void *ctx, char *why, size_t why_bytes);
	/* an interval is over: SIGUSR1, or period_ns have passed */
	void (*period)(void *ctx, const struct crew *crew, uint64_t now_ns);
	/* a status dump is due: SIGUSR1, or status_ns have passed */
	void (*status)(void *ctx, const struct crew *crew);
	uint64_t tick_ns;		/* 0: no ticks */
	uint64_t period_ns;		/* 0: only on SIGUSR1 */
	uint64_t status_ns;		/* 0: only on SIGUSR1 */
	void *ctx;
};

/*
 * run_all - start every job when its time has come, and return when all have ended. Errors of jobs
 * are in their blocks. sig_install() must have been called.
 */
void run_all(struct crew *crew, const struct run_watch *watch);

#endif
