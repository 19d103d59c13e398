/* SPDX-License-Identifier: MIT */
/*
 * The slowest I/Os of a worker and direction, kept in the memory it shares with the parent.
 *
 * The I/O path compares a latency with the least one that is kept, and no more: what is slower
 * takes the long way into the list, some hundred times in a run of any length. One place of the
 * list is spare; a new entry is written there, and a single store then makes it valid and the
 * fastest of the others spare. So a worker may be killed at any moment, and the parent may look at
 * any moment.
 */
#ifndef CORE_SLOW_H
#define CORE_SLOW_H

#include "lib/base.h"

#include <stdatomic.h>

#define SLOW_KEPT	32u

#define SLOW_CPU_UNKNOWN	(-1)

struct slow_io {
	uint64_t start, issue, end;	/* clock_ticks(); an entry without an end is empty */
	uint64_t offset, len;		/* of the whole I/O, bytes */
	uint32_t file;			/* index among the job's */
	uint32_t depth;			/* in flight when it was handed over, itself included */
	int32_t cpu;			/* that found it done, or SLOW_CPU_UNKNOWN */
	int32_t error;			/* positive errno it failed with, 0 */
};

/* All zero is an empty one. */
struct slow_list {
	_Atomic uint64_t state;		/* how often it changed << 8 | place that is spare */
	struct slow_io io[SLOW_KEPT + 1];
};

/* slow_ticks - how long it took, from the start: what the list goes by. */
fl_inline uint64_t slow_ticks(const struct slow_io *io)
{
	return io->end - io->start;
}

/*
 * slow_add - keep this one, if it is slower than the fastest that is kept. One that is there
 * already (the parent counts a batch again whose worker has died) is not kept twice. One writer.
 * Returns the ticks that an I/O must take longer than to be worth a call.
 */
uint64_t slow_add(struct slow_list *l, const struct slow_io *io) __attribute__((noinline, cold));

/* slow_reset - empty it: of the writer. */
void slow_reset(struct slow_list *l);

/*
 * slow_read - what is kept, in no order, while the writer may go on. Writes at most SLOW_KEPT
 * entries to out; returns how many.
 */
size_t slow_read(const struct slow_list *l, struct slow_io out[SLOW_KEPT]);

#endif
