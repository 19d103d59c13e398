/* SPDX-License-Identifier: MIT */
/*
 * io_submit_mode=offload: arrivals that do not wait for completions.
 *
 * A thread beside the worker's, the generator, goes through the workload, takes the pauses of
 * thinktime, and notes when each I/O arrived. The worker starts them as it finds slots. What an I/O
 * waited for a slot is thereby part of its latency, as it is for a user who asks whether the device
 * is free or not.
 *
 * Between the two lies a ring with one writer and one reader. Neither takes a lock: each owns its
 * end and looks at the other's only when the ring seems full, or empty. Who finds nothing to do
 * sleeps.
 */
#ifndef CORE_OFFLOAD_H
#define CORE_OFFLOAD_H

#include "core/gate.h"
#include "core/pace.h"
#include "core/replayer.h"
#include "core/workload.h"
#include "os/usage.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

/* An I/O, and when it was to begin. */
struct arrival {
	struct workload_io io;
	uint64_t start;			/* clock_ticks(); 0 where nothing is timed */
	uint64_t intended;		/* clock_ticks(): when a schedule wanted it; 0: none did */
	bool passed;			/* the gate has let it through */
};

/* What a generator is told. All pointers outlive it. */
struct offload_setup {
	/* what comes next is up to these, which are the generator's alone while a pass lasts */
	struct workload *workload;
	struct replayer *replay;	/* or NULL */
	const struct pace_conf *pace;
	struct gate *gate;		/* what arrivals wait for; taken over; or NULL */
	const _Atomic uint32_t *epoch;	/* counting begins anew when it changes */
	uint32_t depth;
	bool timed;			/* arrivals are to be stamped */
};

#define OFFLOAD_LINE	__attribute__((aligned(64)))	/* a cache line of its own */

struct offload {
	struct offload_setup s;
	struct arrival *ring;
	uint32_t room, mask;		/* entries; a power of two */
	uint32_t share;			/* entries taken before the generator is told */
	int event;			/* eventfd(2): the worker's bell */
	pthread_t thread;
	struct pace_think think;
	struct usage before, cost;	/* of the generator's thread */
	uint32_t epoch;			/* as last seen by it */

	OFFLOAD_LINE _Atomic uint32_t tail;	/* written by the generator; it only grows */
	uint32_t tail_own, head_seen;	/* the generator's own */

	OFFLOAD_LINE _Atomic uint32_t head;	/* written by the worker; it only grows */
	uint32_t head_own, tail_seen;	/* the worker's own ... */
	uint32_t unpublished;		/* ... as is how far head_own is ahead of head */

	OFFLOAD_LINE _Atomic uint32_t asleep;	/* the worker wants to hear its bell */
	_Atomic uint32_t full;		/* the generator wants to hear its bell */
	_Atomic uint32_t bell;		/* the generator's: a futex */
	_Atomic uint32_t quit;		/* the generator is to end; a futex */
	_Atomic uint32_t pass;		/* the pass it is to go through */
	_Atomic uint32_t over;		/* the last pass it has gone through */
};

/*
 * offload_start - a generator, waiting for its first pass. Returns NULL with *err -errno: no
 * memory, no thread, no descriptor. On the worker's thread, whose CPUs and priority it inherits.
 */
struct offload *offload_start(const struct offload_setup *s, int *err);

/* offload_pass - go through one pass. The workload stands at its beginning, the ring is empty. */
void offload_pass(struct offload *o);

/*
 * offload_rested - so many ticks until now were spent on what does not arrive. Between two passes.
 */
void offload_rested(struct offload *o, uint64_t ticks);

/*
 * offload_stop - end the generator and forget what has not been taken. Any time. cost: what its
 * thread cost since counting began.
 */
void offload_stop(struct offload *o, struct usage *cost);

/* offload_look - the other end of the ring, for offload_take(). Returns as that. */
int offload_look(struct offload *o);

/* offload_publish - tell the generator how far the worker has come. */
void offload_publish(struct offload *o);

/*
 * offload_take - the next arrival. Returns 1; 0 when the pass is over and all of it has been taken;
 * -EAGAIN when there is none now. The worker's thread, on the I/O path.
 */
fl_inline int offload_take(struct offload *o, struct arrival *next)
{
	if (unlikely(o->head_own == o->tail_seen)) {
		int ret = offload_look(o);

		if (ret <= 0)
			return ret;
	}
	*next = o->ring[o->head_own++ & o->mask];
	if (unlikely(++o->unpublished == o->share))
		offload_publish(o);
	return 1;
}

/*
 * offload_wait - sleep until something arrives, the pass is over, fd (-1: none) is readable, a
 * signal comes, or timeout_ns have passed. Returns whether it was fd. The worker's thread.
 */
bool offload_wait(struct offload *o, int fd, uint64_t timeout_ns);

#endif
