/* SPDX-License-Identifier: MIT */
/*
 * The disks below the files of a plan, and what they did between begin and end of the run.
 */
#ifndef CORE_DISKS_H
#define CORE_DISKS_H

#include "core/plan.h"
#include "os/disk.h"

#define DISKS_MAX	64

struct disks {
	struct disk disk[DISKS_MAX];
	struct disk_stat before[DISKS_MAX];
	int count;
	uint64_t begin_ns;
};

/*
 * disks_find - the disks of all files of jobs that want them (disk_util=1), each once, slaves too.
 */
void disks_find(struct disks *d, const struct plan *plan);

/* disks_begin - remember the counters as they are now. */
void disks_begin(struct disks *d);

/*
 * disks_since - what disk i did since disks_begin(), and for which share of the time it was busy.
 */
struct disk_stat disks_since(const struct disks *d, int i, double *util);

#endif
