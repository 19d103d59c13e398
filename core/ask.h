/* SPDX-License-Identifier: MIT */
/* Asking an engine something about a job before any worker of it is there. */
#ifndef CORE_ASK_H
#define CORE_ASK_H

#include "core/host.h"
#include "core/job.h"

/* A queue for that, and all it needs. It is not open: file_size() and file_layout() work so. */
struct ask {
	struct host_queue hq;
	struct fl_job job;
	uint64_t counters[HOST_COUNTERS_MAX];
};

/* ask_flags - what the job is to its engine: FL_JOB_*. */
uint32_t ask_flags(const struct job *job);

/* ask_init - for a job, the number-th of the run. a may not be moved afterwards. */
void ask_init(struct ask *a, const struct job *job, uint32_t number, uint32_t depth);

/*
 * ask_sync - does the engine, with the options and the depth of this job, have one I/O in flight at
 * a time? A queue is opened in a child that is thrown away.
 * Returns 1 or 0, or -errno with a sentence in why: it cannot be opened here.
 */
int ask_sync(const struct job *job, char *why, size_t why_bytes);

#endif
