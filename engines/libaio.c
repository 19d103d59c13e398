/* SPDX-License-Identifier: MIT */
/*
 * libaio: the older asynchronous interface of Linux. io_submit(2) takes an array of requests,
 * io_getevents(2) gives back an array of results.
 *
 * It is asynchronous for direct I/O alone: otherwise io_submit() does all the work before it
 * returns, and the engine says so.
 *
 * io_submit() stops at the first request it does not like. If there is no room at the moment, the
 * rest stays for the next commit(), in order. If the request itself is refused, it comes back by
 * complete() like one that failed later; a sync that the file does not know in this form is made
 * by its own system call there and then.
 *
 * Results lie in a ring that the kernel maps into the process: userspace_reap takes them from there
 * without a call.
 */
#define _GNU_SOURCE 1
#include "fio-like/cmdprio.h"
#include "fio-like/engine.h"
#include "fio-like/fdops.h"
#include "fio-like/kernel.h"

#include <libaio.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { IOCB_IOPRIO = 1 << 1 };		/* aio_reqprio is set; Linux 4.18, not in libaio.h */

struct aio_conf {
	struct fl_cmdprio_conf cmdprio;
	uint32_t userspace_reap;
	uint32_t nowait;
	uint32_t vectored;
	uint32_t trim_method;
};

FL_FD_TRIM_NAMES(trim_names);

static const struct fl_opt aio_opts[] = {
	{
		.name = "userspace_reap", .type = FL_OPT_FLAG,
		.offset = offsetof(struct aio_conf, userspace_reap),
		.help = "take results from the kernel's ring without a system call",
		.more = "A call is made only to wait for what is not there yet.",
	}, {
		.name = "nowait", .type = FL_OPT_BOOL, .offset = offsetof(struct aio_conf, nowait),
		.help = "fail with EAGAIN rather than wait (RWF_NOWAIT)",
		.more = "Goes together with ignore_error=EAGAIN.",
	}, {
		.name = "libaio_vectored", .type = FL_OPT_BOOL,
		.offset = offsetof(struct aio_conf, vectored),
		.help = "use preadv and pwritev instead of pread and pwrite",
	},
	FL_FD_OPT_TRIM(struct aio_conf, trim_method, trim_names),
	FL_OPT_ROWS_CMDPRIO(struct aio_conf, cmdprio),
};

enum { COUNT_SUBMITS, COUNT_GETS, COUNT_USER, COUNT_SYNCS, COUNT_DEPTH, COUNT_PRIO };

static const struct fl_counter aio_counters[] = {
	[COUNT_SUBMITS] = { .name = "submits", .unit = "calls", .help = "io_submit calls made" },
	[COUNT_GETS] = { .name = "getevents", .unit = "calls",
			 .help = "io_getevents calls made" },
	[COUNT_USER] = { .name = "userspace_reaped", .help = "results taken without a call" },
	[COUNT_SYNCS] = { .name = "plain_syncs",
			  .help = "syncs made by fsync and fdatasync instead" },
	[COUNT_DEPTH] = { .name = "depth_max", .unit = "requests", .merge = FL_MERGE_MAX,
			  .help = "the most requests that were in flight at once" },
	[COUNT_PRIO] = { .name = "prioritised", .help = "requests sent with a priority" },
};

/* The kernel's ring of results, as it lies at the address that is the io_context_t. */
struct aio_ring {
	uint32_t id;
	uint32_t count;			/* entries */
	uint32_t head;			/* ours */
	uint32_t tail;			/* the kernel's */
	uint32_t magic;
	uint32_t compat, incompat;
	uint32_t header_bytes;
	struct io_event events[];
};

enum { RING_MAGIC = (int)0xa10a10a1 };

/* What each I/O needs fits into one cache line. */
struct aio {
	io_context_t ctx;
	struct iocb *iocbs;		/* one per slot */
	struct iocb **pending;		/* queued, not yet submitted, in order */
	struct io_event *events;
	struct aio_ring *ring;		/* userspace_reap, or NULL */
	uint32_t nr_pending;
	uint32_t in_kernel;
	uint32_t nr_refused;
	int rwf;			/* RWF_* of every read and write */
	bool vectored, prio;
	bool dressed;			/* requests need more than the plain way gives them */
	struct fl_req **refused;	/* by io_submit(), result and all; for complete() */
	struct iovec *vectors;		/* one per slot */
	struct fl_cmdprio cmdprio;
} __attribute__((aligned(64)));

/* ---- Why there is no context ----------------------------------------------------------------- */

