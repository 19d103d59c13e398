/* SPDX-License-Identifier: MIT */
/*
 * The synchronous engines: when the call is over, so is the I/O.
 *
 *	sync	lseek + read, write	by the file's own position; no lseek where that is right
 *	psync	pread, pwrite
 *	vsync	lseek + readv, writev	neighbours of one batch go in one call
 *	pvsync	preadv, pwritev
 *	pvsync2	preadv2, pwritev2	with flags for every request
 *
 * Each has a queue() that holds its own two calls and nothing else. Whatever is rare is the same
 * for all five and stands in one place, do_rare(): requests with flags, syncs, trims. The sentence
 * for an error, and what every engine does alike that works on descriptors, is in fio-like/fdops.h.
 */
#define _GNU_SOURCE 1
#include "fio-like/engine.h"
#include "fio-like/fdops.h"

#include <stdbool.h>

#define SYNC_OPS	(1u << FL_OP_READ | 1u << FL_OP_WRITE | 1u << FL_OP_TRIM | \
			 1u << FL_OP_SYNC | 1u << FL_OP_DATASYNC | 1u << FL_OP_SYNC_RANGE)

/* As the offset of preadv2(2): the file's own position, which moves on. */
#define AT_POSITION	(-1)

/* Options of all five; those of pvsync2 begin with them. */
struct sync_conf {
	uint32_t trim_method;
};

FL_FD_TRIM_NAMES(trim_names);

static const struct fl_opt sync_opts[] = {
	FL_FD_OPT_TRIM(struct sync_conf, trim_method, trim_names),
};

/* ---- What is rare, and the same for all ------------------------------------------------------ */

/* One transfer with flags, at an offset or AT_POSITION. Returns bytes, or -1 and errno. */
static ssize_t move_flagged(const struct fl_req *req, const struct iovec *iov, int parts, off_t at,
			    int rwf)
{
	if (req->op == FL_OP_READ)
		return preadv2(req->file->fd, iov, parts, at, rwf);
	return pwritev2(req->file->fd, iov, parts, at, rwf);
}

/* A request with flags, or of an operation other than read and write; at as in move_flagged(). */
__attribute__((cold, noinline))
static int do_rare(struct fl_queue *q, struct fl_req *req, off_t at)
{
	const struct iovec one = { req->buf, req->len };
	const struct sync_conf *conf = q->opts;
	int rwf;
	ssize_t n;

	if (req->op == FL_OP_TRIM) {
		req->res = fl_fd_trim(q, req, conf->trim_method);
	} else if (req->op > FL_OP_WRITE) {
		req->res = fl_fd_do(q, req);
	} else {
		rwf = fl_fd_rwf(req);
		n = move_flagged(req, &one, 1, at, rwf);
		req->res = n >= 0 ? n : fl_fd_failed(q, req, errno, rwf);
	}
	return FL_DONE;
}

static inline bool is_rare(const struct fl_req *req)
{
	return req->flags || req->op > FL_OP_WRITE;
}

/* ---- Positions: sync and vsync --------------------------------------------------------------- */

/*
 * Where the file's own position is, kept in f->priv: 0 in a file just opened, as it is in truth.
 * After an error, or past what a pointer can hold, it is lost, and the next transfer seeks.
 */
#define POSITION_LOST	UINTPTR_MAX

enum { COUNT_SEEKS, COUNT_VECTORS };

static void position_moved(const struct fl_req *first, ssize_t n)
{
	uint64_t to = first->offset + n;

	first->file->priv = (void *)(n < 0 || to > POSITION_LOST ? POSITION_LOST : (uintptr_t)to);
}

/* Puts the position at the request's offset. Streams have none and are taken as they come. */
static int position_seek(struct fl_queue *q, const struct fl_req *req)
{
	struct fl_file *f = req->file;
	uintptr_t at = (uintptr_t)f->priv;

	if ((at == req->offset && at != POSITION_LOST) || f->type == FL_FILE_PIPE)
		return 0;
	q->counters[COUNT_SEEKS]++;
	if (lseek(f->fd, req->offset, SEEK_SET) < 0 && errno != ESPIPE)
		return -1;
	return 0;
}

/* ---- sync ------------------------------------------------------------------------------------ */

