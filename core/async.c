/* SPDX-License-Identifier: MIT */
/* The rarer things that happen to requests in flight. */
#include "core/async.h"

#include <errno.h>

#define BATCH_NS	1000000ull	/* what has been completed is counted after so long */

void async_end_failed(struct async *a)
{
	a->why = LOOP_FAILED;
	a->ended = true;
}

/* The queue itself has failed: what it holds is lost. */
void async_dead(struct async *a, int err)
{
	worker_queue_error(a->w, err);
	a->w->in_flight = 0;
	a->queued = 0;
	a->held_first = NULL;
	async_end_failed(a);
}

/* One I/O failed; the job may go on. */
void async_fail(struct async *a, const struct io *io, int err)
{
	if (worker_io_error(a->w, &io->req, io->moved, err))
		async_end_failed(a);
}

/* Judge what was read, or have it judged. Returns whether its slot is free again. */
bool async_verify(struct async *a, const struct io *io)
{
	struct worker *w = a->w;

	if (w->judges) {
		/* what it brought is in its buffer: others may change what is in the file */
		if (w->board)
			overlap_release(w->board, w->board_first + io->req.slot);
		worker_give(w, io);
		return false;
	}
	if (worker_check(w, io))
		async_end_failed(a);
	return true;
}

bool async_take_judged(struct async *a, bool wait)
{
	struct io *io = NULL;
	bool ends = false, any = false;

	while ((io = worker_take(a->w, wait, &ends))) {
		async_put_free(a->w, io);
		any = true;
		wait = false;
	}
	if (ends)
		async_end_failed(a);
	return any;
}

static void check_limit(struct async *a, const struct io *io)
{
	uint64_t ns = clock_ns(a->now - io->start), limit;

	limit = io->req.op < DIRS ? a->w->job->faults.max_latency_ns.v[io->req.op] : 0;
	if (!limit || ns <= limit)
		return;
	worker_too_slow(a->w, io, ns);
	async_end_failed(a);
}

/* What few jobs ask of each I/O. ok: it was counted. */
void async_watch(struct async *a, const struct io *io, bool ok)
{
	struct prios *p = a->w->setup->prios;

	if (ok)
		worker_back(a->w, io, 0);
	if (p && ok && io->req.op <= FL_OP_WRITE)
		prios_add(p, io->req.op, io->req.prio,
			  clock_ns(a->now - (p->total ? io->start : io->issue)));
	if (a->w->trail && ok)
		trail_done(a->w->trail, io->req.file, io->req.op, io->req.offset - io->moved,
			   io->want);
	if (a->w->log && ok && io->req.op < DIRS)
		worker_log(a->w, io, a->now);
	if (a->w->setup->lives && ok)
		lifetimes_done(a->w->setup->lives, io->req.file->index, io->req.op,
			       io->req.offset - io->moved, io->want, true);
	if (a->w->gated)
		worker_gate_done(a->w, io, a->now, ok ? 0 : -EIO);
	if (a->w->limited)
		check_limit(a, io);
}

void async_count_batch(struct async *a)
{
	stats_count(a->b);
	a->count_due = a->now + clock_ns_to_ticks(BATCH_NS);
}

/* What most jobs do not do: a sync, or an I/O that nobody times. */
void async_count_other(struct async *a, const struct io *io)
{
	struct worker_block *b = a->b;

	if (io->req.op < DIRS) {
		b->dir[io->req.op].done_ios++;
		b->dir[io->req.op].bytes += io->want;
		return;
	}
	b->sync_ios++;
	if (!a->w->timed)
		return;
	lat_add(&b->sync, clock_ns(a->now - io->issue));
	if (a->now - io->start > b->sync_slow_floor)
		worker_slow(a->w, io, a->now, 0);
}

/* An operation that is over is none when it was not done because the job is to stop. */
static bool was_none(struct async *a, int err)
{
	if (err == -ECANCELED && a->cancel.asked) {
		a->cancel.ios++;
		return true;
	}
	return err == -EINTR;
}

static void lose(struct async *a, struct io *io, int err)
{
	if (a->w->timed)
		worker_slow(a->w, io, a->now, -err);
	async_fail(a, io, err);
}

/* A request is the runner's again that has failed, or moved less than it should. */
void async_finish_odd(struct async *a, struct io *io)
{
	struct worker *w = a->w;
	int err = io->req.res < 0 ? (int)io->req.res : 0;

	/* A signal cut it off before it had done anything, or there is a rest of it. */
	if ((err == -EINTR && !atomic_load(&a->b->stop)) || (!err && worker_short(w, io, &err))) {
		err = w->prep ? a->q->engine->prep(a->q, &io->req) : 0;
		if (err >= 0) {
			async_start(a, io);
			return;
		}
	}
	async_file(io)->busy--;
	worker_back(w, io, err);
	if (was_none(a, err))
		a->b->dir[io->req.op < DIRS ? io->req.op : DIR_READ].ios -= io->req.op < DIRS;
	else
		lose(a, io, err);
	if (a->watched)
		async_watch(a, io, false);
	async_put_free(w, io);
}

/* The queue is full: these requests are the first to be handed over when it has room again. */
static void hold(struct async *a, struct io *io)
{
	io->next = NULL;
	if (a->held_first)
		a->held_last->next = io;
	else
		a->held_first = io;
	a->held_last = io;
}

/* queue() has not kept the request: it is done at once, the queue is full, or dead. */
void async_start_odd(struct async *a, struct io *io, int ret)
{
	struct worker *w = a->w;

	if (ret == -EAGAIN) {
		hold(a, io);
		return;
	}
	if (io->req.op < DIRS && !io->moved)
		a->b->dir[io->req.op].ios++;
	if (ret < 0) {
		async_file(io)->busy--;
		async_put_free(w, io);
		async_dead(a, ret);
		return;
	}
	if (w->timed || w->deadline != UINT64_MAX)
		a->b->beat_ticks = a->now = clock_ticks();
	if (!w->offload)	/* it never waited: all of it is completion */
		io->issue = io->start;
	a->b->submit[batch_bucket(1)]++;
	a->b->complete[batch_bucket(1)]++;
	async_finish(a, io, false);
}

void async_start(struct async *a, struct io *io)
{
	async_hand_over(a, io, false);
}

/* Hand over what was refused, in order, until the queue is full again. */
void async_retry_held(struct async *a)
{
	struct io *io, *rest = a->held_first;

	a->held_first = NULL;
	a->fresh = false;
	while (rest && !a->held_first) {
		io = rest;
		rest = rest->next;
		async_start(a, io);
	}
	while (rest) {
		io = rest;
		rest = rest->next;
		hold(a, io);
	}
}

/* Nothing came back, and why. */
unsigned async_reap_none(struct async *a, int n, int64_t timeout_ns)
{
	struct worker *w = a->w;

	if (n < 0 && n != -EINTR) {
		async_dead(a, n);
		return 0;
	}
	if (w->timed || w->deadline != UINT64_MAX)
		a->now = clock_ticks();
	/* A look between two arrivals was not asked for by any setting. */
	a->b->complete[0] += w->in_flight && !n && timeout_ns != ASYNC_LOOK_NS && !a->looking;
	return 0;
}

unsigned async_reap_for(struct async *a, uint32_t min, uint32_t max, int64_t timeout_ns)
{
	return async_reap(a, min, max, timeout_ns, false);
}

void async_commit_rest(struct async *a)
{
	async_commit(a, false);
}
