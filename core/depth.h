/* SPDX-License-Identifier: MIT */
/*
 * How many I/Os a job keeps in flight, and how many it hands over and takes back at once.
 */
#ifndef CORE_DEPTH_H
#define CORE_DEPTH_H

#include "core/opt.h"

#define DEPTH_BATCH_ALL	UINT32_MAX	/* iodepth_batch=all: every free slot */

struct depth_conf {
	uint32_t depth;
	uint32_t slots;			/* requests there are: some may wait to be looked at */
	uint32_t low;			/* fill again when this few are in flight; 0: depth */
	uint32_t batch;			/* I/Os per commit; 0: depth; DEPTH_BATCH_ALL */
	uint32_t batch_complete_min;	/* 0: never wait */
	uint32_t batch_complete_max;	/* 0: as batch_complete_min */
	uint32_t offload;		/* arrivals come from a thread of their own */
	uint32_t serialize;		/* no two I/Os that overlap are in flight, if one writes */
};

extern const struct opt_table depth_options;

/* depth_check - settle what contradicts itself, as fio does. 0, or 1 with a note in why. */
int depth_check(struct depth_conf *c, char *why, size_t why_bytes);

#endif
