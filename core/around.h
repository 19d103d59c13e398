/* SPDX-License-Identifier: MIT */
/*
 * What went on around the I/Os: once a second, what the machine did with its CPUs, its page cache
 * and the disks of the run, so that a slow I/O can be told together with what may have slowed it.
 */
#ifndef CORE_AROUND_H
#define CORE_AROUND_H

#include "core/disks.h"
#include "os/machine.h"
#include "os/throttle.h"

#define AROUND_DISKS	8	/* disks that are looked at: the first ones */
#define AROUND_MAX	4096u	/* samples kept: a good hour, then the less useful ones go */

/* From one look to the next, or what several such add up to. */
struct around_sample {
	uint64_t from_ns, to_ns;	/* clock_now_ns() */
	uint64_t steal_ticks, all_ticks;	/* of the machine's CPUs, and of them taken away */
	uint64_t throttled_us;		/* our control groups were held back for */
	uint64_t dirty_bytes, writeback_bytes;	/* at the end; of several, the most */
	struct {
		uint32_t ios, busy_ms, queue_ms;	/* as in struct disk_stat */
	} disk[AROUND_DISKS];
};

struct around {
	struct around_sample *list;	/* in the order of time; room for AROUND_MAX */
	size_t count;
	const struct disks *disks;
	int nr_disks;
	/* at the last look */
	uint64_t last_ns;
	struct machine_load cpu;
	struct throttle_cpu throttle;
	struct disk_stat disk[AROUND_DISKS];
};

/* around_init - the first look. Returns 0 or -ENOMEM. around_free() in both cases. */
int around_init(struct around *a, const struct disks *disks, uint64_t now_ns);
void around_free(struct around *a);

/* around_full - there is no room for another sample. */
fl_inline bool around_full(const struct around *a)
{
	return a->count == AROUND_MAX;
}

/* around_look - one more sample, from the last look to now. Not when full. */
void around_look(struct around *a, uint64_t now_ns);

/* Two moments, clock_now_ns(). */
struct around_time {
	uint64_t from_ns, to_ns;
};

/*
 * around_thin - make room: samples that overlap none of these n times go; if those are too many,
 * the oldest go, too. At least half of the room is free then.
 */
void around_thin(struct around *a, const struct around_time *needed, size_t n);

/*
 * around_sum - what the samples that overlap this time add up to. Returns false when there is none.
 */
bool around_sum(const struct around *a, struct around_time time, struct around_sample *out);

#endif
