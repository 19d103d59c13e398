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
 * Of a plain job, where nothing but the choice of an offset lies between a completion and the next
 * start, one reading of the clock serves both. The completion is then counted a little later, when
 * the next I/O has been handed over.
 *
 * The next I/O is chosen here, or has arrived from a generator (offload.h). Where overlaps are
 * serialized, one that overlaps what is in flight is put aside, and comes first when something has
 * been completed.
 */
#include "core/loop.h"

#include <errno.h>

#define WAIT_NS		100000000ll	/* longest wait without a look at deadline and stop flag */
#define LOOK_NS		50000ll		/* the same where what is waited for cannot end the wait */

/* What the loop carries from step to step. */
struct async {
	struct worker *w;
	struct io *queued_first, *queued_last;	/* taken by queue(), not yet told to the kernel */
	uint32_t queued;
	uint32_t batch, complete_min, complete_max, low, depth;
	struct io *held_first, *held_last;	/* -EAGAIN: these come first next time, in order */
	uint64_t now;				/* the last reading of the clock */
	bool plain;				/* nothing lies between completion and start */
	bool alone;				/* what is finished is the only one of its reap */
	bool fresh;				/* now may serve as the start of the next I/O */
	bool late_due;				/* late is to be counted */
	struct io late;				/* only op, want and the stamps are used */
	uint64_t late_now;			/* when it was completed */
	bool watched;				/* each I/O is looked at: max_latency, prios */
	bool special;				/* offload or serialize_overlap */
	bool think_issue, think_complete;	/* pauses are counted by what the loop does */
	bool idle;				/* nothing has arrived that could be started */
	bool overlaps;				/* the next I/O waits for one in flight ... */
	uint32_t overlaps_seen;			/* ... maybe of another job: for overlap_wait() */
	enum loop_end why;
	bool ended;				/* nothing new is to be started */
};

static struct open_file *file_of(const struct io *io)
{
	return container_of(io->req.file, struct open_file, f);
}

static void put_free(struct worker *w, struct io *io)
{
	if (unlikely(w->ranges != NULL) && w->ranges[io->req.slot].hi) {
		w->ranges[io->req.slot].hi = 0;
		if (w->setup->board)
			overlap_release(w->setup->board, w->setup->board_first + io->req.slot);
	}
	io->next = w->free;
	w->free = io;
}

static void count_now(struct async *a, const struct io *io, uint64_t now)
{
	struct worker_block *b = a->w->b;
	struct dir_stats *d;

	if (io->req.op >= DIRS) {
		b->sync_ios++;
		if (a->w->timed)
			lat_add(&b->sync, clock_ns(now - io->issue));
		return;
	}
	d = &b->dir[io->req.op];
	d->done_ios++;
	d->bytes += io->want;
	if (!a->w->timed)
		return;
	lat_add(&d->slat, clock_ns(io->issue - io->start));
	lat_add(&d->clat, clock_ns(now - io->issue));
	lat_add(&d->lat, clock_ns(now - io->start));
}

fl_inline void count_late(struct async *a)
{
	if (!a->late_due)
		return;
	a->late_due = false;
	count_now(a, &a->late, a->late_now);
}

/* An I/O that went well. */
fl_inline void count_done(struct async *a, const struct io *io)
{
	if (!a->plain || !a->alone) {
		count_now(a, io, a->now);
		return;
	}
	a->late.req.op = io->req.op;
	a->late.want = io->want;
	a->late.start = io->start;
	a->late.issue = io->issue;
	a->late_now = a->now;
	a->late_due = a->fresh = true;
}

static void end_failed(struct async *a)
{
	a->why = LOOP_FAILED;
	a->ended = true;
}

/* The queue itself has failed. */
static void dead(struct async *a, int err)
{
	worker_queue_error(a->w, err);
	end_failed(a);
}

/* One I/O failed; the job may go on. */
static void fail(struct async *a, const struct io *io, int err)
{
	if (worker_io_error(a->w, &io->req, io->moved, err))
		end_failed(a);
}

static void check_limit(struct async *a, const struct io *io)
{
	uint64_t ns = clock_ns(a->now - io->start), limit;

	limit = io->req.op < DIRS ? a->w->job->faults.max_latency_ns.v[io->req.op] : 0;
	if (!limit || ns <= limit)
		return;
	worker_too_slow(a->w, io, ns);
	end_failed(a);
}

