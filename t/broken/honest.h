/* SPDX-License-Identifier: MIT */
/*
 * An asynchronous engine for ordinary files that keeps every rule. Each engine of this folder
 * includes it and breaks one: it replaces one hook by its own. A request is carried out in queue()
 * and waits in a ring until complete() asks for it.
 */
#include <errno.h>
#include <fio-like/engine.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAYBE	__attribute__((unused)) static

struct ring {
	uint32_t first, count;
	uint64_t queued;		/* requests so far */
	struct fl_req *last;		/* handed back last */
	struct fl_req *req[];
};

MAYBE int honest_open(struct fl_queue *q)
{
	q->priv = q->host->alloc(sizeof(struct ring) + q->depth * sizeof(struct fl_req *), 0);
	return q->priv ? 0 : -ENOMEM;
}

MAYBE void honest_close(struct fl_queue *q)
{
	q->host->free(q->priv);
}

MAYBE int64_t honest_io(const struct fl_req *req)
{
	ssize_t n;

	if (req->op == FL_OP_READ)
		n = pread(req->file->fd, req->buf, req->len, (off_t)req->offset);
	else if (req->op == FL_OP_WRITE)
		n = pwrite(req->file->fd, req->buf, req->len, (off_t)req->offset);
	else
		n = fsync(req->file->fd);
	return n < 0 ? -errno : n;
}

MAYBE int honest_queue(struct fl_queue *q, struct fl_req *req)
{
	struct ring *r = q->priv;

	r->queued++;
	req->res = honest_io(req);
	r->req[(r->first + r->count++) % q->depth] = req;
	return FL_PENDING;
}

/* At most n of the requests that are done. */
MAYBE int honest_give(struct fl_queue *q, uint32_t n, struct fl_req **done)
{
	struct ring *r = q->priv;
	uint32_t i;

	for (i = 0; i < n && r->count; i++, r->count--) {
		r->last = r->req[r->first++ % q->depth];
		done[i] = r->last;
	}
	return (int)i;
}

/* What is short of min was never queued, or is lost: the wait is as long as the runner says. */
MAYBE void honest_wait(int64_t timeout_ns)
{
	struct timespec nap = { timeout_ns / 1000000000, timeout_ns % 1000000000 };

	if (timeout_ns > 0)
		nanosleep(&nap, NULL);
}

MAYBE int honest_complete(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
			  struct fl_req **done)
{
	int n = honest_give(q, max, done);

	if ((uint32_t)n < min)
		honest_wait(timeout_ns);
	return n;
}

#define BROKEN(name_, help_, close_, queue_, complete_)					\
	static const struct fl_engine broken = {					\
		FL_ENGINE_HEAD, .name = name_, .help = help_, .open = honest_open,	\
		.close = close_, .queue = queue_, .complete = complete_,		\
	};										\
	FL_ENGINE_EXPORT(&broken)
