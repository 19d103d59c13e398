/* SPDX-License-Identifier: MIT */
/* Latencies by priority of the jobs that are put together. */
#ifndef CORE_MERGE_PRIOS_H
#define CORE_MERGE_PRIOS_H

#include "core/crew.h"
#include "core/result.h"

/*
 * merge_prios - set prios of *out from `count` jobs, of their reads and writes from first to last.
 * A request without a priority of its own was sent with that of its job. Where all had the same
 * there are none.
 */
void merge_prios(struct result_dir *out, const struct crew_job *const *jobs, size_t count,
		 int first, int last);
void merge_prios_free(struct result_dir *d);

#endif
