/* SPDX-License-Identifier: MIT */
/*
 * serialize_overlap: a board with the ranges that are being read or written, of one job, or of all
 * jobs in memory that they share. A range that overlaps another one of the same file has to wait
 * when one of the two is changed.
 *
 * Each worker has as many slots on it as it has requests, and whoever puts up a range does so under
 * one lock. Taking one down needs none. Nobody waits with the lock in hand, nor with a range on the
 * board whose I/O has not been handed over: so no circle of waiting can close.
 *
 * Files are cut into regions at least as long as any block, and a range is found by the one or two
 * regions it lies in. So what a look costs does not grow with the number of slots.
 */
#ifndef CORE_OVERLAP_H
#define CORE_OVERLAP_H

#include "fio-like/engine.h"
#include "lib/base.h"

struct overlap;

struct overlap_range {
	uint64_t file;			/* overlap_file(), or any other number of its own */
	uint64_t lo, hi;		/* bytes; hi is the first that does not belong to it */
	bool write;			/* changes them */
};

#define OVERLAP_SLOTS_MAX	(1u << 24)	/* 1.1 GiB */

/*
 * overlap_new - a board of 1 to OVERLAP_SLOTS_MAX slots. block_max: ranges are rarely longer than
 * that; those that are cost a look at all slots. shared: with all processes forked later, and among
 * threads; else it is for one thread, and nothing is locked.
 * Returns NULL with *err -errno. overlap_free() gives back this process's view of it; NULL is fine.
 */
struct overlap *overlap_new(uint32_t slots, uint64_t block_max, bool shared, int *err);
void overlap_free(struct overlap *o);

/* overlap_conflict - may these two not be in flight together? */
fl_inline bool overlap_conflict(const struct overlap_range *a, const struct overlap_range *b)
{
	return a->file == b->file && a->lo < b->hi && b->lo < a->hi && (a->write || b->write);
}

/*
 * overlap_claim - put a range up in a free slot of the caller's. Returns false when it conflicts
 * with one that is there; *seen is then for overlap_wait().
 */
bool overlap_claim(struct overlap *o, uint32_t slot, const struct overlap_range *r, uint32_t *seen);

/* overlap_release - take it down, if one is up. Wakes those who wait for it. */
void overlap_release(struct overlap *o, uint32_t slot);

/*
 * overlap_clear - take down whatever is up in slots first .. first + count - 1: their worker has
 * gone.
 */
void overlap_clear(struct overlap *o, uint32_t first, uint32_t count);

/*
 * overlap_wait - sleep until a range that somebody waits for is taken down, unless that has
 * happened since *seen was set; or until a signal, or timeout_ns have passed.
 */
void overlap_wait(struct overlap *o, uint32_t seen, uint64_t timeout_ns);

/*
 * overlap_file - a number that is the same for the same file in all jobs, by whatever name. f is
 * open. What is no file has the number of its name.
 */
uint64_t overlap_file(const struct fl_file *f);

#endif