static int sync_queue(struct fl_queue *q, struct fl_req *req)
{
	int fd = req->file->fd;
	ssize_t n;

	if (req->op > FL_OP_WRITE)
		return do_rare(q, req, AT_POSITION);
	n = position_seek(q, req);
	if (n < 0) {
		req->res = fl_fd_failed(q, req, errno, 0);
		return FL_DONE;
	}
	if (req->flags) {
		do_rare(q, req, AT_POSITION);
	} else {
		n = req->op == FL_OP_READ ? read(fd, req->buf, req->len) :
					    write(fd, req->buf, req->len);
		req->res = n >= 0 ? n : fl_fd_failed(q, req, errno, 0);
	}
	position_moved(req, req->res);
	return FL_DONE;
}

/* ---- psync ----------------------------------------------------------------------------------- */

static int psync_queue(struct fl_queue *q, struct fl_req *req)
{
	int fd = req->file->fd;
	ssize_t n;

	if (is_rare(req))
		return do_rare(q, req, req->offset);
	n = req->op == FL_OP_READ ? pread(fd, req->buf, req->len, req->offset) :
				    pwrite(fd, req->buf, req->len, req->offset);
	req->res = n >= 0 ? n : fl_fd_failed(q, req, errno, 0);
	return FL_DONE;
}

/* ---- pvsync ---------------------------------------------------------------------------------- */

static int pvsync_queue(struct fl_queue *q, struct fl_req *req)
{
	const struct iovec one = { req->buf, req->len };
	int fd = req->file->fd;
	ssize_t n;

	if (is_rare(req))
		return do_rare(q, req, req->offset);
	n = req->op == FL_OP_READ ? preadv(fd, &one, 1, req->offset) :
				    pwritev(fd, &one, 1, req->offset);
	req->res = n >= 0 ? n : fl_fd_failed(q, req, errno, 0);
	return FL_DONE;
}

/* ---- pvsync2 --------------------------------------------------------------------------------- */

struct pvsync2_conf {
	struct sync_conf all;
	uint32_t hipri;
	uint32_t hipri_percentage;
	uint32_t uncached;
	uint32_t nowait;
};

static const struct fl_opt pvsync2_opts[] = {
	{
		.name = "hipri", .type = FL_OPT_FLAG,
		.offset = offsetof(struct pvsync2_conf, hipri),
		.help = "poll for the completion (RWF_HIPRI)",
		.more = "Has an effect with direct=1 on a device whose queues are polled.",
	}, {
		.name = "hipri_percentage", .type = FL_OPT_U32,
		.offset = offsetof(struct pvsync2_conf, hipri_percentage), .min = 0, .max = 100,
		.def = "100", .unit = "percent",
		.help = "with hipri: share of requests to poll for",
	}, {
		.name = "uncached", .type = FL_OPT_BOOL,
		.offset = offsetof(struct pvsync2_conf, uncached),
		.help = "leave nothing behind in the page cache (RWF_DONTCACHE)",
		.more = "Buffered I/O that drops its pages afterwards. Needs Linux 6.14 and a file "
			"system that knows it.",
	}, {
		.name = "nowait", .type = FL_OPT_BOOL,
		.offset = offsetof(struct pvsync2_conf, nowait),
		.help = "fail with EAGAIN rather than wait (RWF_NOWAIT)",
		.more = "Goes together with ignore_error=EAGAIN.",
	},
	FL_FD_OPT_TRIM(struct pvsync2_conf, all.trim_method, trim_names),
};

struct pvsync2 {
	int rwf;			/* of every request */
	int rwf_write;			/* of writes, too */
	uint32_t polled_below;		/* a random number below it: this one is polled for, too */
	uint64_t random;
};

static int pvsync2_open(struct fl_queue *q)
{
	const struct pvsync2_conf *conf = q->opts;
	struct pvsync2 *p = q->host->alloc(sizeof(*p), 0);

	if (!p)
		return -ENOMEM;
	p->rwf = (conf->uncached ? RWF_DONTCACHE : 0) | (conf->nowait ? RWF_NOWAIT : 0);
	p->rwf_write = q->job->flags & FL_JOB_ATOMIC ? RWF_ATOMIC : 0;
	if (conf->hipri && conf->hipri_percentage == 100)
		p->rwf |= RWF_HIPRI;
	else if (conf->hipri)
		p->polled_below = conf->hipri_percentage * (UINT32_MAX / 100);
	p->random = q->job->seed;
	if (conf->hipri && !(q->job->flags & FL_JOB_DIRECT))
		q->host->log(q, FL_LOG_NOTE, "hipri has no effect without direct=1");
	q->priv = p;
	q->flags = FL_QUEUE_SYNC;
	return 0;
}

