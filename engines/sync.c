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
 * for all five and stands in one place, do_rare(): requests with flags, syncs, trims. So is the
 * sentence for an error, failed(), because what the kernel calls EINVAL is known better here.
 */
#define _GNU_SOURCE 1
#include "fio-like/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Younger than the headers of many systems. */
#ifndef RWF_ATOMIC
#define RWF_ATOMIC	0x40
#endif
#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE	0x80
#endif
/* <linux/fs.h> has it too, but not side by side with <sys/uio.h>. */
#ifndef BLKDISCARD
#define BLKDISCARD	_IO(0x12, 119)
#endif
#ifndef BLKZEROOUT
#define BLKZEROOUT	_IO(0x12, 127)
#endif

#define SYNC_OPS	(1u << FL_OP_READ | 1u << FL_OP_WRITE | 1u << FL_OP_TRIM | \
			 1u << FL_OP_SYNC | 1u << FL_OP_DATASYNC | 1u << FL_OP_SYNC_RANGE)

/* As the offset of preadv2(2): the file's own position, which moves on. */
#define AT_POSITION	(-1)

/* trim_method: how devices are trimmed. The runner knows that only DISCARD leaves anything. */
enum { TRIM_DISCARD, TRIM_PUNCH, TRIM_ZEROOUT };

/* Options of all five; those of pvsync2 begin with them. */
struct sync_conf {
	uint32_t trim_method;
};

static const struct fl_opt_value trim_names[] = {
	{ "discard", TRIM_DISCARD, "BLKDISCARD: given back, and what is read then is anything" },
	{ "punch", TRIM_PUNCH, "fallocate: given back and read as zeroes, or refused" },
	{ "zeroout", TRIM_ZEROOUT, "BLKZEROOUT: read as zeroes, which are written if need be" },
	{ NULL, 0, NULL },
};

#define ROW_TRIM(conf, member)								\
	{ .name = "trim_method", .type = FL_OPT_ENUM, .offset = offsetof(conf, member),	\
	  .values = trim_names, .def = "discard", .help = "how devices are trimmed",		\
	  .more = "Regular files always by punching holes, which read as zeroes." }

static const struct fl_opt sync_opts[] = {
	ROW_TRIM(struct sync_conf, trim_method),
};

/* ---- Errors: the sentence behind the number -------------------------------------------------- */

static int refused_flags(struct fl_queue *q, const struct fl_req *req, int rwf)
{
	struct utsname kernel = { .release = "?" };
	const char *needs = "RWF_DSYNC (a write with FUA) needs Linux 4.7";

	if (rwf & RWF_ATOMIC)
		needs = "RWF_ATOMIC (atomic) needs Linux 6.11, and a file system and device that "
			"can write this many bytes at once";
	else if (rwf & RWF_DONTCACHE)
		needs = "RWF_DONTCACHE (uncached) needs Linux 6.14 and a file system that knows "
			"it, as ext4 and xfs do and tmpfs does not";
	else if (rwf & RWF_NOWAIT)
		needs = "RWF_NOWAIT (nowait) needs Linux 4.14 and a file system that knows it";
	else if (rwf & RWF_HIPRI)
		needs = "RWF_HIPRI (hipri) needs Linux 4.6 and a device whose queues are polled";
	uname(&kernel);
	return q->host->fail(q, -EOPNOTSUPP, "%s: %s; this is Linux %s", req->file->name, needs,
			     kernel.release);
}

/* The result of a call that failed: -err, and the cause in words where the number doesn't tell. */
__attribute__((cold, noinline))
static int64_t failed(struct fl_queue *q, const struct fl_req *req, int err, int rwf)
{
	const struct fl_file *f = req->file;

	if (err == ESPIPE)
		return q->host->fail(q, -err, "%s has no offsets, and %s needs them: "
				     "ioengine=sync reads and writes a stream", f->name,
				     q->engine->name);
	if ((err == EOPNOTSUPP && rwf) || (err == EINVAL && rwf & RWF_ATOMIC))
		return refused_flags(q, req, rwf);
	if (err == EINVAL && req->op <= FL_OP_WRITE && (f->open_flags & O_DIRECT))
		return q->host->fail(q, -err, "%s: direct=1 wants offset, length and buffer "
				     "address in multiples of the device's logical block; they "
				     "were %llu, %llu, %p", f->name,
				     (unsigned long long)req->offset,
				     (unsigned long long)req->len, req->buf);
	return -err;
}

