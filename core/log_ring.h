/* SPDX-License-Identifier: MIT */
/*
 * From a worker to the writer of the logs: a ring of entries of one size, in memory that outlives
 * the worker, so that a worker which is killed loses nothing of what it has logged.
 *
 * Each I/O is an entry; or, where latencies are logged by windows, each window. What a window has
 * gathered so far lies in the ring's head, where the writer finds it when the worker has ended,
 * however that came.
 *
 * A full ring holds the worker up between two I/Os, never within one: before it starts an I/O there
 * is room for what all that are in flight will log. How often and how long that was is counted. A
 * window that finds no room goes on instead, until there is some.
 */
#ifndef CORE_LOG_RING_H
#define CORE_LOG_RING_H

#include "core/opt.h"
#include "lib/base.h"
#include "os/clock.h"

#include <stdatomic.h>

#define LOG_LATS	3		/* slat, clat, lat */
#define LOG_WINDOW_ENTRIES	((unsigned)(LOG_LATS * DIRS))	/* that one may end as, at most */

/* An I/O that went well. Stamps in ticks, as the statistics have them. */
struct log_io {
	uint64_t end, start, issue;
	uint64_t offset;
	uint64_t what;			/* log_what() */
};

/* What was gathered in a window. */
struct log_sum {
	uint64_t n, sum, max;		/* ns */
};

/* A window that is over. */
struct log_window {
	uint64_t end;			/* clock_now_ns() of its end */
	struct log_sum sum;
	uint64_t what;			/* latency, 0 to 2, and direction: latency * DIRS + dir */
};

/* What is issued (write_iolog). */
struct log_issue {
	uint64_t at;			/* clock_ticks() */
	uint64_t offset, len;
	uint32_t action;		/* enum iolog_action */
	uint32_t file;			/* index */
};

union log_entry {
	struct log_io io;
	struct log_window window;
	struct log_issue issue;
};

_Static_assert(sizeof(union log_entry) == 40, "five words");

/* Bytes of an I/O (to 2^40), direction and priority in a word, and back. */
fl_inline uint64_t log_what(uint64_t bytes, uint32_t dir, uint32_t prio)
{
	return bytes | (uint64_t)dir << 40 | (uint64_t)prio << 48;
}

fl_inline uint64_t log_what_bytes(uint64_t what)
{
	return what & ((1ull << 40) - 1);
}

fl_inline uint32_t log_what_dir(uint64_t what)
{
	return what >> 40 & 0xff;
}

fl_inline uint16_t log_what_prio(uint64_t what)
{
	return (uint16_t)(what >> 48);
}

#define LOG_LINE	__attribute__((aligned(64)))	/* a cache line of its own */

/* The writer's bell: all workers ring it. */
struct log_bell {
	_Atomic uint32_t rung;		/* a futex */
	_Atomic uint32_t asleep;	/* the writer wants to hear it */
};

struct log_ring {
	/* before the fork */
	struct log_bell *bell;
	uint64_t size, mask;		/* entries; a power of two */
	uint64_t share;			/* a part of them at which the bell is rung, less 1 */
	uint64_t reserve;		/* entries that must be free before I/Os are started */
	uint64_t window_ns;		/* 0: an entry per I/O */
	uint32_t prio;			/* of I/Os that have none of their own */
	_Atomic uint64_t base;		/* clock_ticks() at which write_iolog begins; 0: not yet */

	LOG_LINE _Atomic uint64_t head;	/* the worker's end; it only grows */
	uint64_t tail_seen;
	uint64_t waits, wait_ns;	/* no I/O was started for want of room: how often, long */
	uint64_t wait_since;		/* ticks; 0: it does not wait */
	uint64_t window_next;		/* clock_now_ns() at which the window ends */
	uint64_t deadline_ns;		/* the last one has no other end than the job */
	struct log_sum sum[LOG_LATS][DIRS];	/* gathered in it */