static long sysctl_number(const char *path)
{
	FILE *f = fopen(path, "re");
	long n;
	bool read = f && fscanf(f, "%ld", &n) == 1;

	if (f)
		fclose(f);
	return read ? n : -1;
}

static void explain_setup(int err, uint32_t depth, char *why, size_t why_bytes)
{
	long most = sysctl_number("/proc/sys/fs/aio-max-nr");
	long taken = sysctl_number("/proc/sys/fs/aio-nr");

	if (err == -EAGAIN && (most < 0 || taken < 0))
		snprintf(why, why_bytes, "a depth of %u finds no room among the requests that the "
			 "whole system may have; lower iodepth or numjobs, or raise the limit: "
			 "sysctl fs.aio-max-nr=1048576", depth);
	else if (err == -EAGAIN)
		snprintf(why, why_bytes, "a depth of %u finds no room: the whole system may have "
			 "fs.aio-max-nr = %ld requests, of which fs.aio-nr = %ld are taken; lower "
			 "iodepth or numjobs, or raise it: sysctl fs.aio-max-nr=1048576", depth,
			 most, taken);
	else if (err == -ENOSYS || err == -EPERM)
		snprintf(why, why_bytes, "io_setup(2) is not to be had (%s): this kernel has no "
			 "CONFIG_AIO, or a seccomp filter hides it; use ioengine=psync or io_uring",
			 strerror(-err));
	else
		snprintf(why, why_bytes, "io_setup(2) failed for a depth of %u: %s", depth,
			 strerror(-err));
}

static int aio_probe(const struct fl_host *host, char *why, size_t why_bytes)
{
	io_context_t ctx = NULL;
	int err = io_setup(1, &ctx);

	(void)host;
	if (!err)
		return io_destroy(ctx);
	explain_setup(err, 1, why, why_bytes);
	return err;
}

/* ---- Starting -------------------------------------------------------------------------------- */

static void dress_transfer(struct fl_queue *q, struct aio *a, struct iocb *cb, struct fl_req *req)
{
	uint32_t prio = a->prio ? fl_cmdprio_pick(&a->cmdprio, req) : req->prio;

	cb->aio_rw_flags |= fl_fd_rwf(req);
	if (prio) {
		cb->aio_reqprio = prio;
		cb->u.c.flags = IOCB_IOPRIO;
		q->counters[COUNT_PRIO]++;
	}
	if (!a->vectored)
		return;
	a->vectors[req->slot] = (struct iovec){ req->buf, req->len };
	cb->aio_lio_opcode = req->op == FL_OP_READ ? IO_CMD_PREADV : IO_CMD_PWRITEV;
	cb->u.c.buf = &a->vectors[req->slot];
	cb->u.c.nbytes = 1;
}

__attribute__((noinline))
static int queue_dressed(struct fl_queue *q, struct aio *a, struct fl_req *req, struct iocb *cb)
{
	if (req->op <= FL_OP_WRITE) {
		dress_transfer(q, a, cb, req);
	} else if (req->op == FL_OP_SYNC || req->op == FL_OP_DATASYNC) {
		cb->aio_lio_opcode = req->op == FL_OP_SYNC ? IO_CMD_FSYNC : IO_CMD_FDSYNC;
		cb->aio_rw_flags = 0;
		cb->u.c.buf = NULL;
		cb->u.c.nbytes = 0;
		cb->u.c.offset = 0;
	} else {
		const struct aio_conf *conf = q->opts;

		req->res = req->op == FL_OP_TRIM ? fl_fd_trim(q, req, conf->trim_method)
						 : fl_fd_do(q, req);
		return FL_DONE;
	}
	a->pending[a->nr_pending++] = cb;
	return FL_PENDING;
}

static int aio_queue(struct fl_queue *q, struct fl_req *req)
{
	struct aio *a = q->priv;
	struct iocb *cb = &a->iocbs[req->slot];

	cb->data = req;
	cb->aio_rw_flags = a->rwf;
	cb->aio_lio_opcode = req->op == FL_OP_READ ? IO_CMD_PREAD : IO_CMD_PWRITE;
	cb->aio_reqprio = 0;
	cb->aio_fildes = req->file->fd;
	cb->u.c.buf = req->buf;
	cb->u.c.nbytes = req->len;
	cb->u.c.offset = req->offset;
	cb->u.c.flags = 0;
	if (a->dressed || req->op > FL_OP_WRITE || req->flags || req->prio)
		return queue_dressed(q, a, req, cb);
	a->pending[a->nr_pending++] = cb;
	return FL_PENDING;
}

