/* SPDX-License-Identifier: MIT */
/*
 * An engine whose writes choose their own place, as those of a zoned device do: where an append
 * landed is known when it is done, and comes back as second result. To make sure that nobody counts
 * on the order, each batch is appended from its last request to its first.
 */
#include <errno.h>
#include <fio-like/engine.h>
#include <unistd.h>

struct append {
	uint32_t taken;			/* by queue(), not done yet: at the end of the list */
	uint32_t first, done;		/* done and not handed back, from first on */
	struct fl_req *list[];		/* depth places for each of the two */
};

static int append_open(struct fl_queue *q)
{
	q->priv = q->host->alloc(sizeof(struct append) + 2 * q->depth * sizeof(struct fl_req *), 0);
	return q->priv ? 0 : -ENOMEM;
}

static void append_close(struct fl_queue *q)
{
	q->host->free(q->priv);
}

static int append_queue(struct fl_queue *q, struct fl_req *req)
{
	struct append *a = q->priv;

	a->list[q->depth + a->taken++] = req;
	return FL_PENDING;
}

static int64_t do_io(struct fl_req *req)
{
	int fd = req->file->fd;
	ssize_t n;

	if (req->op == FL_OP_APPEND) {
		off_t end = lseek(fd, 0, SEEK_END);

		n = end < 0 ? -1 : pwrite(fd, req->buf, req->len, end);
		req->res2 = (uint64_t)end;
	} else {
		n = req->op == FL_OP_READ ? pread(fd, req->buf, req->len, (off_t)req->offset) :
					    fsync(fd);
	}
	return n < 0 ? -errno : n;
}

static int append_commit(struct fl_queue *q)
{
	struct append *a = q->priv;
	int n = (int)a->taken;

	while (a->taken) {
		struct fl_req *req = a->list[q->depth + --a->taken];

		req->res = do_io(req);
		a->list[(a->first + a->done++) % q->depth] = req;
	}
	return n;
}

static int append_complete(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
			   struct fl_req **done)
{
	struct append *a = q->priv;
	uint32_t n = 0;

	(void)min;
	(void)timeout_ns;	/* all that was told is done: there is nothing to wait for */
	for (; n < max && a->done; n++, a->done--)
		done[n] = a->list[a->first++ % q->depth];
	return (int)n;
}

static const struct fl_engine append = {
	FL_ENGINE_HEAD, .name = "append", .help = "writes at the end, and tells where that was",
	.version = "1.0", .ops_supported = 1u << FL_OP_APPEND | 1u << FL_OP_READ | 1u << FL_OP_SYNC,
	.open = append_open, .close = append_close, .queue = append_queue,
	.commit = append_commit, .complete = append_complete,
};

FL_ENGINE_EXPORT(&append);
