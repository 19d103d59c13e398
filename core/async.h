/* SPDX-License-Identifier: MIT */
/*
 * What the loop for engines that keep requests in flight (loop_async.c) is made of: requests leave,
 * come back, and are counted.
 *
 * What happens to every I/O is inline. `plain` is a constant in each of the two loops made of it:
 * of a plain job nothing but the choice of an offset lies between a completion and the next start,
 * so that one reading of the clock serves both. What is rare is a call away, because a device that
 * takes some microseconds lets the CPU sleep between two I/Os, and what costs time after that is
 * not the work but each cache line it touches, of code and of data.
 */
#ifndef CORE_ASYNC_H
#define CORE_ASYNC_H

#include "core/cancel.h"
#include "core/worker.h"

#define ASYNC_LOOK_NS	50000ll	/* a wait for what cannot end it: then it is looked at again */
#define ASYNC_RARE	__attribute__((noinline))	/* code that most I/Os do without */

/* What the loop carries from step to step. */
struct async {
	struct worker *w;
	struct worker_block *b;
	struct fl_queue *q;
	int (*queue)(struct fl_queue *q, struct fl_req *req);	/* the engine's hooks */
	int (*commit)(struct fl_queue *q);			/* or NULL */
	host_complete_fn complete;
	uint64_t now;				/* the last reading of the clock */
	uint64_t count_due;			/* when the batch is to be counted */
	struct io *queued_first, *queued_last;	/* taken by queue(), not yet told to the kernel */
	uint32_t queued;
	uint32_t batch, complete_min, complete_max, low, depth;
	bool alone;				/* what is finished is the only one of its reap */
	bool fresh;				/* now may serve as the start of the next I/O */
	bool ended;				/* nothing new is to be started */
	bool endless;				/* a pass begins while the last is in flight */
	bool think_issue, think_complete;	/* pauses are counted by what the loop does */
	bool watched;				/* prios, trail, log, verify, max_latency, gate */
	bool special;				/* offload, serialize_overlap, verify, log, gate */
	bool full;				/* the log has no room for another I/O */
	bool idle;				/* nothing has arrived that could be started */
	bool shut;				/* the gate is, and `ask` says until when */
	bool looking;				/* in a reap that no setting asked for */
	struct gate_ask ask;
	bool overlaps;				/* the next I/O waits for one in flight ... */
	uint32_t overlaps_seen;			/* ... maybe of another job: for overlap_wait() */
	struct io *held_first, *held_last;	/* -EAGAIN: these come first next time, in order */
	enum loop_end why;
	struct cancel cancel;
};

/* ---- What is rare ---------------------------------------------------------------------------- */

/* async_dead - the queue itself has failed: what it holds is lost, and the job ends. */
void async_dead(struct async *a, int err);
/* async_fail - one I/O failed with -errno; the job may go on. */
void async_fail(struct async *a, const struct io *io, int err);
/* async_end_failed - the job ends with what has been noted. */
void async_end_failed(struct async *a);

/* The same as below, where it is not done for every I/O. */
void async_start(struct async *a, struct io *io);
void async_commit_rest(struct async *a);
unsigned async_reap_for(struct async *a, uint32_t min, uint32_t max, int64_t timeout_ns);

/* async_count_batch - count what has come back (stats_count()), not before the next millisecond. */
void async_count_batch(struct async *a);

/* async_retry_held - hand over what was refused, in order, until the queue is full again. */
void async_retry_held(struct async *a);

/*
 * async_take_judged - verify_async: what has been judged is free again; wait: for one at least.
 * Returns whether any was.
 */
bool async_take_judged(struct async *a, bool wait);

/* Parts of the inline functions: what few I/Os need. */
void async_count_other(struct async *a, const struct io *io);
bool async_verify(struct async *a, const struct io *io);
void async_watch(struct async *a, const struct io *io, bool ok);
void async_start_odd(struct async *a, struct io *io, int ret);
void async_finish_odd(struct async *a, struct io *io);
unsigned async_reap_none(struct async *a, int n, int64_t timeout_ns);

/* ---- What every I/O needs -------------------------------------------------------------------- */

/* async_file - what the runner knows of its file. */
fl_inline struct open_file *async_file(const struct io *io)
{
	return container_of(io->req.file, struct open_file, f);
}