/* The result of a request that failed, in io_submit() or later. */
__attribute__((cold, noinline))
static int64_t failed(struct fl_queue *q, const struct aio *a, struct fl_req *req, int err)
{
	if (err == -EINVAL && (req->op == FL_OP_SYNC || req->op == FL_OP_DATASYNC)) {
		q->counters[COUNT_SYNCS]++;
		return fl_fd_do(q, req);
	}
	if (err == -EPERM && a->prio)
		return q->host->fail(q, err, "cmdprio: class 1 (real time) needs CAP_SYS_ADMIN or "
				     "CAP_SYS_NICE: run as root, or choose class 2");
	if (err == -EINVAL && req->file->type == FL_FILE_CHAR)
		return q->host->fail(q, err, "%s takes no requests of libaio, as many character "
				     "devices do not: use ioengine=psync or io_uring",
				     req->file->name);
	return fl_fd_failed(q, req, -err, req->op <= FL_OP_WRITE ? a->rwf | fl_fd_rwf(req) : 0);
}

static int aio_commit(struct fl_queue *q)
{
	const struct timespec nap = { 0, 1000000 };
	struct aio *a = q->priv;
	uint32_t told = 0, tries = 0, depth = a->in_kernel + a->nr_pending + a->nr_refused;

	if (depth > q->counters[COUNT_DEPTH])
		q->counters[COUNT_DEPTH] = depth;
	while (told < a->nr_pending) {
		struct fl_req *req = a->pending[told]->data;
		int n = fl_kernel(SYS_io_submit, (long)a->ctx, a->nr_pending - told,
				  (long)(a->pending + told), 0, 0, 0);

		q->counters[COUNT_SUBMITS]++;
		if (n > 0) {
			told += n;
			a->in_kernel += n;
			continue;
		}
		if (n == -EINTR)
			continue;
		if (n == -EAGAIN && (told || a->in_kernel || a->nr_refused))
			break;		/* no room now: the rest waits for what is in flight */
		if (n == -EAGAIN && tries++ < 100) {
			nanosleep(&nap, NULL);
			continue;	/* nothing is in flight: only time can help */
		}
		req->res = failed(q, a, req, n);
		a->refused[a->nr_refused++] = req;
		told++;
	}
	a->nr_pending -= told;
	if (a->nr_pending)
		memmove(a->pending, a->pending + told, a->nr_pending * sizeof(*a->pending));
	return told;
}

/* ---- Handing back ---------------------------------------------------------------------------- */

static uint32_t take_refused(struct aio *a, uint32_t max, struct fl_req **done)
{
	uint32_t count = a->nr_refused < max ? a->nr_refused : max;

	memcpy(done, a->refused, count * sizeof(*done));
	a->nr_refused -= count;
	memmove(a->refused, a->refused + count, a->nr_refused * sizeof(*a->refused));
	return count;
}

static struct fl_req *settle(struct fl_queue *q, struct aio *a, const struct io_event *event)
{
	struct fl_req *req = event->data;

	req->res = (int64_t)event->res;
	if (req->res < 0)
		req->res = failed(q, a, req, (int)req->res);
	return req;
}

static uint32_t take_from_ring(struct fl_queue *q, struct aio *a, uint32_t max,
			       struct fl_req **done)
{
	struct aio_ring *ring = a->ring;
	uint32_t head = ring->head, count = 0;
	uint32_t tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);

	while (head != tail && count < max) {
		done[count++] = settle(q, a, &ring->events[head]);
		head = head + 1 == ring->count ? 0 : head + 1;
	}
	__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
	q->counters[COUNT_USER] += count;
	return count;
}

/* One io_getevents(2). Returns how many, or -errno. timeout_ns below 0: no limit. */
static int take_by_call(struct fl_queue *q, struct aio *a, uint32_t min, uint32_t max,
			int64_t timeout_ns, struct fl_req **done)
{
	struct timespec ts = { 0, 0 };
	int n;

	if (min && timeout_ns > 0) {
		ts.tv_sec = timeout_ns / 1000000000;
		ts.tv_nsec = timeout_ns % 1000000000;
	}
	q->counters[COUNT_GETS]++;
	n = fl_kernel(SYS_io_getevents, (long)a->ctx, min, max, (long)a->events,
		      min && timeout_ns < 0 ? 0 : (long)&ts, 0);
	for (int i = 0; i < n; i++)
		done[i] = settle(q, a, &a->events[i]);
	return n;
}