static void pvsync2_close(struct fl_queue *q)
{
	q->host->free(q->priv);
}

/* Knuth's 64-bit linear congruential generator (MMIX); its upper half is random enough here. */
static uint32_t pvsync2_draw(struct pvsync2 *p)
{
	p->random = p->random * 6364136223846793005u + 1442695040888963407u;
	return p->random >> 32;
}

static int pvsync2_queue(struct fl_queue *q, struct fl_req *req)
{
	const struct iovec one = { req->buf, req->len };
	struct pvsync2 *p = q->priv;
	int rwf = p->rwf | (req->op == FL_OP_WRITE ? p->rwf_write : 0);
	ssize_t n;

	if (req->op > FL_OP_WRITE)
		return do_rare(q, req, req->offset);
	if (req->flags)
		rwf |= fl_fd_rwf(req);
	if (p->polled_below && pvsync2_draw(p) < p->polled_below)
		rwf |= RWF_HIPRI;
	n = move_flagged(req, &one, 1, req->offset, rwf);
	req->res = n >= 0 ? n : fl_fd_failed(q, req, errno, rwf);
	return FL_DONE;
}

/* ---- vsync ----------------------------------------------------------------------------------- */

/*
 * Requests wait in a ring, in the order of queue(). commit() closes a batch; complete() takes from
 * the ring's head as many neighbours (same file, operation and flags, each beginning where the one
 * before it ends) as lie in one batch, and moves them by one call. The call is made in complete()
 * because it is the waiting: its time is completion latency, as with the other engines here.
 */
enum { VSYNC_RUN_MAX = 1024 };		/* the kernel's UIO_MAXIOV */

struct vsync {
	uint32_t mask;			/* slots of the ring - 1 */
	/* Four counters that only grow: head <= moved <= told <= tail. */
	uint32_t head;
	uint32_t moved;			/* from head to here: res is set */
	uint32_t told;			/* from moved to here: committed */
	uint32_t tail;
	struct iovec *run;
	struct fl_req *ring[];
};

/* req->priv of the last request of a batch. */
#define BATCH_END	((void *)1)

static int vsync_open(struct fl_queue *q)
{
	uint32_t run_max = q->depth < VSYNC_RUN_MAX ? q->depth : VSYNC_RUN_MAX, slots = 1;
	struct vsync *v;

	while (slots < q->depth)
		slots *= 2;
	v = q->host->alloc(sizeof(*v) + slots * sizeof(v->ring[0]) +
			   run_max * sizeof(v->run[0]), 0);
	if (!v)
		return -ENOMEM;
	v->mask = slots - 1;
	v->run = (struct iovec *)&v->ring[slots];
	q->priv = v;
	q->flags = q->depth == 1 ? FL_QUEUE_SYNC : 0;
	return 0;
}

static void vsync_close(struct fl_queue *q)
{
	q->host->free(q->priv);
}

/* Fills v->run with the neighbours from v->moved on. Returns how many there are, at least 1. */
static int vsync_gather(struct vsync *v)
{
	const struct fl_req *last = v->ring[v->moved & v->mask], *next;
	int parts = 0;

	for (;;) {
		v->run[parts++] = (struct iovec){ last->buf, last->len };
		if (last->priv == BATCH_END || parts == VSYNC_RUN_MAX)
			return parts;
		next = v->ring[(v->moved + parts) & v->mask];
		if (next->file != last->file || next->op != last->op ||
		    next->flags != last->flags || next->offset != last->offset + last->len)
			return parts;
		last = next;
	}
}

static ssize_t vsync_call(struct fl_queue *q, const struct fl_req *first, int parts, int rwf)
{
	const struct vsync *v = q->priv;
	int fd = first->file->fd;
	ssize_t n = position_seek(q, first);

	if (n < 0)
		return n;
	q->counters[COUNT_VECTORS]++;
	if (rwf)
		n = move_flagged(first, v->run, parts, AT_POSITION, rwf);
	else
		n = first->op == FL_OP_READ ? readv(fd, v->run, parts) :
					      writev(fd, v->run, parts);
	position_moved(first, n);
	return n;
}

