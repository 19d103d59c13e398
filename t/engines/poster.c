/* SPDX-License-Identifier: MIT */
/*
 * An engine whose requests are finished by a thread of its own, as the libraries of object stores
 * do it. The thread hands them back by post(); there is no complete(): the runner takes them from
 * its mailbox.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fio-like/engine.h>
#include <pthread.h>
#include <unistd.h>

struct poster {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct fl_queue *q;
	uint32_t first, count;
	int stop;
	struct fl_req *req[];
};

static int64_t do_io(const struct fl_req *req)
{
	ssize_t n;

	if (req->op == FL_OP_READ)
		n = pread(req->file->fd, req->buf, req->len, (off_t)req->offset);
	else if (req->op == FL_OP_WRITE)
		n = pwrite(req->file->fd, req->buf, req->len, (off_t)req->offset);
	else
		n = req->op == FL_OP_SYNC ? fsync(req->file->fd) : fdatasync(req->file->fd);
	return n < 0 ? -errno : n;
}

static void *poster_run(void *arg)
{
	struct poster *p = arg;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		struct fl_req *req;

		while (!p->count && !p->stop)
			pthread_cond_wait(&p->more, &p->lock);
		if (p->stop)
			break;
		req = p->req[p->first++ % p->q->depth];
		p->count--;
		pthread_mutex_unlock(&p->lock);
		req->res = do_io(req);
		p->q->host->post(p->q, req);
		pthread_mutex_lock(&p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static int poster_open(struct fl_queue *q)
{
	struct poster *p = q->host->alloc(sizeof(*p) + q->depth * sizeof(struct fl_req *), 0);
	int err;

	if (!p)
		return -ENOMEM;
	p->q = q;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->more, NULL);
	err = pthread_create(&p->thread, NULL, poster_run, p);
	if (err) {
		q->host->free(p);
		return q->host->fail(q, -err, "cannot start the thread that finishes requests");
	}
	q->priv = p;
	return 0;
}

static void poster_close(struct fl_queue *q)
{
	struct poster *p = q->priv;

	pthread_mutex_lock(&p->lock);
	p->stop = 1;
	pthread_cond_signal(&p->more);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->more);
	q->host->free(p);
}

static int poster_queue(struct fl_queue *q, struct fl_req *req)
{
	struct poster *p = q->priv;

	pthread_mutex_lock(&p->lock);
	p->req[(p->first + p->count++) % q->depth] = req;
	pthread_cond_signal(&p->more);
	pthread_mutex_unlock(&p->lock);
	return FL_PENDING;
}

static const struct fl_engine poster = {
	FL_ENGINE_HEAD, .name = "poster", .help = "finishes requests on a thread of its own",
	.open = poster_open, .close = poster_close, .queue = poster_queue,
};

FL_ENGINE_EXPORT(&poster);