/* What few jobs ask of each I/O. ok: it was counted. */
static void watch(struct async *a, const struct io *io, bool ok)
{
	struct prios *p = a->w->setup->prios;

	if (p && ok && io->req.op <= FL_OP_WRITE)
		prios_add(p, io->req.op, io->req.prio,
			  clock_ns(a->now - (p->total ? io->start : io->issue)));
	if (a->w->limited)
		check_limit(a, io);
}

static void start_queue(struct async *a, struct io *io);

/* A request is the runner's again. */
static void finish(struct async *a, struct io *io)
{
	struct worker *w = a->w;
	int err = io->req.res < 0 ? (int)io->req.res : 0;

	if (unlikely(err == -EINTR) && !atomic_load(&w->b->stop)) {
		start_queue(a, io);	/* a signal cut it off before it had done anything */
		return;
	}
	if (!err && io->req.op < DIRS && (uint64_t)io->req.res != io->req.len &&
	    worker_short(w, io, &err)) {
		start_queue(a, io);	/* the rest of it */
		return;
	}
	file_of(io)->busy--;
	if (unlikely(err))
		worker_lost(w, io);
	if (unlikely(err == -EINTR))	/* and the job is to stop: it has not been */
		w->b->dir[io->req.op < DIRS ? io->req.op : DIR_READ].ios -= io->req.op < DIRS;
	else if (err)
		fail(a, io, err);
	else
		count_done(a, io);
	if (unlikely(io->verify) && !err &&
	    worker_check(w, io, buffers_at(&w->buffers, io->req.slot)))
		end_failed(a);
	if (unlikely(a->watched))
		watch(a, io, !err);
	put_free(w, io);
}