/* Moves the next run and shares out what the call moved; who got nothing has another go. */
static void vsync_move(struct fl_queue *q, struct vsync *v)
{
	struct fl_req *first = v->ring[v->moved & v->mask], *req;
	int rwf = fl_fd_rwf(first), parts;
	ssize_t n;

	if (first->op > FL_OP_WRITE) {
		do_rare(q, first, AT_POSITION);
		v->moved++;
		return;
	}
	parts = vsync_gather(v);
	n = vsync_call(q, first, parts, rwf);
	if (n < 0 && parts > 1)		/* which one was it? the first answers for itself only */
		n = vsync_call(q, first, 1, rwf);
	if (n < 0) {
		first->res = fl_fd_failed(q, first, errno, rwf);
		v->moved++;
		return;
	}
	do {
		req = v->ring[v->moved++ & v->mask];
		req->res = (uint64_t)n < req->len ? n : (ssize_t)req->len;
		n -= req->res;
	} while (n > 0);
}

static int vsync_commit(struct fl_queue *q)
{
	struct vsync *v = q->priv;
	int count = v->tail - v->told;

	if (count)
		v->ring[(v->tail - 1) & v->mask]->priv = BATCH_END;
	v->told = v->tail;
	return count;
}

static int vsync_complete(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
			  struct fl_req **done)
{
	struct vsync *v = q->priv;
	uint32_t count = 0;

	(void)timeout_ns;		/* a call under way cannot be left */
	/* Asked for none at all it makes one call still: nobody else would ever make it. */
	while (v->moved != v->told && (v->moved - v->head < min || v->moved == v->head))
		vsync_move(q, v);
	while (v->head != v->moved && count < max)
		done[count++] = v->ring[v->head++ & v->mask];
	return count;
}

static int vsync_queue(struct fl_queue *q, struct fl_req *req)
{
	struct vsync *v = q->priv;

	req->priv = NULL;
	v->ring[v->tail++ & v->mask] = req;
	if (!(q->flags & FL_QUEUE_SYNC))
		return FL_PENDING;
	vsync_commit(q);
	vsync_move(q, v);
	v->head++;
	return FL_DONE;
}

/* ---- The tables ------------------------------------------------------------------------------ */

static const struct fl_counter position_counters[] = {
	[COUNT_SEEKS] = { .name = "seeks", .unit = "calls", .help = "lseek calls made" },
	[COUNT_VECTORS] = { .name = "vector_calls", .unit = "calls",
			    .help = "readv and writev calls made" },
};

static const struct fl_engine sync_engine = {
	FL_ENGINE_HEAD, .name = "sync", .help = "lseek(2) and read(2) or write(2)",
	FL_ENGINE_OPTS(struct sync_conf, sync_opts),
	.ops_supported = SYNC_OPS, .queue = sync_queue,
	.counter_rows = position_counters, .nr_counters = COUNT_SEEKS + 1,
	.counter_size = sizeof(position_counters[0]),
};

static const struct fl_engine psync_engine = {
	FL_ENGINE_HEAD, .name = "psync", .help = "pread(2) and pwrite(2)",
	FL_ENGINE_OPTS(struct sync_conf, sync_opts),
	.ops_supported = SYNC_OPS, .queue = psync_queue,
};

static const struct fl_engine vsync_engine = {
	FL_ENGINE_HEAD, .name = "vsync", .help = "readv(2) and writev(2), neighbours in one call",
	FL_ENGINE_OPTS(struct sync_conf, sync_opts),
	.ops_supported = SYNC_OPS, FL_ENGINE_COUNTERS(position_counters),
	.open = vsync_open, .close = vsync_close,
	.queue = vsync_queue, .commit = vsync_commit, .complete = vsync_complete,
};

static const struct fl_engine pvsync_engine = {
	FL_ENGINE_HEAD, .name = "pvsync", .help = "preadv(2) and pwritev(2)",
	FL_ENGINE_OPTS(struct sync_conf, sync_opts),
	.ops_supported = SYNC_OPS, .queue = pvsync_queue,
};

static const struct fl_engine pvsync2_engine = {
	FL_ENGINE_HEAD, .name = "pvsync2", .help = "preadv2(2) and pwritev2(2), with flags",
	.caps = FL_CAP_ATOMIC,
	FL_ENGINE_OPTS(struct pvsync2_conf, pvsync2_opts),
	.ops_supported = SYNC_OPS, .open = pvsync2_open, .close = pvsync2_close,
	.queue = pvsync2_queue,
};

FL_ENGINE_EXPORT(&sync_engine, &psync_engine, &vsync_engine, &pvsync_engine, &pvsync2_engine);
