/* SPDX-License-Identifier: MIT */
/*
 * The loop for engines that keep requests in flight.
 *
 * Fill the queue up to iodepth, handing iodepth_batch requests to the kernel at a time; when it is
 * full wait for at least iodepth_batch_complete_min, and go on reaping until no more than
 * iodepth_low are left. Where that minimum is 0 nothing is ever waited for: each submission is
 * followed by a look. With the defaults that is: one submission per I/O, and one wait per I/O once
 * the queue is full.
 *
 * The next I/O is chosen here, or has arrived from a generator (offload.h). Where overlaps are
 * serialized, one that overlaps what is in flight is put aside, and comes first when something has
 * been completed.
 */
#include "core/async.h"
#include "core/loop.h"

#include <errno.h>

#define WAIT_NS		100000000ll	/* longest wait without a look at deadline and stop flag */
#define WORD_NS		1000000ull	/* ... at the word that a gate waits for */

/* ---- The next I/O ---------------------------------------------------------------------------- */

/* May it start? If not, it waits. */
static ASYNC_RARE bool pass_gate(struct async *a, struct arrival *next)
{
	struct worker *w = a->w;
	uint64_t intended;

	if (w->setup->zones && a->queued)	/* another may take the zone of that write now */
		async_commit_rest(a);
	a->ask.io = &next->io;
	a->ask.in_flight = w->in_flight;
	switch (gate_ask(w->gate, &a->ask)) {
	case GATE_OPEN:
		next->passed = true;
		intended = gate_start(w->gate, &a->ask);
		if (intended)
			next->intended = intended;
		return true;
	case GATE_SHUT:
		a->shut = true;
		break;
	case GATE_DROP:
		return false;
	case GATE_END:
		a->why = worker_gate_end(w);
		a->ended = true;
		break;
	}
	w->waiting = *next;
	w->has_waiting = true;
	return false;
}

/*
 * The pass is over. Of a job that goes by the clock the next one follows at once: a small file is
 * then no reason for a queue to run empty. Its first I/O goes to *io; false: there is none.
 */
static ASYNC_RARE bool take_over(struct async *a, struct workload_io *io)
{
	struct worker *w = a->w;

	if (!a->endless || !workload_next_pass(&w->wl, true) || !workload_next(&w->wl, io))
		return false;
	w->b->passes++;
	return true;
}

static ASYNC_RARE bool take_special(struct async *a, struct arrival *next)
{
	struct worker *w = a->w;
	int ret = 1;

	if (w->log && unlikely(!log_ring_room(w->log))) {
		a->full = true;
		return false;
	}
	if (w->judges) {
		async_take_judged(a, false);
		if (unlikely(a->ended))
			return false;
	}
	if (w->has_waiting) {
		*next = w->waiting;
		w->has_waiting = false;
	} else if (w->offload) {
		ret = offload_take(w->offload, next);
		if (ret > 0 && w->verify)
			verifier_arrived(w->verify, &next->io);
	} else {
		ret = worker_choose(w, &next->io) || take_over(a, &next->io);
	}
	a->idle = ret < 0;
	if (!ret)
		a->ended = true;
	return ret > 0 && (!w->gate || next->passed || pass_gate(a, next));
}

/* What comes next. False: nothing, now or in this pass. */
fl_inline bool take_next(struct async *a, struct arrival *next, const bool plain)
{
	struct workload *wl = &a->w->wl;

	if (!plain && unlikely(a->special))
		return take_special(a, next);
	if (likely(plain ? workload_simple(wl, &next->io) : workload_next(wl, &next->io)) ||
	    take_over(a, &next->io))
		return true;
	a->ended = true;
	return false;
}

/* Put it into a request. Every file that may be open is, if need be: one must be done with. */
static ASYNC_RARE int load_later(struct async *a, struct io *io, const struct workload_io *next)
{
	int err = -EBUSY;

	while (err == -EBUSY && a->w->in_flight) {
		async_commit_rest(a);
		async_reap_for(a, 1, 1, WAIT_NS);
		async_retry_held(a);
		err = worker_load(a->w, io, next);
	}
	return err;
}