/* ---- What is rare, and the same for all ------------------------------------------------------ */

static int rwf_of(uint32_t flags, uint32_t op)
{
	return (flags & FL_REQ_FUA && op == FL_OP_WRITE ? RWF_DSYNC : 0) |
	       (flags & FL_REQ_NOWAIT ? RWF_NOWAIT : 0) |
	       (flags & FL_REQ_POLLED ? RWF_HIPRI : 0);
}

/* One transfer with flags, at an offset or AT_POSITION. Returns bytes, or -1 and errno. */
static ssize_t move_flagged(const struct fl_req *req, const struct iovec *iov, int parts, off_t at,
			    int rwf)
{
	if (req->op == FL_OP_READ)
		return preadv2(req->file->fd, iov, parts, at, rwf);
	return pwritev2(req->file->fd, iov, parts, at, rwf);
}

static int64_t trim(struct fl_queue *q, const struct fl_req *req)
{
	uint32_t how = ((const struct sync_conf *)q->opts)->trim_method;
	const struct fl_file *f = req->file;
	uint64_t range[2] = { req->offset, req->len };
	int err;

	if (f->type != FL_FILE_REGULAR && f->type != FL_FILE_BLOCK)
		return q->host->fail(q, -EOPNOTSUPP, "%s: only regular files and block devices "
				     "can be trimmed", f->name);
	if (f->type == FL_FILE_REGULAR || how == TRIM_PUNCH)
		err = fallocate(f->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				      req->offset, req->len);
	else
		err = ioctl(f->fd, how == TRIM_ZEROOUT ? BLKZEROOUT : BLKDISCARD, range);
	if (!err)
		return req->len;
	if (errno == EOPNOTSUPP)
		return q->host->fail(q, -EOPNOTSUPP, "%s cannot be trimmed: its %s", f->name,
				     f->type == FL_FILE_BLOCK ? "device has no discard" :
				     "file system cannot punch holes");
	if (errno == EINVAL && f->type == FL_FILE_BLOCK)
		return q->host->fail(q, -EINVAL, "%s: trims of a device want offset and length in "
				     "multiples of its logical block; they were %llu, %llu",
				     f->name, (unsigned long long)req->offset,
				     (unsigned long long)req->len);
	return -errno;
}

/* A request with flags, or of an operation other than read and write; at as in move_flagged(). */
__attribute__((cold, noinline))
static int do_rare(struct fl_queue *q, struct fl_req *req, off_t at)
{
	const struct iovec one = { req->buf, req->len };
	int fd = req->file->fd, rwf = 0;
	ssize_t n;

	switch (req->op) {
	case FL_OP_READ:
	case FL_OP_WRITE:
		rwf = rwf_of(req->flags, req->op);
		n = move_flagged(req, &one, 1, at, rwf);
		break;
	case FL_OP_TRIM:
		req->res = trim(q, req);
		return FL_DONE;
	case FL_OP_SYNC:
		n = fsync(fd);
		break;
	case FL_OP_DATASYNC:
		n = fdatasync(fd);
		break;
	case FL_OP_SYNC_RANGE:
		n = sync_file_range(fd, req->offset, req->len, req->arg);
		break;
	default:
		n = -1;
		errno = EOPNOTSUPP;
	}
	req->res = n >= 0 ? n : failed(q, req, errno, rwf);
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
		req->res = failed(q, req, errno, 0);
		return FL_DONE;
	}
	if (req->flags) {
		do_rare(q, req, AT_POSITION);
	} else {
		n = req->op == FL_OP_READ ? read(fd, req->buf, req->len) :
					    write(fd, req->buf, req->len);
		req->res = n >= 0 ? n : failed(q, req, errno, 0);
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
	req->res = n >= 0 ? n : failed(q, req, errno, 0);
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
	req->res = n >= 0 ? n : failed(q, req, errno, 0);
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
	ROW_TRIM(struct pvsync2_conf, all.trim_method),
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
		rwf |= rwf_of(req->flags, req->op);
	if (p->polled_below && pvsync2_draw(p) < p->polled_below)
		rwf |= RWF_HIPRI;
	n = move_flagged(req, &one, 1, req->offset, rwf);
	req->res = n >= 0 ? n : failed(q, req, errno, rwf);
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
	int rwf = rwf_of(first->flags, first->op), parts;
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
		first->res = failed(q, first, errno, rwf);
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
