/* SPDX-License-Identifier: MIT */
/* One sync after the other, through the engine; or one for all that a file system holds. */
#include "core/worker_sync.h"
#include "core/cancel.h"
#include "core/places.h"
#include "os/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SYNC_LOOK_NS	100000000	/* how often a wait looks at the stop flag */

/*
 * Wait for a sync that the engine keeps, the only request in flight. Returns 0, its error, or
 * -ECANCELED: the device did not answer, and the user has no patience left.
 */
static int wait_for_sync(struct worker *w, struct io *io)
{
	struct fl_queue *q = &w->hq.q;
	struct cancel cancel = { 0 };
	int n = 0, err = 0;

	w->free = io->next;
	w->in_flight = 1;
	while (w->in_flight && err >= 0) {
		err = q->engine->commit ? q->engine->commit(q) : 0;
		if (err >= 0)
			n = host_complete(&w->hq, 1, 1, SYNC_LOOK_NS, w->done);
		if (err >= 0 && n < 0 && n != -EINTR)
			err = n;
		w->in_flight -= n > 0;
		if (w->in_flight && atomic_load(&w->b->stop) &&
		    !cancel_look(&cancel, w, NULL, false))
			return -ECANCELED;
	}
	if (err < 0)
		return err;
	io->next = w->free;
	w->free = io;
	return io->req.res < 0 ? (int)io->req.res : 0;
}

static void count_sync(struct worker *w, const struct io *io, uint64_t now)
{
	w->b->sync_ios++;
	lat_add(&w->b->sync, clock_ns(now - io->issue));
	if (now - io->start > w->b->sync_slow_floor)
		worker_slow(w, io, now, 0);
}

/* Once through the engine. Returns 0 or its error. */
static int perform(struct worker *w, struct io *io)
{
	struct fl_queue *q = &w->hq.q;
	int ret = q->engine->prep ? q->engine->prep(q, &io->req) : 0;

	if (!ret)
		ret = q->engine->queue(q, &io->req);
	if (ret == FL_PENDING)
		return wait_for_sync(w, io);
	return !ret && io->req.res < 0 ? (int)io->req.res : ret;
}

/* Returns whether to go on. */
static bool sync_one(struct worker *w, uint32_t file, bool counted)
{
	struct workload_io next = { .op = FL_OP_SYNC, .file = file };
	struct io *io = w->free;
	int ret;

	if (worker_load(w, io, &next))
		return false;
	if (counted && w->setup->issued)
		recorder_sync(&w->record, file);
	io->start = io->issue = clock_ticks();
	do
		ret = perform(w, io);
	while (ret == -EINTR && atomic_load(&w->b->stop) < 2);
	if ((ret == -ECANCELED || ret == -EINTR) && atomic_load(&w->b->stop))
		return false;
	if (ret) {
		worker_io_error(w, &io->req, 0, ret);
		return false;
	}
	worker_back(w, io, 0);
	if (counted)
		count_sync(w, io, clock_ticks());
	return true;
}

/* Who was told to leave at once, with I/O in flight, does not ask the device for more. */
static bool may_sync(const struct worker *w)
{
	return !w->in_flight && w->free && atomic_load(&w->b->stop) < 2;
}

void worker_sync_files(struct worker *w, bool counted)
{
	bool go_on = true;

	for (uint32_t i = 0; i < w->setup->files->nr && go_on && may_sync(w); i++)
		go_on = sync_one(w, i, counted);
}

/* ---- end_syncfs ------------------------------------------------------------------------------ */

static bool sync_system(struct worker *w, const char *name)
{
	uint64_t begun = clock_ticks();
	int err = file_sync_system(name);

	if (err) {
		stats_fail(w->b, -err, "end_syncfs: the file system of %s: %s", name,
			   strerror(-err));
		return false;
	}
	w->b->sync_ios++;
	lat_add(&w->b->sync, clock_ns(clock_ticks() - begun));
	return true;
}

/* Of a device the kernel would sync the file system that its name is in: it gets an fsync. */
static int sync_place(void *ctx, uint32_t file, const char *name)
{
	struct worker *w = ctx;
	bool device = w->setup->files->plan[file].type != FL_FILE_REGULAR;

	if (!may_sync(w))
		return 1;
	return !(device ? sync_one(w, file, true) : sync_system(w, name));
}

static void sync_systems(struct worker *w)
{
	const struct fl_engine *ops = &w->job->engine->ops;

	if (ops->caps & (FL_CAP_NO_FILES | FL_CAP_NAMES))
		stats_note(w->b, "end_syncfs has no effect: what engine %s writes is in no file "
			   "system", ops->name);
	else
		places_each(w->setup->files, sync_place, w);
}

void worker_sync_at_end(struct worker *w)
{
	if (!(w->job->workload.rw.bits & RW_WRITE) || w->b->error)
		return;
	if (w->job->files.end_fsync)
		worker_sync_files(w, true);
	if (w->job->files.end_syncfs)
		sync_systems(w);
}