	LOG_LINE _Atomic uint64_t tail;	/* the writer's end; it only grows */
	_Atomic uint32_t full;		/* the worker wants to hear of room ... */
	_Atomic uint32_t room;		/* ... by this futex */

	LOG_LINE union log_entry entries[];
};

#define LOG_ENTRIES_MIN	1024u
#define LOG_BATCH_MAX	64u		/* I/Os that may be put before they are published */

/* log_ring_bytes - what a ring of so many entries (a power of two) takes. */
size_t log_ring_bytes(uint64_t entries);

/*
 * log_ring_init - zeroed memory of that size becomes a ring. depth: I/Os in flight at most; there
 * are at least four times as many entries, and LOG_ENTRIES_MIN.
 */
void log_ring_init(struct log_ring *r, struct log_bell *bell, uint64_t entries, uint32_t depth,
		   uint64_t window_ns);

/* ---- The worker's end ------------------------------------------------------------------------ */

/*
 * log_ring_start - counting begins at start_ns, by clock_now_ns(), and ends soon after deadline_ns;
 * UINT64_MAX: that is not known.
 */
void log_ring_start(struct log_ring *r, uint64_t start_ns, uint64_t deadline_ns);

/* log_ring_gather - log_ring_put() where latencies are logged by windows. */
void log_ring_gather(struct log_ring *r, const struct log_io *io);

/*
 * log_ring_put - an I/O that went well, the i-th (below LOG_BATCH_MAX) of those that are published
 * together. Outside of any I/O of a synchronous engine.
 */
fl_inline void log_ring_put(struct log_ring *r, uint32_t i, const struct log_io *io)
{
	uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);

	if (unlikely(r->window_ns))
		log_ring_gather(r, io);
	else
		r->entries[(head + i) & r->mask].io = *io;
}

/* log_ring_publish - these n have been put; the writer may have them. */
void log_ring_publish(struct log_ring *r, uint32_t n);

/*
 * log_ring_room - may as many I/Os as there are slots, or a batch of them, be started? Where there
 * is no room, the writer hears of it.
 */
bool log_ring_room(struct log_ring *r);

/*
 * log_ring_expect - there is no room: *word is a futex that is no longer what is returned when
 * there may be some.
 */
uint32_t log_ring_expect(struct log_ring *r, _Atomic uint32_t **word);

/* log_ring_issue - put one that starts, and publish it. There is room. */
fl_inline void log_ring_issue(struct log_ring *r, const struct log_issue *issue)
{
	uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);

	r->entries[head & r->mask].issue = *issue;
	log_ring_publish(r, 1);
}

/* log_ring_wait - sleep until there is room, a signal comes, or timeout_ns have passed. */
void log_ring_wait(struct log_ring *r, uint64_t timeout_ns);

/* log_ring_end - no more I/Os will be started. */
void log_ring_end(struct log_ring *r);

/*
 * log_ring_inherit - the worker has died, and the caller is at its end from now on. Are n entries
 * free?
 */
bool log_ring_inherit(struct log_ring *r, uint64_t n);

/* ---- The writer's end ------------------------------------------------------------------------ */

/* log_ring_ready - how many entries there are, from log_ring_at(r, 0) on. */
fl_inline uint64_t log_ring_ready(const struct log_ring *r)
{
	return atomic_load_explicit(&r->head, memory_order_acquire) -
	       atomic_load_explicit(&r->tail, memory_order_relaxed);
}

fl_inline const union log_entry *log_ring_at(const struct log_ring *r, uint64_t i)
{
	return &r->entries[(atomic_load_explicit(&r->tail, memory_order_relaxed) + i) & r->mask];
}

/* log_ring_drop - the first n of them have been written. */
void log_ring_drop(struct log_ring *r, uint64_t n);

/* log_bell_ring - from any process. */
void log_bell_ring(struct log_bell *b);

/* log_bell_wait - sleep until it has been rung since `seen`, or timeout_ns have passed. */
void log_bell_wait(struct log_bell *b, uint32_t seen, uint64_t timeout_ns);

#endif
