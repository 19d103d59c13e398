/* SPDX-License-Identifier: MIT */
/*
 * How far the writes of a verifying job have come: which were handed out, which of them have not
 * completed, and which an fsync has promised to be on the medium. In memory that the parent shares,
 * so that it is known when the worker has been killed at any moment.
 *
 * The worker is the only writer. A number is entered as in flight before it counts as handed out,
 * and taken out when it is back: whatever moment the worker dies at, a write is never taken for
 * completed that was not.
 */
#ifndef CORE_FRONTIER_H
#define CORE_FRONTIER_H

#include "lib/base.h"
#include "lib/vstate.h"

#include <stdatomic.h>

#define FRONTIER_LOST_MAX	64u	/* failed writes that are kept by number */

struct frontier_slot {
	_Atomic uint64_t number;	/* of the write in this slot; 0: none */
	_Atomic uint32_t file;
};

struct frontier {
	size_t bytes;			/* of all of it */
	uint32_t slots, files;
	_Atomic uint64_t issued;	/* number of the last write handed out */
	_Atomic uint64_t seed;
	_Atomic uint32_t nr_lost;	/* writes that failed: what they left is unknown */
	_Atomic uint64_t lost[FRONTIER_LOST_MAX];
	_Atomic uint64_t *promised;	/* by file: writes up to this number are on the medium */
	struct frontier_slot slot[];
};

/*
 * frontier_new - shared with all processes forked later. slots: of the queue; files: of the job.
 * Returns NULL with *err -errno. frontier_free() gives it back; NULL is fine.
 */
struct frontier *frontier_new(uint32_t slots, uint32_t files, int *err);
void frontier_free(struct frontier *f);

/* frontier_begin - write `number` to a file is about to be handed over in this slot. */
fl_inline void frontier_begin(struct frontier *f, uint32_t slot, uint32_t file, uint64_t number)
{
	atomic_store_explicit(&f->slot[slot].file, file, memory_order_relaxed);
	atomic_store_explicit(&f->slot[slot].number, number, memory_order_release);
	atomic_store_explicit(&f->issued, number, memory_order_release);
}

/* frontier_end - it has completed. */
fl_inline void frontier_end(struct frontier *f, uint32_t slot)
{
	atomic_store_explicit(&f->slot[slot].number, 0, memory_order_release);
}

/* frontier_failed - it has failed. */
void frontier_failed(struct frontier *f, uint32_t slot);

/*
 * frontier_candidate - an fsync of this file is about to be handed over: if it succeeds, it
 * promises the writes to the file up to the number returned, for frontier_promise(). What completed
 * behind one that is still in flight is left out.
 */
uint64_t frontier_candidate(const struct frontier *f, uint32_t file);
void frontier_promise(struct frontier *f, uint32_t file, uint64_t upto);

/*
 * frontier_state - as a state, also of a worker at work; the caller has set name, job and unit, and
 * calls vstate_free().
 * Returns 0, -ENOMEM, or -EOVERFLOW when more writes failed than are kept.
 */
int frontier_state(const struct frontier *f, struct vstate *s);

#endif
