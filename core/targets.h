/* SPDX-License-Identifier: MIT */
/* The block devices that a job writes to, among all its files, and in the place of its buffers. */
#ifndef CORE_TARGETS_H
#define CORE_TARGETS_H

#include "core/plan.h"

#include <sys/types.h>

/*
 * targets_each - call fn for each of them, until it returns other than 0. Names are looked up at
 * this moment: what is a device now counts. Jobs without I/O have none.
 * Returns what fn returned last, 0 if there is none.
 */
int targets_each(const struct plan_job *pj, int (*fn)(void *ctx, const char *path, dev_t device),
		 void *ctx);

/* targets_written - is one of the job's files written to, be it when it is laid out? */
bool targets_written(const struct plan_job *pj, const struct file_plan *p);

#endif