static ASYNC_RARE void fail_start(struct async *a, struct io *io, int err)
{
	if (io->req.op < DIRS)
		a->w->b->dir[io->req.op].ios++;
	async_file(io)->busy--;
	worker_back(a->w, io, err);
	if (a->w->gate)
		worker_gate_done(a->w, io, a->now, err);
	async_put_free(a->w, io);
	async_fail(a, io, err);
}

/* serialize_overlap: may this I/O join those in flight? Then it counts as one of them. */
static ASYNC_RARE bool may_start(struct async *a, const struct io *io)
{
	const struct worker *w = a->w;
	struct overlap_range range;

	if (io->req.op >= DIRS)
		return true;
	range = (struct overlap_range){
		.file = w->setup->board ? async_file(io)->id : io->req.file->index,
		.lo = io->req.offset, .hi = io->req.offset + io->req.len,
		.write = io->req.op != FL_OP_READ,
	};
	return overlap_claim(w->board, w->board_first + io->req.slot, &range, &a->overlaps_seen);
}

/* Choose the next I/O and start it. False: there is none, or it could not be started. */
fl_inline bool start_next(struct async *a, const bool plain)
{
	struct worker *w = a->w;
	struct arrival next = { .intended = 0 };
	struct io *io = w->free;
	int err;

	if (!take_next(a, &next, plain))
		return false;
	w->free = io->next;
	err = worker_load(w, io, &next.io);
	if (unlikely(err == -EBUSY))
		err = load_later(a, io, &next.io);
	if (unlikely(err)) {
		async_put_free(w, io);
		async_end_failed(a);
		return false;
	}
	if (!plain && unlikely(w->board != NULL) && !may_start(a, io)) {
		async_put_free(w, io);
		w->waiting = next;
		w->has_waiting = a->overlaps = true;
		return false;
	}
	io->req.buf = buffers_at(&w->buffers, io->req.slot);
	if (!plain && w->fill && (next.io.op == FL_OP_WRITE || next.io.op == FL_OP_TRIM))
		worker_fill(w, io->req.buf, io->req.slot, &next.io);
	async_file(io)->busy++;
	if (!plain)
		io->intended = next.intended;
	if (a->fresh)
		io->start = a->now;
	else if (!plain && unlikely(w->offload))
		io->start = next.start;
	else
		io->start = plain || w->timed ? clock_ticks() : 0;
	a->fresh = false;
	if (unlikely(w->prep)) {
		err = a->q->engine->prep(a->q, &io->req);
		if (err < 0) {
			fail_start(a, io, err);
			return false;
		}
	}
	async_hand_over(a, io, plain);
	a->b->depth[depth_bucket(w->in_flight)]++;
	return !a->held_first;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* All in flight comes back, so that no latency holds a pause. Returns how many that were. */
static ASYNC_RARE unsigned settle(struct async *a)
{
	struct worker *w = a->w;
	unsigned done = 0;

	async_commit_rest(a);
	while (w->in_flight && !a->ended) {
		done += async_reap_for(a, 1, w->in_flight, WAIT_NS);
		async_look_at_time(a);
	}
	return done;
}

/* So many I/Os more were issued or completed; a pause may be due. What is in flight goes first. */
static ASYNC_RARE void think(struct async *a, unsigned ios)
{
	struct worker *w = a->w;
	unsigned more;
	uint64_t took;

	if (!pace_think_due(&w->job->pace, &w->think, ios))
		return;
	more = w->think.due ? settle(a) : 0;	/* cycles are burnt beside what is in flight */
	more = a->think_complete ? more : 0;
	stats_count(a->b);
	took = pace_think(&w->job->pace, &w->think, ios + more, worker_deadline_ns(w),
			  &w->b->stop);
	pace_think_ahead(&w->job->pace, &w->think, more);
	if (w->gate)
		gate_pause(w->gate, took, false);
	a->now = clock_ticks();
}

/* The gate has something to look at, whether I/Os start or not. */
static ASYNC_RARE void look(struct async *a)
{
	if (a->ended || gate_look(a->w->gate, a->now) != GATE_END)
		return;
	a->why = worker_gate_end(a->w);
	a->ended = true;
}

/* So many have come back in a wait that was not for them. */
static ASYNC_RARE void came_back(struct async *a, unsigned done)
{
	if (a->think_complete)
		think(a, done);
	if (a->w->gate && a->now >= a->w->gate->look_at)
		look(a);
}

/* Take back what the settings say, and look at the time. */
fl_inline void take(struct async *a, const bool plain)
{
	struct worker *w = a->w;
	uint32_t min = fl_min(a->complete_min, w->in_flight);
	unsigned done = async_reap(a, min, fl_min(a->complete_max, w->in_flight), min ? WAIT_NS : 0,
			     plain);

	if (!plain && a->think_complete)
		think(a, done);
	if (!plain && a->w->gate && a->now >= a->w->gate->look_at)
		look(a);
	async_look_at_time(a);
}

/* The same after each submission, where nothing is ever waited for. */
static ASYNC_RARE void take_at_once(struct async *a)
{
	take(a, false);
}

fl_inline void fill_queue(struct async *a, const bool plain)
{
	struct worker *w = a->w;

	if (unlikely(a->held_first != NULL))
		async_retry_held(a);
	while (!a->ended && !a->held_first && w->free && w->in_flight < a->depth) {
		if (!start_next(a, plain))
			break;
		if (a->queued >= a->batch) {
			async_commit(a, plain);
			if (unlikely(!a->complete_min))
				take_at_once(a);
		}
		if (!plain && a->think_issue)
			think(a, 1);
		async_look_at_time(a);
	}
	if (unlikely(a->queued))
		async_commit_rest(a);
}

fl_inline void drain(struct async *a, const bool plain)
{
	do {
		if (unlikely(a->queued))
			async_commit_rest(a);
		take(a, plain);
	} while (a->w->in_flight > a->low && !a->ended);
}

/* How long to sleep before the deadline and the stop flag are looked at. */
static uint64_t patience(const struct worker *w, uint64_t now)
{
	if (w->deadline == UINT64_MAX || now >= w->deadline)
		return WAIT_NS;
	return fl_min(clock_ns(w->deadline - now), (uint64_t)WAIT_NS);
}

/* There is room, and nothing has arrived: wait for an arrival or a completion. */
static ASYNC_RARE void wait_arrival(struct async *a)
{
	struct worker *w = a->w;
	uint32_t max = fl_min(a->complete_max, w->in_flight);
	int fd = w->hq.q.poll_fd;
	unsigned done = 0;

	a->idle = false;
	if (w->in_flight && fd < 0)
		done = async_reap_for(a, 1, max, ASYNC_LOOK_NS);
	else if (offload_wait(w->offload, w->in_flight ? fd : -1, patience(w, clock_ticks())))
		done = async_reap_for(a, 0, max, 0);
	a->now = clock_ticks();
	came_back(a, done);
}

/* There is room, but the gate is shut: wait until it may be open, or for a completion. */
static ASYNC_RARE void wait_gate(struct async *a)
{
	struct worker *w = a->w;
	uint64_t before = clock_ticks(), ns = gate_patience(w->gate, &a->ask, before), took;
	unsigned done = 0;

	a->shut = false;
	if (w->in_flight) {
		a->looking = true;
		ns = fl_min(ns, a->ask.word ? WORD_NS : patience(w, before));
		done = async_reap_for(a, ns ? 1 : 0, fl_min(a->complete_max, w->in_flight),
				      (int64_t)ns);
		a->looking = false;
		took = clock_ns(clock_ticks() - before);
		if (ns && !done && took >= ns)
			gate_woke(w->gate, ns, took);
	} else {
		gate_sleep(w->gate, &a->ask, w->deadline, &w->b->stop);
	}
	a->now = clock_ticks();
	came_back(a, done);
}

/* There is room in the queue, but none in the log. What is in flight has its place there. */
static ASYNC_RARE void wait_log(struct async *a)
{
	struct worker *w = a->w;

	unsigned done = 0;

	a->full = false;
	if (w->in_flight)
		done = async_reap_for(a, 1, fl_min(a->complete_max, w->in_flight), ASYNC_LOOK_NS);
	else
		log_ring_wait(w->log, patience(w, clock_ticks()));
	a->now = clock_ticks();
	came_back(a, done);
}

/* There is room, but the next I/O overlaps one in flight: wait for that one, or for any of ours. */
static ASYNC_RARE void wait_overlap(struct async *a)
{
	struct worker *w = a->w;
	struct overlap *board = w->setup->board;
	unsigned done = 0;

	a->overlaps = false;
	if (w->in_flight)
		done = async_reap_for(a, 1, fl_min(a->complete_max, w->in_flight),
				      board ? ASYNC_LOOK_NS : WAIT_NS);
	else
		overlap_wait(board, a->overlaps_seen, patience(w, clock_ticks()));
	a->now = clock_ticks();
	came_back(a, done);
}

fl_inline void run(struct async *a, const bool plain)
{
	struct worker *w = a->w;

	while (!a->ended) {
		fill_queue(a, plain);
		if (a->ended)
			break;
		if (!plain && unlikely(!w->free && w->judges) && async_take_judged(a, true))
			a->now = clock_ticks();
		else if (likely(w->in_flight >= a->depth || !w->free || a->held_first))
			drain(a, plain);
		else if (!plain && a->shut)
			wait_gate(a);
		else if (!plain && a->full)
			wait_log(a);
		else if (!plain && a->overlaps)
			wait_overlap(a);
		else if (!plain && a->idle)
			wait_arrival(a);
		if (!plain && !w->timed && w->deadline != UINT64_MAX)
			a->now = clock_ticks();
		async_look_at_time(a);
	}
}

/* The two loops. */
static ASYNC_RARE void run_plain(struct async *a)
{
	run(a, true);
}

static ASYNC_RARE void run_any(struct async *a)
{
	run(a, false);
}

/* Whatever is in flight comes back, if the device lets it. */
static void finish_all(struct async *a)
{
	struct worker *w = a->w;
	bool wait = true;

	while (wait && (a->held_first || w->in_flight || a->queued)) {
		unsigned done;

		async_retry_held(a);
		async_commit_rest(a);
		done = async_reap_for(a, fl_min(1u, w->in_flight), fl_max(w->in_flight, 1u),
				      WAIT_NS);
		if (a->why != LOOP_PASS || atomic_load(&a->b->stop))
			wait = cancel_look(&a->cancel, w, a->held_first, done);
	}
	while (w->judges && async_take_judged(a, true))
		;
	cancel_note(&a->cancel, w);
}

enum loop_end loop_async(struct worker *w)
{
	const struct depth_conf *c = &w->job->depth;
	const struct pace_conf *p = &w->job->pace;
	const struct fl_engine *e = w->hq.q.engine;
	struct async a = {
		.w = w, .b = w->b, .q = &w->hq.q, .queue = e->queue, .commit = e->commit,
		.complete = host_completer(&w->hq),
		.depth = c->depth, .low = c->low, .why = LOOP_PASS,
		.batch = fl_min(c->batch, c->depth), .complete_min = c->batch_complete_min,
		.complete_max = fl_max(fl_max(c->batch_complete_max, c->batch_complete_min), 1u),
		.watched = w->watched,
		.special = w->offload || w->board || w->source || w->log || w->gate,
		.endless = p->time_based && !w->offload && !w->source &&
			   !w->job->files.reopen_each_loop && !w->job->files.unlink_each_loop,
		.think_issue = pace_thinks(p) && p->think_at_issue && !w->offload,
		.think_complete = pace_thinks(p) && !p->think_at_issue && !w->offload,
	};

	w->b->batch.form = STATS_SAMPLES;
	w->b->batch.dirs = 0;
	if (w->timed && w->wl.simple && !a.watched && !pace_thinks(p) && !a.special &&
	    !(w->fill && w->wl.one_dir == DIR_WRITE))
		run_plain(&a);
	else
		run_any(&a);
	finish_all(&a);
	stats_count(w->b);
	return a.why;
}