static int aio_complete(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
			struct fl_req **done)
{
	struct aio *a = q->priv;
	uint32_t count = 0, taken;
	int n;

	if (a->nr_refused)
		count = take_refused(a, max, done);
	if (a->ring) {
		taken = take_from_ring(q, a, max - count, done + count);
		a->in_kernel -= taken;
		count += taken;
	}
	if (count == max || (count >= min && (count || a->ring)))
		return count;
	if (a->nr_pending && min > count + a->in_kernel) {
		min = count + a->in_kernel;	/* the rest waits for the next commit() */
		if (min == count)
			return count;
	}
	n = take_by_call(q, a, min > count ? min - count : 0, max - count, timeout_ns,
			 done + count);
	if (n < 0 && n != -EINTR)
		return count ? (int)count : q->host->fail(q, n, "io_getevents(2) failed: %s",
							  strerror(-n));
	if (n > 0) {
		a->in_kernel -= n;
		count += n;
	}
	return count;
}

/* ---- The queue ------------------------------------------------------------------------------- */

/* Waits for all that is in flight. */
static void aio_close(struct fl_queue *q)
{
	struct aio *a = q->priv;

	fl_kernel_unmapping();
	io_destroy(a->ctx);
	q->host->free(a);
}

/* All the memory of a queue, in one piece. */
static struct aio *aio_alloc(struct fl_queue *q)
{
	size_t each = sizeof(struct iocb) + sizeof(struct io_event) + sizeof(struct iovec) +
		      sizeof(struct iocb *) + sizeof(struct fl_req *);
	struct aio *a = q->host->alloc(sizeof(*a) + q->depth * each, 64);

	if (!a)
		return NULL;
	a->iocbs = (struct iocb *)(a + 1);
	a->events = (struct io_event *)(a->iocbs + q->depth);
	a->vectors = (struct iovec *)(a->events + q->depth);
	a->pending = (struct iocb **)(a->vectors + q->depth);
	a->refused = (struct fl_req **)(a->pending + q->depth);
	return a;
}

static int aio_setup(struct fl_queue *q, struct aio *a)
{
	const struct aio_conf *conf = q->opts;
	struct aio_ring *ring;
	char why[256];
	int err = io_setup(q->depth, &a->ctx);

	if (err) {
		explain_setup(err, q->depth, why, sizeof(why));
		return q->host->fail(q, err, "%s", why);
	}
	fl_kernel_mapped();
	ring = (struct aio_ring *)a->ctx;
	if (conf->userspace_reap && ring->magic == (uint32_t)RING_MAGIC && !ring->incompat)
		a->ring = ring;
	else if (conf->userspace_reap)
		q->host->log(q, FL_LOG_NOTE, "userspace_reap has no effect: this kernel's ring of "
			     "results has another form");
	return 0;
}

static int aio_open(struct fl_queue *q)
{
	const struct aio_conf *conf = q->opts;
	struct aio *a = aio_alloc(q);
	int err;

	if (!a)
		return -ENOMEM;
	err = fl_cmdprio_init(&a->cmdprio, q, &conf->cmdprio);
	if (err >= 0) {
		a->prio = err;
		a->vectored = conf->vectored;
		a->rwf = conf->nowait ? RWF_NOWAIT : 0;
		a->dressed = a->prio || a->vectored;
		err = aio_setup(q, a);
	}
	if (err) {
		q->host->free(a);
		return err;
	}
	q->priv = a;
	if (!(q->job->flags & FL_JOB_DIRECT))
		q->host->log(q, FL_LOG_NOTE, "libaio is asynchronous with direct=1 alone: without "
			     "it each submission waits until its I/O is done");
	return 0;
}

static const struct fl_engine aio_engine = {
	FL_ENGINE_HEAD, .name = "libaio", .help = "io_submit(2) and io_getevents(2)",
	.caps = FL_CAP_ORDERED,		/* the kernel starts them in the call itself */
	FL_ENGINE_OPTS(struct aio_conf, aio_opts), FL_ENGINE_COUNTERS(aio_counters),
	.ops_supported = 1u << FL_OP_READ | 1u << FL_OP_WRITE | 1u << FL_OP_TRIM |
			 1u << FL_OP_SYNC | 1u << FL_OP_DATASYNC | 1u << FL_OP_SYNC_RANGE,
	.probe = aio_probe, .open = aio_open, .close = aio_close,
	.queue = aio_queue, .commit = aio_commit, .complete = aio_complete,
};

FL_ENGINE_EXPORT(&aio_engine);
