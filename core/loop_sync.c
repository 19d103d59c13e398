/* SPDX-License-Identifier: MIT */
/*
 * The loops for engines that finish each request before queue() returns. One request, used again
 * and again; what depends only on the settings is a constant in each of the variants below, so that
 * none tests what it need not.
 *
 * The plain loop is for jobs where nothing but the choice of an offset lies between one I/O and the
 * next. One reading of the clock then ends an I/O and begins the next. The readings are only kept,
 * and counted a batch at a time, outside of any I/O.
 */
#include "core/loop.h"

#include <errno.h>

#define TIMED	1u	/* latencies are measured */
#define PREP	2u	/* the engine has a prep hook: start and issue are two stamps */
#define LOGGED	4u	/* each I/O goes to a log */

/* Count one I/O that went well. */
fl_inline void record(struct worker *w, const struct io *io, uint64_t end, const unsigned variant)
{
	struct dir_stats *d = &w->b->dir[io->req.op];

	d->ios++;
	d->done_ios++;
	d->bytes += io->want;
	if (!(variant & TIMED))
		return;
	lat_add(&d->clat, clock_ns(end - io->issue));
	if (variant & PREP)
		lat_add(&d->lat, clock_ns(end - io->start));
	if (unlikely(end - io->start > d->slow_floor))
		worker_slow(w, io, end, 0);
}

static void record_sync(struct worker *w, const struct io *io, uint64_t end, bool timed)
{
	struct worker_block *b = w->b;

	b->sync_ios++;
	if (!timed)
		return;
	lat_add(&b->sync, clock_ns(end - io->issue));
	if (unlikely(end - io->start > b->sync_slow_floor))
		worker_slow(w, io, end, 0);
}

/* Time between two I/Os that belongs to none of them. Returns whether any passed. */
static bool think(struct worker *w)
{
	uint64_t took;

	if (!pace_thinks(&w->job->pace) || !pace_think_due(&w->job->pace, &w->think, 1))
		return false;
	took = pace_think(&w->job->pace, &w->think, 1, worker_deadline_ns(w), &w->b->stop);
	if (w->gate)
		gate_pause(w->gate, took, false);
	return true;
}

fl_inline bool stopped(const struct worker *w)
{
	return atomic_load_explicit(&w->b->stop, memory_order_relaxed);
}

/*
 * An I/O failed. Returns LOOP_PASS if the job goes on. One that a signal interrupted because the
 * job is to stop was none.
 */
static enum loop_end failed(struct worker *w, const struct io *io, uint64_t end, int err)
{
	if (err == -EINTR && stopped(w))
		return LOOP_STOP;
	if (io->req.op < DIRS)
		w->b->dir[io->req.op].ios++;
	worker_back(w, io, err);
	if (w->timed)
		worker_slow(w, io, end, -err);
	return worker_io_error(w, &io->req, io->moved, err) ? LOOP_FAILED : LOOP_PASS;
}

/* max_latency: was this I/O too slow? */
static bool too_slow(struct worker *w, const struct io *io, uint64_t end)
{
	uint64_t ns = clock_ns(end - io->start), limit;

	limit = io->req.op < DIRS ? w->job->faults.max_latency_ns.v[io->req.op] : 0;
	if (!limit || ns <= limit)
		return false;
	worker_too_slow(w, io, ns);
	return true;
}

/*
 * What only some jobs do with an I/O that has ended. err: 0, or why it failed. Returns false if the
 * job ends with it. *now moves on where time has passed.
 */
static bool watch(struct worker *w, const struct io *io, int err, uint64_t *now)
{
	if (w->trail && !err)
		trail_done(w->trail, io->req.file, io->req.op, io->req.offset - io->moved,
			   io->want);
	if (w->log && !err && io->req.op < DIRS)
		worker_log(w, io, *now);
	if (w->setup->lives && !err)
		lifetimes_done(w->setup->lives, io->req.file->index, io->req.op,
			       io->req.offset - io->moved, io->want, true);
	if (w->gated)
		worker_gate_done(w, io, *now, err);
	if (w->limited && too_slow(w, io, *now))
		return false;
	if (w->log && unlikely(!log_ring_room(w->log))) {
		worker_log_wait(w);
		*now = clock_ticks();
	}
	return true;
}

/* One trip through prep and queue. Returns 0, or -errno of the request or of the queue. */
fl_inline int perform(struct worker *w, struct io *io, const unsigned variant)
{
	struct fl_queue *q = &w->hq.q;
	int ret;

	if (variant & PREP) {
		ret = q->engine->prep(q, &io->req);
		if (unlikely(ret < 0))
			return ret;
		if (variant & TIMED && !io->moved)
			io->issue = clock_ticks();
	}
	ret = q->engine->queue(q, &io->req);
	while (unlikely(ret == FL_DONE && io->req.res == -EINTR) && !stopped(w)) {
		ret = variant & PREP ? q->engine->prep(q, &io->req) : 0;
		if (ret < 0)
			return ret;
		ret = q->engine->queue(q, &io->req);
	}
	if (likely(ret == FL_DONE))
		return io->req.res < 0 ? (int)io->req.res : 0;
	if (ret > 0 || ret == -EAGAIN)
		return worker_broken(w, "queue() of a synchronous queue must finish each request: "
				     "it answered %d", ret);
	return ret;
}

