/* SPDX-License-Identifier: MIT */
/*
 * The loop for engines that finish each request before queue() returns. One request, used again and
 * again; what depends only on the settings is a constant in each of the variants below, so that the
 * plain ones test nothing they need not.
 */
#include "core/loop.h"

#include <errno.h>

#define TIMED	1u	/* latencies are measured */
#define PREP	2u	/* the engine has a prep hook: start and issue are two stamps */
#define EXTRAS	4u	/* buffers to fill, pauses, syncs, mixed directions */

/* Count one I/O that went well. */
fl_inline void record(struct worker_block *b, const struct io *io, uint64_t end, const unsigned variant)
{
	struct dir_stats *d = &b->dir[io->req.op];

	d->done_ios++;
	d->bytes += io->want;
	if (!(variant & TIMED))
		return;
	lat_add(&d->clat, clock_ns(end - io->issue));
	if (variant & PREP)
		lat_add(&d->lat, clock_ns(end - io->start));
}

static void record_sync(struct worker_block *b, const struct io *io, uint64_t end, bool timed)
{
	b->sync_ios++;
	if (timed)
		lat_add(&b->sync, clock_ns(end - io->issue));
}

/* Time between two I/Os that belongs to none of them. */
static void think(struct worker *w)
{
	if (!w->job->pace.think_ns || --w->think_left)
		return;
	w->think_left = (uint32_t)w->job->pace.think_blocks;
	pace_think(&w->job->pace, &w->b->stop);
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
	if (unlikely(ret != FL_DONE)) {
		/* A synchronous queue that is full or keeps a request breaks its word. */
		fl_assert(ret < 0 && ret != -EAGAIN);
		return ret;
	}
	return io->req.res < 0 ? (int)io->req.res : 0;
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

fl_inline enum loop_end run(struct worker *w, const unsigned variant)
{
	struct worker_block *b = w->b;
	struct io *io = &w->ios[0];
	struct workload_io next;
	enum loop_end why = LOOP_PASS;
	uint64_t end = 0;
	int err;

	while (workload_next(&w->wl, &next)) {
		if (unlikely(worker_load(w, io, &next)))
			return LOOP_FAILED;
		io->req.buf = w->buffers.base;
		if (variant & EXTRAS && w->fill && next.op == FL_OP_WRITE)
			buffers_prepare(&w->buffers, io->req.buf, next.len, next.offset);
		if (!(variant & EXTRAS) || next.op < DIRS)
			b->dir[next.op].ios++;
		if (variant & TIMED)
			io->start = io->issue = clock_ticks();
		err = perform(w, io, variant);
		if (unlikely(!err && (uint64_t)io->req.res != next.len && next.op < DIRS))
			err = perform_rest(w, io, variant);
		if (variant & TIMED || w->deadline != UINT64_MAX)
			end = clock_ticks();
		b->beat_ticks = end;
		if (unlikely(err)) {
			worker_io_error(w, &io->req, io->moved, err);
			return LOOP_FAILED;
		}
		if (!(variant & EXTRAS) || likely(next.op < DIRS))
			record(b, io, end, variant);
		else
			record_sync(b, io, end, variant & TIMED);
		if (worker_ended(w, end, &why))
			break;
		if (variant & EXTRAS)
			think(w);
	}
	return why;
}

static enum loop_end plain(struct worker *w) { return run(w, TIMED); }
static enum loop_end plain_prep(struct worker *w) { return run(w, TIMED | PREP); }
static enum loop_end extras(struct worker *w) { return run(w, TIMED | EXTRAS); }
static enum loop_end extras_prep(struct worker *w) { return run(w, TIMED | PREP | EXTRAS); }
static enum loop_end untimed(struct worker *w) { return run(w, EXTRAS); }
static enum loop_end untimed_prep(struct worker *w) { return run(w, PREP | EXTRAS); }

enum loop_end loop_sync(struct worker *w)
{
	bool needs_extras = !w->wl.simple || w->job->pace.think_ns ||
			    (w->fill && w->wl.one_dir == DIR_WRITE);

	if (!w->timed)
		return w->prep ? untimed_prep(w) : untimed(w);
	if (needs_extras)
		return w->prep ? extras_prep(w) : extras(w);
	return w->prep ? plain_prep(w) : plain(w);
}
