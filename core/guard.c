/* SPDX-License-Identifier: MIT */
/*
 * Hooks that lock and remember.
 *
 * Two jobs that wait for each other's locks would wait for ever. So nobody sleeps for a lock while
 * it holds one: with locks held, a file that is taken makes the queue "full" until what is in
 * flight has come back.
 */
#include "core/guard.h"
#include "core/debug.h"
#include "os/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

/* One file of the job. */
struct guarded {
	uint32_t held;			/* requests in flight under the lock; 0: not locked */
	uint32_t taken;			/* requests since it was locked */
	bool exclusive;
	bool dirty;
};

struct guard {
	struct fl_engine ops;		/* what the queue points to */
	const struct fl_engine *real;
	enum files_lock lock;
	bool sync_on_close;
	uint32_t locked;		/* files that are locked now */
	struct guarded files[];
};

static struct guard *guard_of(struct fl_queue *q)
{
	return ((struct host_queue *)q)->guard;
}

static int lock_call(struct fl_queue *q, const struct fl_file *f, int how)
{
	int ret;

	do
		ret = flock(f->fd, how) ? -errno : 0;
	while (ret == -EINTR && !(q->flags & FL_QUEUE_SYNC));
	return ret;
}

/*
 * Lock the file of a request. 0; -EAGAIN: not before something in flight has come back; -EINTR;
 * other -errno with a sentence.
 */
static int take(struct fl_queue *q, struct guard *g, const struct fl_req *req)
{
	struct guarded *gf = &g->files[req->file->index];
	bool exclusive = g->lock == FILES_LOCK_EXCLUSIVE || req->op != FL_OP_READ;
	int ret;

	if (gf->held) {
		/* Others get their turn after as many requests as the queue is deep. */
		if ((exclusive && !gf->exclusive) || gf->taken >= q->depth)
			return -EAGAIN;
		gf->held++;
		gf->taken++;
		return 0;
	}
	if (req->file->fd < 0)
		return q->host->fail(q, -EOPNOTSUPP, "lockfile: engine %s has no descriptor of %s "
				     "to lock", q->engine->name, req->file->name);
	ret = lock_call(q, req->file, (exclusive ? LOCK_EX : LOCK_SH) | (g->locked ? LOCK_NB : 0));
	if (ret)
		return ret == -EWOULDBLOCK || ret == -EINTR ? ret :
		       q->host->fail(q, ret, "%s cannot be locked: %s", req->file->name,
				     strerror(-ret));
	g->locked++;
	gf->exclusive = exclusive;
	gf->held = gf->taken = 1;
	return 0;
}

static void release(struct fl_queue *q, struct guard *g, const struct fl_req *req)
{
	struct guarded *gf = &g->files[req->file->index];

	if (g->lock == FILES_LOCK_NONE || req->op > FL_OP_TRIM || --gf->held)
		return;
	lock_call(q, req->file, LOCK_UN);
	g->locked--;
}

static int guarded_queue(struct fl_queue *q, struct fl_req *req)
{
	struct guard *g = guard_of(q);
	int ret = 0;

	if (g->lock != FILES_LOCK_NONE && req->op <= FL_OP_TRIM)
		ret = take(q, g, req);
	if (ret == -EINTR) {
		req->res = ret;
		return FL_DONE;
	}
	if (ret)
		return ret;
	if (req->op == FL_OP_WRITE || req->op == FL_OP_TRIM)
		g->files[req->file->index].dirty = true;
	ret = g->real->queue(q, req);
	if (ret != FL_PENDING)
		release(q, g, req);
	return ret;
}

static int guarded_complete(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
			    struct fl_req **done)
{
	struct guard *g = guard_of(q);
	int n = g->real->complete ? g->real->complete(q, min, max, timeout_ns, done)
				  : q->host->take(q, min, max, timeout_ns, done);

	for (int i = 0; i < n && i < (int)max; i++)
		release(q, g, done[i]);
	return n;
}

int guard_begin(struct host_queue *hq, const struct files_conf *conf, uint32_t nr)
{
	struct guard *g;

	if ((conf->lock == FILES_LOCK_NONE && !conf->fsync_on_close) ||
	    hq->q.engine->caps & FL_CAP_NO_FILES)
		return 0;
	g = calloc(1, sizeof(*g) + nr * sizeof(g->files[0]));
	if (!g)
		return -ENOMEM;
	g->ops = *hq->q.engine;
	g->real = hq->q.engine;
	g->lock = conf->lock;
	g->sync_on_close = conf->fsync_on_close;
	g->ops.queue = guarded_queue;
	g->ops.complete = guarded_complete;
	hq->guard = g;
	hq->q.engine = &g->ops;
	return 0;
}

void guard_end(struct host_queue *hq)
{
	if (!hq->guard)
		return;
	hq->q.engine = hq->guard->real;
	free(hq->guard);
	hq->guard = NULL;
}

/* A synchronous engine may keep bytes of its own: it is asked. Others have handed them over. */
static int sync_file(struct fl_queue *q, const struct fl_engine *ops, struct fl_file *f)
{
	struct fl_req req;
	int ret;

	if (!(q->flags & FL_QUEUE_SYNC))
		return f->fd >= 0 ? layout_sync(f->fd) : 0;
	do {
		req = (struct fl_req){ .size = sizeof(req), .op = FL_OP_SYNC, .file = f };
		ret = ops->prep ? ops->prep(q, &req) : 0;
		if (ret >= 0)
			ret = ops->queue(q, &req);
	} while (ret >= 0 && req.res == -EINTR);
	return ret < 0 ? ret : (int)fl_min(req.res, 0);
}

int guard_close(struct host_queue *hq, struct fl_file *f)
{
	struct guard *g = hq->guard;
	int err;

	if (!g || !g->sync_on_close || !g->files[f->index].dirty)
		return 0;
	g->files[f->index].dirty = false;
	err = sync_file(&hq->q, g->real, f);
	debug_say(DEBUG_FILE, "%s is synced before its close: %s", f->name,
		  err ? strerror(-err) : "well");
	return err;
}