/* async_put_free - a slot may be used again. */
fl_inline void async_put_free(struct worker *w, struct io *io)
{
	if (unlikely(w->board != NULL))
		overlap_release(w->board, w->board_first + io->req.slot);
	io->next = w->free;
	w->free = io;
}

/* async_count_done - an I/O that went well. */
fl_inline void async_count_done(struct async *a, const struct io *io, const bool plain)
{
	bool full, slow;

	if (!plain && (io->req.op >= DIRS || !a->w->timed)) {
		async_count_other(a, io);
		return;
	}
	slow = a->now - io->start > a->b->dir[io->req.op].slow_floor;
	if (unlikely(slow))
		worker_slow(a->w, io, a->now, 0);
	full = stats_sample(a->b, io->req.op, io->want, io->issue - io->start,
			    a->now - io->issue);
	if (full)
		async_count_batch(a);
	a->fresh = plain && a->alone && !full && !slow;
}

/* async_finish - a request is the runner's again: w->done has said so. */
fl_inline void async_finish(struct async *a, struct io *io, const bool plain)
{
	struct worker *w = a->w;
	int64_t good = plain || io->req.op < DIRS ? (int64_t)io->req.len : io->req.res;

	if (unlikely(io->req.res != good || good < 0)) {
		async_finish_odd(a, io);
		return;
	}
	async_file(io)->busy--;
	async_count_done(a, io, plain);
	if (!plain && unlikely(a->watched))
		async_watch(a, io, true);
	if (!plain && unlikely(io->verify) && !async_verify(a, io))
		return;
	async_put_free(w, io);
}

/* async_commit - tell the kernel about all that is queued, and stamp what it took. */
fl_inline void async_commit(struct async *a, const bool plain)
{
	int n = (int)a->queued;
	struct io *io = a->queued_first;

	if (!n)
		return;
	if (likely(a->commit != NULL))
		n = a->commit(a->q);
	if (unlikely(n < 0)) {
		async_dead(a, n);
		return;
	}
	fl_assert((uint32_t)n <= a->queued);
	if (plain || a->w->timed)
		a->now = clock_ticks();
	a->b->submit[batch_bucket((unsigned)n)]++;
	a->queued -= (uint32_t)n;
	for (; n; n--, io = io->next)
		io->issue = a->now;
	a->queued_first = io;
	if (a->now >= a->count_due)
		async_count_batch(a);
}

/* async_hand_over - give one request to the engine. */
fl_inline void async_hand_over(struct async *a, struct io *io, const bool plain)
{
	struct worker *w = a->w;
	int ret;

	if (!plain && unlikely(w->offload) && !io->moved)
		io->issue = w->timed ? clock_ticks() : 0;
	ret = a->queue(a->q, &io->req);
	if (unlikely(ret <= FL_DONE)) {
		async_start_odd(a, io, ret);
		return;
	}
	if (io->req.op < DIRS && !io->moved)
		a->b->dir[io->req.op].ios++;
	io->depth = ++w->in_flight;
	io->next = NULL;
	if (a->queued)
		a->queued_last->next = io;
	else
		a->queued_first = io;
	a->queued_last = io;
	a->queued++;
}

/* async_reap - take back between min and max requests, for so long at most. Returns how many. */
fl_inline unsigned async_reap(struct async *a, uint32_t min, uint32_t max, int64_t timeout_ns,
			const bool plain)
{
	struct worker *w = a->w;
	int n = 0;

	a->fresh = false;
	if (likely(w->in_flight))
		n = a->complete(a->q, min, max, timeout_ns, w->done);
	if (unlikely(n > (int)max))
		n = host_too_many(&w->hq, n, max);
	if (unlikely(n <= 0))
		return async_reap_none(a, n, timeout_ns);
	if (plain || w->timed || w->deadline != UINT64_MAX)
		a->now = clock_ticks();
	fl_assert((uint32_t)n <= w->in_flight);
	a->b->beat_ticks = a->now;
	a->b->complete[batch_bucket((unsigned)n)]++;
	w->in_flight -= (uint32_t)n;
	a->alone = n == 1;
	for (int i = 0; i < n; i++)
		async_finish(a, container_of(w->done[i], struct io, req), plain);
	a->alone = false;
	return (unsigned)n;
}

/* async_look_at_time - has the time come, or has the parent said stop? */
fl_inline void async_look_at_time(struct async *a)
{
	if (!a->ended && unlikely(worker_ended(a->w, a->now, &a->why)))
		a->ended = true;
}

#endif
