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
	uint64_t parts[DISKS_MAX];	/* a bit for each of those that this one is made of */
	int count;
	struct disk_stat after[DISKS_MAX];
	uint64_t begin_ns, end_ns;	/* end 0: the run goes on */
	struct disk_stat aside[DISKS_MAX];	/* when disks_pause() was called */
	uint64_t aside_ns;
};

/*
 * disks_find - the disks of all files of jobs that want them (disk_util=1), each once; behind a
 * volume the disks it is made of, and what those are made of.
 */
void disks_find(struct disks *d, const struct plan *plan);

/*
 * disks_begin, disks_end - remember the counters as they are now, so that nothing counts of what is
 * done before and after the run.
 */
void disks_begin(struct disks *d);
void disks_end(struct disks *d);

/* disks_pause, disks_resume - what is done between them does not count, nor does the time. */
void disks_pause(struct disks *d);
void disks_resume(struct disks *d);

/*
 * disks_since - what disk i did from disks_begin() to disks_end(), or so far, and for which share
 * of the time it was busy.
 */
struct disk_stat disks_since(const struct disks *d, int i, double *util);

/*
 * disks_parts_since - the same of the disks that disk i is made of: the mean of their counts, and
 * the share of the busiest. Returns how many they are; 0: it is an ordinary disk, and nothing is
 * set.
 */
unsigned disks_parts_since(const struct disks *d, int i, struct disk_stat *mean, double *util);

#endif