/* The rest of an I/O that came back short, until it is whole. */
static int perform_rest(struct worker *w, struct io *io, const unsigned variant)
{
	int err = 0;

	while (worker_short(w, io, &err)) {
		err = perform(w, io, variant);
		if (err || (uint64_t)io->req.res == io->req.len)
			break;
	}
	return err;
}

/* verify_async: others judge what is in this slot; go on with another one. */
static bool have_judged(struct worker *w, struct io **io)
{
	struct io *back;
	bool ends = false;

	worker_give(w, *io);
	while ((back = worker_take(w, !w->free, &ends))) {
		back->next = w->free;
		w->free = back;
	}
	*io = w->free;
	w->free = (*io)->next;
	return ends;
}

/* Nothing is left to be judged when the loop comes back. */
static void end_judging(struct worker *w, enum loop_end *why)
{
	struct io *back;
	bool ends = false;

	while ((back = worker_take(w, true, &ends))) {
		back->next = w->free;
		w->free = back;
	}
	if (ends)
		*why = LOOP_FAILED;
}

/*
 * An I/O of a job that verifies has gone well. *io is the one to go on with. Returns whether the
 * job ends with it.
 */
static bool verified(struct worker *w, struct io **io)
{
	worker_back(w, *io, 0);
	if (!(*io)->verify)
		return false;
	return w->judges ? have_judged(w, io) : worker_check(w, *io);
}

/* ---- The loop for everything ----------------------------------------------------------------- */

/* What a gate says about the next I/O, which is kept where it says "not yet". */
static enum gate_says pass_gate(struct worker *w, struct io *io, struct workload_io *next,
				enum loop_end *why)
{
	struct gate_ask ask = { .io = next };
	enum gate_says says = gate_wait(w->gate, &ask, w->deadline, &w->b->stop);

	switch (says) {
	case GATE_OPEN:
		io->intended = gate_start(w->gate, &ask);
		return says;
	case GATE_SHUT:
		worker_ended(w, clock_ticks(), why);
		break;
	case GATE_END:
		*why = worker_gate_end(w);
		break;
	case GATE_DROP:
		return worker_ended(w, clock_ticks(), why) ? GATE_END : says;
	}
	w->waiting.io = *next;
	w->has_waiting = true;
	return says;
}

/*
 * The next I/O of a job with a gate, when that lets it start. Returns false when the loop is to end
 * for *why; an I/O that has been chosen by then is kept.
 */
static __attribute__((noinline)) bool next_gated(struct worker *w, struct io *io,
						 struct workload_io *next,
						 enum loop_end *why)
{
	enum gate_says says;

	do {
		if (w->has_waiting)
			*next = w->waiting.io;
		else if (!worker_choose(w, next))
			return false;
		w->has_waiting = false;
		says = pass_gate(w, io, next, why);
	} while (says == GATE_DROP);
	return says == GATE_OPEN;
}

/* What comes next. False: the pass is over, or the loop ends for *why. */
fl_inline bool take_next(struct worker *w, struct io *io, struct workload_io *next,
			 enum loop_end *why)
{
	return likely(!w->gate) ? worker_next(w, next) : next_gated(w, io, next, why);
}

fl_inline enum loop_end run_one(struct worker *w, struct io **slot, const unsigned variant)
{
	struct worker_block *b = w->b;
	struct io *io = *slot;
	struct workload_io next = { 0 };
	enum loop_end why = LOOP_PASS;
	uint64_t end = 0;
	int err;

	while (take_next(w, io, &next, &why)) {
		if (unlikely(worker_load(w, io, &next)))
			return LOOP_FAILED;
		io->req.buf = buffers_at(&w->buffers, io->req.slot);
		if (w->fill && (next.op == FL_OP_WRITE || next.op == FL_OP_TRIM))
			worker_fill(w, io->req.buf, io->req.slot, &next);
		if (variant & TIMED)
			io->start = io->issue = clock_ticks();
		err = perform(w, io, variant);
		if (unlikely(!err && (uint64_t)io->req.res != next.len && next.op < DIRS))
			err = perform_rest(w, io, variant);
		if (variant & TIMED || w->deadline != UINT64_MAX)
			end = clock_ticks();
		b->beat_ticks = end;
		if (unlikely(err)) {
			why = failed(w, io, end, err);
			if (why != LOOP_PASS)
				break;
		} else if (likely(next.op < DIRS))
			record(w, io, end, variant);
		else
			record_sync(w, io, end, variant & TIMED);
		if (unlikely(w->watched) && !watch(w, io, err, &end))
			return LOOP_FAILED;
		if (unlikely(w->verify) && !err) {
			bool ends = verified(w, slot);

			io = *slot;
			if (ends)
				return LOOP_FAILED;
		}
		if (worker_ended(w, end, &why))
			break;
		if (think(w) && worker_ended(w, clock_ticks(), &why))
			break;
	}
	return why;
}

