/* SPDX-License-Identifier: MIT */
/* Hooks that tell. They find the real ones behind the copy of the engine's table. */
#include "core/debug_io.h"
#include "core/debug.h"
#include "core/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct watched {
	struct fl_engine ops;		/* first: what the queue points to */
	const struct fl_engine *real;
	const char *job;
};

typedef unsigned long long ull;

static const struct watched *watched_of(const struct fl_queue *q)
{
	return (const struct watched *)q->engine;
}

static void tell(const struct watched *w, const struct fl_req *req, const char *what)
{
	debug_say(DEBUG_IO, "job %s: slot %u: %s of %llu bytes at %llu of %s: %s", w->job,
		  req->slot, worker_op_name(req->op), (ull)req->len, (ull)req->offset,
		  req->file && req->file->name ? req->file->name : "-", what);
}

static void tell_result(const struct watched *w, const struct fl_req *req)
{
	char moved[32];

	snprintf(moved, sizeof(moved), "%lld bytes", (long long)req->res);
	tell(w, req, req->res < 0 ? strerror((int)-req->res) : moved);
}

static int queue_and_tell(struct fl_queue *q, struct fl_req *req)
{
	const struct watched *w = watched_of(q);
	int ret = w->real->queue(q, req);

	if (ret == FL_DONE)
		tell_result(w, req);
	else
		tell(w, req, ret == FL_PENDING ? "pending" : strerror(-ret));
	return ret;
}

static int complete_and_tell(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
			     struct fl_req **done)
{
	const struct watched *w = watched_of(q);
	int n = w->real->complete(q, min, max, timeout_ns, done);

	for (int i = 0; i < n; i++)
		tell_result(w, done[i]);
	return n;
}

void debug_io_watch(struct host_queue *hq, const char *job)
{
	struct watched *w = debug_on(DEBUG_IO) ? malloc(sizeof(*w)) : NULL;

	if (!w)
		return;
	*w = (struct watched){ .ops = *hq->q.engine, .real = hq->q.engine, .job = job };
	w->ops.queue = queue_and_tell;
	if (w->ops.complete)
		w->ops.complete = complete_and_tell;
	hq->q.engine = &w->ops;
}

void debug_io_unwatch(struct host_queue *hq)
{
	const struct watched *w = watched_of(&hq->q);

	if (!w || w->ops.queue != queue_and_tell)
		return;
	hq->q.engine = w->real;
	free((void *)w);
}