/* Tell the kernel about all that is queued, and stamp what it took. */
static void commit(struct async *a)
{
	struct fl_queue *q = &a->w->hq.q;
	int n = (int)a->queued;

	if (!a->queued)
		return;
	if (q->engine->commit)
		n = q->engine->commit(q);
	if (n < 0) {
		dead(a, n);
		n = 0;
	}
	fl_assert((uint32_t)n <= a->queued);
	if (a->w->timed)
		a->now = clock_ticks();
	a->w->b->submit[batch_bucket((unsigned)n)]++;
	a->queued -= (uint32_t)n;
	while (n--) {
		a->queued_first->issue = a->now;
		a->queued_first = a->queued_first->next;
	}
	count_late(a);
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

/*
 * Hand one request to the engine; it may be done at once, kept, or refused because the queue is
 * full.
 */
static void start_queue(struct async *a, struct io *io)
{
	struct worker *w = a->w;
	struct fl_queue *q = &w->hq.q;
	int ret;

	if (unlikely(w->offload) && !io->moved)
		io->issue = w->timed ? clock_ticks() : 0;
	ret = q->engine->queue(q, &io->req);
	if (ret == -EAGAIN) {
		hold(a, io);
		return;
	}
	if (io->req.op < DIRS && !io->moved)
		w->b->dir[io->req.op].ios++;
	if (ret == FL_DONE) {
		if (w->timed || w->deadline != UINT64_MAX)
			w->b->beat_ticks = a->now = clock_ticks();
		if (!w->offload)	/* it never waited: all of it is completion */
			io->issue = io->start;
		w->b->submit[batch_bucket(1)]++;
		w->b->complete[batch_bucket(1)]++;
		finish(a, io);
		return;
	}
	if (ret < 0) {
		file_of(io)->busy--;
		put_free(w, io);
		dead(a, ret);
		return;
	}
	w->in_flight++;
	io->next = NULL;
	if (a->queued)
		a->queued_last->next = io;
	else
		a->queued_first = io;
	a->queued_last = io;
	a->queued++;
}

/* Hand over what was refused, in order, until the queue is full again. */
static void retry_held(struct async *a)
{
	struct io *io, *rest = a->held_first;

	a->held_first = NULL;
	while (rest && !a->held_first) {
		io = rest;
		rest = rest->next;
		start_queue(a, io);
	}
	while (rest) {
		io = rest;
		rest = rest->next;
		hold(a, io);
	}
}

/* Take back between min and max requests, for so long at most. Returns how many. */
static unsigned reap_for(struct async *a, uint32_t min, uint32_t max, int64_t timeout_ns)
{
	struct worker *w = a->w;
	int n;

	count_late(a);
	a->fresh = false;
	n = w->in_flight ? host_complete(&w->hq, min, max, timeout_ns, w->done) : 0;

	if (n < 0 && n != -EINTR) {
		dead(a, n);
		w->in_flight = 0;	/* the queue is dead: what it holds is lost */
		return 0;
	}
	if (w->timed || w->deadline != UINT64_MAX)
		a->now = clock_ticks();
	if (n <= 0) {
		/* A look between two arrivals was not asked for by any setting. */
		w->b->complete[0] += w->in_flight && !n && timeout_ns != LOOK_NS;
		return 0;
	}
	fl_assert((uint32_t)n <= w->in_flight && (uint32_t)n <= max);
	w->b->beat_ticks = a->now;
	w->b->complete[batch_bucket((unsigned)n)]++;
	w->in_flight -= (uint32_t)n;
	a->alone = n == 1;
	for (int i = 0; i < n; i++)
		finish(a, container_of(w->done[i], struct io, req));
	a->alone = false;
	return (unsigned)n;
}

static unsigned reap(struct async *a, uint32_t min, uint32_t max)
{
	return reap_for(a, min, max, min ? WAIT_NS : 0);
}

static bool take_special(struct async *a, struct arrival *next)
{
	struct worker *w = a->w;
	int ret;

	if (w->has_waiting) {
		*next = w->waiting;
		w->has_waiting = false;
		return true;
	}
	ret = w->offload ? offload_take(w->offload, next) : worker_next(w, &next->io);
	a->idle = ret < 0;
	if (!ret)
		a->ended = true;
	return ret > 0;
}

/* What comes next. False: nothing, now or in this pass. */
fl_inline bool take_next(struct async *a, struct arrival *next)
{
	if (unlikely(a->special))
		return take_special(a, next);
	if (likely(workload_next(&a->w->wl, &next->io)))
		return true;
	a->ended = true;
	return false;
}

/* serialize_overlap: may this one join those in flight? Then it counts as one of them. */
static bool may_start(struct async *a, struct io *io)
{
	struct worker *w = a->w;
	const struct worker_setup *s = w->setup;
	struct overlap_range *mine = &w->ranges[io->req.slot];
	struct overlap_range range;

	if (io->req.op >= DIRS)
		return true;
	range = (struct overlap_range){
		.file = s->board ? file_of(io)->id : io->req.file->index, .lo = io->req.offset,
		.hi = io->req.offset + io->req.len, .write = io->req.op != FL_OP_READ,
	};
	if (s->board) {
		if (!overlap_claim(s->board, s->board_first + io->req.slot, &range,
				   &a->overlaps_seen))
			return false;
	} else {
		for (uint32_t i = 0; i < w->slots; i++)
			if (overlap_conflict(&w->ranges[i], &range))
				return false;
	}
	*mine = range;
	return true;
}

/* Choose the next I/O and start it. False: there is none, or it could not be started. */
static bool start_next(struct async *a)
{
	struct worker *w = a->w;
	struct arrival next;
	struct io *io = w->free;
	int err;

	if (!take_next(a, &next))
		return false;
	w->free = io->next;
	while ((err = worker_load(w, io, &next.io)) == -EBUSY && w->in_flight) {
		commit(a);		/* every file that may be open is: one must be done with */
		reap(a, 1, 1);
		retry_held(a);
	}
	if (err) {
		put_free(w, io);
		end_failed(a);
		return false;
	}
	if (unlikely(w->ranges != NULL) && !may_start(a, io)) {
		put_free(w, io);
		w->waiting = next;
		w->has_waiting = a->overlaps = true;
		return false;
	}
	io->req.buf = buffers_at(&w->buffers, io->req.slot);
	if (w->fill && next.io.op == FL_OP_WRITE)
		worker_fill(w, io->req.buf, &next.io);
	file_of(io)->busy++;
	if (a->fresh)
		io->start = a->now;
	else if (unlikely(w->offload))
		io->start = next.start;
	else
		io->start = w->timed ? clock_ticks() : 0;
	a->fresh = false;
	if (w->prep) {
		err = w->hq.q.engine->prep(&w->hq.q, &io->req);
		if (err < 0) {
			file_of(io)->busy--;
			put_free(w, io);
			fail(a, io, err);
			return false;
		}
	}
	start_queue(a, io);
	w->b->depth[depth_bucket(w->in_flight)]++;
	return !a->held_first;
}

static void look_at_time(struct async *a)
{
	if (!a->ended && worker_ended(a->w, a->now, &a->why))
		a->ended = true;
}

/* So many I/Os more were issued or completed; a pause may be due. What is queued goes first. */
static void think(struct async *a, unsigned ios)
{
	struct worker *w = a->w;
	bool due = false;

	while (ios-- && !due)
		due = pace_think_due(&w->think);
	if (!due)
		return;
	commit(a);
	pace_think(&w->job->pace, worker_deadline_ns(w), &w->b->stop);
	pace_think_begin(&w->job->pace, &w->think);
	a->now = clock_ticks();
}

/* Take back what the settings say, and look at the time. */
static void take(struct async *a)
{
	struct worker *w = a->w;
	unsigned done = reap(a, fl_min(a->complete_min, w->in_flight),
			     fl_min(a->complete_max, w->in_flight));

	if (a->think_complete)
		think(a, done);
	look_at_time(a);
}

static void fill_queue(struct async *a)
{
	struct worker *w = a->w;

	if (a->held_first) {
		retry_held(a);
		a->fresh = false;
	}
	while (!a->ended && !a->held_first && w->free && w->in_flight < a->depth) {
		if (!start_next(a))
			break;
		if (a->queued >= a->batch) {
			commit(a);
			if (!a->complete_min)
				take(a);
		}
		if (a->think_issue)
			think(a, 1);
		look_at_time(a);
	}
	commit(a);
}

static void drain(struct async *a, uint32_t down_to)
{
	struct worker *w = a->w;

	do {
		commit(a);
		take(a);
	} while (w->in_flight > down_to && a->why != LOOP_STOP);
}

/* How long to sleep before the deadline and the stop flag are looked at. */
static uint64_t patience(const struct worker *w, uint64_t now)
{
	if (w->deadline == UINT64_MAX || now >= w->deadline)
		return WAIT_NS;
	return fl_min(clock_ns(w->deadline - now), (uint64_t)WAIT_NS);
}

/* There is room, and nothing has arrived: wait for an arrival or a completion. */
static void wait_arrival(struct async *a)
{
	struct worker *w = a->w;
	uint32_t max = fl_min(a->complete_max, w->in_flight);
	int fd = w->hq.q.poll_fd;

	a->idle = false;
	if (w->in_flight && fd < 0)
		reap_for(a, 1, max, LOOK_NS);
	else if (offload_wait(w->offload, w->in_flight ? fd : -1, patience(w, clock_ticks())))
		reap(a, 0, max);
	a->now = clock_ticks();
}

/* There is room, but the next I/O overlaps one in flight: wait for that one, or for any of ours. */
static void wait_overlap(struct async *a)
{
	struct worker *w = a->w;
	struct overlap *board = w->setup->board;

	a->overlaps = false;
	if (w->in_flight)
		reap_for(a, 1, fl_min(a->complete_max, w->in_flight), board ? LOOK_NS : WAIT_NS);
	else
		overlap_wait(board, a->overlaps_seen, patience(w, clock_ticks()));
	a->now = clock_ticks();
}

enum loop_end loop_async(struct worker *w)
{
	const struct depth_conf *c = &w->job->depth;
	const struct pace_conf *p = &w->job->pace;
	struct async a = {
		.w = w, .depth = c->depth, .low = c->low, .why = LOOP_PASS,
		.batch = fl_min(c->batch, c->depth), .complete_min = c->batch_complete_min,
		.complete_max = fl_max(fl_max(c->batch_complete_max, c->batch_complete_min), 1u),
		.watched = w->limited || w->setup->prios,
		.special = w->offload || w->ranges || w->verify,
		.think_issue = p->think_ns && p->think_at_issue && !w->offload,
		.think_complete = p->think_ns && !p->think_at_issue && !w->offload,
	};

	a.plain = w->timed && w->wl.simple && !a.watched && !p->think_ns && !a.special &&
		  !(w->fill && w->wl.one_dir == DIR_WRITE);


	while (!a.ended) {
		fill_queue(&a);
		if (a.ended)
			break;
		if (w->in_flight >= a.depth || !w->free || a.held_first)
			drain(&a, a.low);
		else if (a.overlaps)
			wait_overlap(&a);
		else if (a.idle)
			wait_arrival(&a);
		if (!w->timed && w->deadline != UINT64_MAX)
			a.now = clock_ticks();
		look_at_time(&a);
	}
	while (a.held_first || w->in_flight || a.queued) {
		uint32_t before = w->in_flight;

		retry_held(&a);
		commit(&a);
		reap(&a, fl_min(1u, w->in_flight), fl_max(w->in_flight, 1u));
		if (w->in_flight == before && atomic_load(&w->b->stop) > 1)
			break;		/* told to leave at once */
	}
	count_late(&a);
	return a.why;
}