/* With one slot, or, where others judge what is read, with one at a time. */
fl_inline enum loop_end run(struct worker *w, const unsigned variant)
{
	struct io *io = w->free;
	enum loop_end why;

	w->free = io->next;
	why = run_one(w, &io, variant);
	io->next = w->free;
	w->free = io;
	if (w->judges)
		end_judging(w, &why);
	return why;
}

/* ---- The plain loop -------------------------------------------------------------------------- */

#define BATCH_NS	1000000ull	/* a batch is counted after so long, full or not */

/* Returns when the batch is to be counted at the latest. */
fl_inline uint64_t batch_begin(struct stats_batch *bt)
{
	bt->start[0] = clock_ticks();
	return bt->start[0] + clock_ns_to_ticks(BATCH_NS);
}

/* Count the batch, log it, and have room for another one. */
fl_inline void batch_end(struct worker *w, const unsigned variant)
{
	if (variant & LOGGED)
		stats_log(w->b, w->log);
	stats_count(w->b);
	if (!(variant & LOGGED))
		return;
	stats_log_begin(w->b, w->log);
	if (unlikely(!log_ring_room(w->log)))
		worker_log_wait(w);
}

fl_inline enum loop_end run_plain(struct worker *w, const unsigned variant)
{
	struct worker_block *b = w->b;
	struct io *io = &w->ios[0];
	struct stats_batch *bt = &b->batch;
	struct workload_io next = { 0 };
	enum loop_end why = LOOP_PASS;
	uint64_t now, due;
	int err = 0;

	bt->n = 0;
	bt->form = variant & PREP ? STATS_CHAIN_PREP : STATS_CHAIN;
	bt->dirs = 1u << w->wl.one_dir;
	bt->len = w->wl.block_min;
	if (variant & LOGGED)
		stats_log_begin(b, w->log);
	due = batch_begin(bt);
	while (workload_simple(&w->wl, &next)) {
		if (unlikely(worker_load(w, io, &next))) {
			why = LOOP_FAILED;
			break;
		}
		io->req.buf = w->buffers.base;
		err = perform(w, io, variant);
		if (unlikely(!err && (uint64_t)io->req.res != next.len))
			err = perform_rest(w, io, variant);
		now = clock_ticks();
		b->beat_ticks = now;
		if (unlikely(err)) {
			io->start = bt->start[bt->n];
			why = failed(w, io, now, err);
			if (why != LOOP_PASS || worker_ended(w, now, &why))
				break;
			batch_end(w, variant);
			due = batch_begin(bt);
			continue;
		}
		if (variant & PREP)
			bt->issue[bt->n] = io->issue;
		bt->offset[bt->n] = next.offset;
		bt->start[bt->n + 1] = now;
		__atomic_store_n(&bt->n, bt->n + 1, __ATOMIC_RELEASE);
		if (worker_ended(w, now, &why))
			break;
		if (unlikely(bt->n == STATS_BATCH || now >= due)) {
			batch_end(w, variant);
			due = batch_begin(bt);
			if (variant & LOGGED && worker_ended(w, bt->start[0], &why))
				break;	/* there may have been a wait */
		}
	}
	batch_end(w, variant);
	return why;
}

/* ---- Which one ------------------------------------------------------------------------------- */

/* Each a function of its own: together in one, they would share its registers. */
#define VARIANT(name, body, flags)							\
	static __attribute__((noinline)) enum loop_end name(struct worker *w)		\
	{										\
		return body(w, flags);							\
	}

VARIANT(plain, run_plain, TIMED)
VARIANT(plain_prep, run_plain, TIMED | PREP)
VARIANT(logged, run_plain, TIMED | LOGGED)
VARIANT(logged_prep, run_plain, TIMED | PREP | LOGGED)
VARIANT(timed, run, TIMED)
VARIANT(timed_prep, run, TIMED | PREP)
VARIANT(untimed, run, 0)
VARIANT(untimed_prep, run, PREP)

enum loop_end loop_sync(struct worker *w)
{
	bool is_plain = w->wl.simple && !w->source && !w->trail && !w->limited &&
			!w->setup->lives && !pace_thinks(&w->job->pace) && !w->gate &&
			!(w->fill && w->wl.one_dir == DIR_WRITE);

	if (!w->timed)
		return w->prep ? untimed_prep(w) : untimed(w);
	if (is_plain && w->log)
		return w->prep ? logged_prep(w) : logged(w);
	if (is_plain)
		return w->prep ? plain_prep(w) : plain(w);
	return w->prep ? timed_prep(w) : timed(w);
}
