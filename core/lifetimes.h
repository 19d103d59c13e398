/* SPDX-License-Identifier: MIT */
/*
 * How many trims each block of a job's files took, and how it ended: block_error_percentiles. A
 * block is as large as the job's smallest trim. What has failed once stays so.
 *
 * The worker writes, in memory shared with the parent; only jobs that ask for it have any.
 */
#ifndef CORE_LIFETIMES_H
#define CORE_LIFETIMES_H

#include "core/job.h"
#include "lib/hist.h"

enum lifetime {
	LIFETIME_UNWRITTEN,		/* nothing has been done to it */
	LIFETIME_TRIMMED,
	LIFETIME_WRITTEN,
	LIFETIME_TRIM_FAILURE,
	LIFETIME_WRITE_FAILURE,
	LIFETIMES,
};

#define LIFETIMES_BLOCKS_MAX	(1ull << 28)

extern const char *const lifetime_names[LIFETIMES];

struct lifetimes {
	uint64_t unit;			/* bytes of a block */
	uint64_t blocks;
	uint64_t *first;		/* by file: its first block */
	const struct file_set *files;
	uint32_t *state;		/* by block: enum lifetime above so many trims */
};

/* What became of the blocks of several jobs. */
struct lifetimes_sum {
	uint64_t states[LIFETIMES];
	struct hist trims;		/* of all blocks but those that nothing was done to */
	uint64_t least, most;		/* trims of one of them */
};

/* lifetimes_wanted - is it asked for, and are there trims? */
bool lifetimes_wanted(const struct job *job);

/* lifetimes_new - NULL with *err set to -errno; -EFBIG: more blocks than LIFETIMES_BLOCKS_MAX. */
struct lifetimes *lifetimes_new(const struct job *job, const struct file_set *files, int *err);
void lifetimes_free(struct lifetimes *l);

/* lifetimes_done - a write or trim has ended; others are none of its business. Worker. */
void lifetimes_done(struct lifetimes *l, uint32_t file, uint32_t op, uint64_t offset, uint64_t len,
		    bool ok);

/* lifetimes_add - add the blocks of a job to a sum, which is zeroed before the first. */
void lifetimes_add(struct lifetimes_sum *sum, const struct lifetimes *l);

#endif
