/* SPDX-License-Identifier: MIT */
/*
 * io_uring: requests go into a ring that the kernel reads, results come out of another.
 *
 * One ring per queue. queue() fills an entry, commit() is one io_uring_enter(2) for all of them,
 * complete() takes what lies in the completion ring, and enters the kernel only if that is not
 * enough. The ring itself is in fio-like/uring.h; here is what its entries say.
 *
 * What a ring cannot do (any but read and write when it polls, discards of block devices) is done
 * by a plain system call in queue().
 */
#define _GNU_SOURCE 1
#include "fio-like/cmdprio.h"
#include "fio-like/engine.h"
#include "fio-like/fdops.h"
#include "fio-like/uring.h"

#include <stdbool.h>

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

enum {
	LEN_MAX = 0x7ffff000,		/* bytes; the kernel moves no more at once */
	BUFFER_BYTES_MAX = 1 << 30,	/* of one registered buffer; the kernel's limit */
	BUFFERS_MAX = 1 << 14,
	FILES_MAX = 32768,
};

struct uring_conf {
	struct fl_cmdprio_conf cmdprio;
	uint64_t sqthread_poll_idle;
	int64_t sqthread_poll_cpu;
	int64_t nonvectored;
	uint32_t hipri;
	uint32_t fixedbufs;
	uint32_t registerfiles;
	uint32_t sqthread_poll;
	uint32_t uncached;
	uint32_t nowait;
	uint32_t force_async;
	uint32_t readfua;
	uint32_t writefua;
	uint32_t trim_method;
};

FL_FD_TRIM_NAMES(trim_names);

#define ROW(kind, option, help_, ...)						\
	{ .name = #option, .type = FL_OPT_##kind, .help = help_,			\
	  .offset = offsetof(struct uring_conf, option), __VA_ARGS__ }

static const struct fl_opt uring_opts[] = {
	ROW(FLAG, hipri, "poll for completions (IORING_SETUP_IOPOLL)",
	    .more = "Needs direct=1 and a device whose queues are polled. Syncs and trims are "
		    "then plain system calls."),
	ROW(FLAG, fixedbufs, "register the I/O buffers with the kernel",
	    .more = "Spares the kernel from pinning their pages for each direct I/O. They count "
		    "as locked memory (ulimit -l)."),
	ROW(FLAG, registerfiles, "register the files with the kernel",
	    .more = "Spares the kernel a reference per I/O. sqthread_poll implies it."),
	ROW(FLAG, sqthread_poll, "let a thread of the kernel submit (IORING_SETUP_SQPOLL)",
	    .more = "It spins on a CPU of its own while there is something to do."),
	ROW(I64, sqthread_poll_cpu, "CPU of that thread", .min = (uint64_t)-1, .max = 65535,
	    .def = "-1", .more = "-1: wherever the scheduler puts it."),
	ROW(TIME, sqthread_poll_idle, "how long that thread spins before it sleeps",
	    .min = 1000000, .max = 3600ull * 1000000000, .def_unit_ns = 1000000, .def = "1s"),
	ROW(I64, nonvectored, "1: read and write; 0: readv and writev; -1: the best there is",
	    .min = (uint64_t)-1, .max = 1, .def = "-1"),
	ROW(BOOL, uncached, "leave nothing behind in the page cache (RWF_DONTCACHE)",
	    .more = "Buffered I/O that drops its pages afterwards. Needs Linux 6.14 and a file "
		    "system that knows it."),
	ROW(BOOL, nowait, "fail with EAGAIN rather than wait (RWF_NOWAIT)",
	    .more = "Goes together with ignore_error=EAGAIN."),
	ROW(U32, force_async, "hand every so many-th request to a worker thread (IOSQE_ASYNC)",
	    .unit = "requests", .more = "0: the kernel decides."),
	ROW(BOOL, readfua, "no effect: a read of a file has no FUA"),
	ROW(BOOL, writefua, "each write is on stable storage when it is done (RWF_DSYNC)"),
	FL_FD_OPT_TRIM(struct uring_conf, trim_method, trim_names),
	FL_OPT_ROWS_CMDPRIO(struct uring_conf, cmdprio),
};

enum { COUNT_ENTERS, COUNT_SQES, COUNT_BUFFERS, COUNT_FILES, COUNT_FLAGS, COUNT_DEPTH, COUNT_PRIO };

static const struct fl_counter uring_counters[] = {
	[COUNT_ENTERS] = { .name = "enters", .unit = "calls", .help = "io_uring_enter calls made" },
	[COUNT_SQES] = { .name = "sqes", .help = "requests handed to the kernel by the ring" },
	[COUNT_BUFFERS] = { .name = "fixed_buffer_ios", .help = "I/Os to a registered buffer" },
	[COUNT_FILES] = { .name = "fixed_file_ios", .help = "requests to a registered file" },
	[COUNT_FLAGS] = { .name = "setup_flags", .merge = FL_MERGE_MAX,
			  .help = "IORING_SETUP_* bits of the ring" },
	[COUNT_DEPTH] = { .name = "depth_max", .unit = "requests", .merge = FL_MERGE_MAX,
			  .help = "the most requests that were in flight at once" },
	[COUNT_PRIO] = { .name = "prioritised", .help = "requests sent with a priority" },
};

struct uring {
	struct fl_ring r;
	uint32_t told;			/* of r.sent, commit() has said so many */
	uint32_t rwf;			/* RWF_* of every read and write */
	uint8_t opcode[2];		/* of FL_OP_READ, FL_OP_WRITE */
	bool dressed;			/* entries need more than the plain way gives them */
	bool prio;
	/* What few settings use. */
	struct iovec *vectors;		/* nonvectored=0: one per slot */
	const char *buffers;		/* fixedbufs: all of them, from here */
	uint64_t buffers_bytes, buffer_bytes;	/* in all; of one registered buffer */
	uint32_t buffer_shift;		/* slots to registered buffers */
	uint32_t async_every, async_left;
	struct fl_cmdprio cmdprio;
	int *free_files;		/* registerfiles: slots of the table */
	uint32_t nr_free_files;
};

/* ---- Starting -------------------------------------------------------------------------------- */

/* The file's slot in the table, which it gets with its first request; -1 if there is none. */
static int file_slot(struct uring *u, struct fl_file *f)
{
	int slot;

	if (likely(f->priv))
		return (intptr_t)f->priv - 1;
	if (!u->nr_free_files)
		return -1;
	slot = u->free_files[u->nr_free_files - 1];
	if (io_uring_register_files_update(&u->r.ring, slot, &f->fd, 1) != 1)
		return -1;
	u->nr_free_files--;
	f->priv = (void *)(intptr_t)(slot + 1);
	return slot;
}

static void dress_file(struct fl_queue *q, struct uring *u, struct io_uring_sqe *sqe,
		       struct fl_file *f)
{
	int slot = file_slot(u, f);

	if (slot < 0)
		return;
	sqe->fd = slot;
	sqe->flags |= IOSQE_FIXED_FILE;
	q->counters[COUNT_FILES]++;
}

/* A request's buffer may be any memory: only what lies in one registered buffer goes that way. */
static bool dress_buffer(struct uring *u, struct io_uring_sqe *sqe, const struct fl_req *req)
{
	uint64_t at = (uintptr_t)req->buf - (uintptr_t)u->buffers, first;
	uint32_t index = req->slot >> u->buffer_shift;

	first = index * u->buffer_bytes;
	if (at < first || at - first > u->buffer_bytes || at > u->buffers_bytes ||
	    sqe->len > u->buffers_bytes - at || sqe->len > u->buffer_bytes - (at - first))
		return false;
	sqe->opcode = req->op == FL_OP_READ ? IORING_OP_READ_FIXED : IORING_OP_WRITE_FIXED;
	sqe->buf_index = index;
	return true;
}

static void dress_transfer(struct fl_queue *q, struct uring *u, struct io_uring_sqe *sqe,
			   struct fl_req *req)
{
	sqe->rw_flags |= fl_fd_rwf(req);
	if (req->op == FL_OP_WRITE && ((const struct uring_conf *)q->opts)->writefua)
		sqe->rw_flags |= RWF_DSYNC;
	sqe->ioprio = u->prio ? fl_cmdprio_pick(&u->cmdprio, req) : req->prio;
	q->counters[COUNT_PRIO] += sqe->ioprio != 0;
	if (u->buffers && dress_buffer(u, sqe, req)) {
		q->counters[COUNT_BUFFERS]++;
	} else if (u->vectors) {
		u->vectors[req->slot] = (struct iovec){ req->buf, sqe->len };
		sqe->addr = (uintptr_t)&u->vectors[req->slot];
		sqe->len = 1;
	}
}

/* Turns the entry into one of an operation other than read and write. False: the ring has none. */
static bool dress_other(struct uring *u, const struct uring_conf *conf, struct io_uring_sqe *sqe,
			const struct fl_req *req)
{
	sqe->addr = 0;
	sqe->len = 0;
	sqe->rw_flags = 0;
	switch (req->op) {
	case FL_OP_SYNC:
	case FL_OP_DATASYNC:
		sqe->opcode = IORING_OP_FSYNC;
		sqe->off = 0;
		sqe->fsync_flags = req->op == FL_OP_DATASYNC ? IORING_FSYNC_DATASYNC : 0;
		break;
	case FL_OP_SYNC_RANGE:
		if (req->len > UINT32_MAX)
			return false;
		sqe->opcode = IORING_OP_SYNC_FILE_RANGE;
		sqe->len = req->len;
		sqe->sync_range_flags = req->arg;
		break;
	case FL_OP_TRIM:
		if (req->file->type != FL_FILE_REGULAR &&
		    (req->file->type != FL_FILE_BLOCK || conf->trim_method != FL_FD_TRIM_PUNCH))
			return false;
		sqe->opcode = IORING_OP_FALLOCATE;
		sqe->addr = req->len;
		sqe->len = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
		break;
	default:
		return false;
	}
	return !(u->r.flags & IORING_SETUP_IOPOLL) && u->r.ops >> sqe->opcode & 1;
}

__attribute__((noinline))
static int queue_dressed(struct fl_queue *q, struct uring *u, struct fl_req *req,
			 struct io_uring_sqe *sqe)
{
	const struct uring_conf *conf = q->opts;

	if (req->op <= FL_OP_WRITE) {
		dress_transfer(q, u, sqe, req);
	} else if (!dress_other(u, conf, sqe, req)) {
		req->res = req->op == FL_OP_TRIM ? fl_fd_trim(q, req, conf->trim_method)
						 : fl_fd_do(q, req);
		return FL_DONE;
	}
	if (u->free_files)
		dress_file(q, u, sqe, req->file);
	if (u->async_every && !--u->async_left) {
		u->async_left = u->async_every;
		sqe->flags |= IOSQE_ASYNC;
	}
	u->r.tail++;
	return FL_PENDING;
}

static int uring_queue(struct fl_queue *q, struct fl_req *req)
{
	struct uring *u = q->priv;
	struct io_uring_sqe *sqe = &u->r.sqes[u->r.tail & u->r.sq_mask];

	if (!fl_ring_room(&u->r))
		return -EAGAIN;
	/* What is not named here is 0 from the start and stays so. */
	sqe->opcode = u->opcode[req->op & 1];
	sqe->flags = 0;
	sqe->ioprio = 0;
	sqe->fd = req->file->fd;
	sqe->off = req->offset;
	sqe->addr = (uintptr_t)req->buf;
	sqe->len = req->len < LEN_MAX ? req->len : LEN_MAX;
	sqe->rw_flags = u->rwf;
	sqe->user_data = (uintptr_t)req;
	sqe->buf_index = 0;
	if (unlikely(u->dressed || req->op > FL_OP_WRITE || req->flags || req->prio))
		return queue_dressed(q, u, req, sqe);
	u->r.tail++;
	return FL_PENDING;
}

static int uring_commit(struct fl_queue *q)
{
	struct uring *u = q->priv;
	uint32_t count, depth = u->r.tail - u->r.cq_head;
	int err;

	if (unlikely(depth > q->counters[COUNT_DEPTH]))
		q->counters[COUNT_DEPTH] = depth;
	err = fl_ring_commit(&u->r);
	if (unlikely(err))
		return q->host->fail(q, err, "io_uring_enter(2) failed: %s", strerror(-err));
	count = u->r.sent - u->told;
	u->told = u->r.sent;
	q->counters[COUNT_SQES] += count;
	return count;
}

/* ---- Handing back ---------------------------------------------------------------------------- */

/* The result of a request that failed, or that has no bytes. */
__attribute__((cold, noinline))
static int64_t settle(struct fl_queue *q, const struct fl_req *req, int res)
{
	const struct uring_conf *conf = q->opts;
	const struct uring *u = q->priv;

	if (!res && req->op == FL_OP_TRIM)
		return req->len;
	if (res >= 0)
		return res;
	if (res == -EOPNOTSUPP && conf->hipri)
		return q->host->fail(q, res, "hipri: %s cannot be polled: its device has no polled "
				     "queues (/sys/block/*/queue/io_poll is 0), or its file "
				     "system knows no polling", req->file->name);
	if (res == -EINVAL && req->flags & FL_REQ_POLLED && !conf->hipri)
		return q->host->fail(q, -EOPNOTSUPP, "a ring polls for all of its requests or for "
				     "none: set hipri");
	if (res == -EPERM && u->prio)
		return q->host->fail(q, res, "cmdprio: class 1 (real time) needs CAP_SYS_ADMIN or "
				     "CAP_SYS_NICE: run as root, or choose class 2");
	return fl_fd_failed(q, req, -res,
			    req->op <= FL_OP_WRITE ? (int)u->rwf | fl_fd_rwf(req) : 0);
}

static uint32_t reap(struct fl_queue *q, struct uring *u, uint32_t max, struct fl_req **done)
{
	uint32_t ready = fl_ring_ready(&u->r), count = ready < max ? ready : max;

	for (uint32_t i = 0; i < count; i++) {
		const struct io_uring_cqe *cqe = &u->r.cqes[(u->r.cq_head + i) & u->r.cq_mask];
		struct fl_req *req = (struct fl_req *)(uintptr_t)cqe->user_data;

		req->res = cqe->res;
		if (unlikely(cqe->res < 0 || req->op > FL_OP_WRITE))
			req->res = settle(q, req, cqe->res);
		done[i] = req;
	}
	fl_ring_seen(&u->r, count);
	return count;
}

/*
 * Waits in the kernel. But for rings that poll and for rare wakings the first wait ends with what
 * it waited for, the timeout or a signal. So the clock is read only if it does not; the whole wait
 * may then take twice the timeout, at most.
 */
__attribute__((noinline))
static int reap_more(struct fl_queue *q, struct uring *u, uint32_t count, uint32_t min,
		     uint32_t max, int64_t timeout_ns, struct fl_req **done)
{
	uint32_t in_kernel = u->r.sent - u->r.cq_head;
	uint64_t limit_ns = 0;
	int64_t left_ns = timeout_ns;

	if (unlikely(u->r.tail != u->r.sent && min > count + in_kernel))
		min = count + in_kernel;	/* the rest waits for the next commit() */
	if (min == count && !fl_ring_hides(&u->r))
		return count;
	for (;;) {
		int err = fl_ring_wait(&u->r, min > count ? min - count : 0, left_ns);

		count += reap(q, u, max - count, done + count);
		if (count >= min || err == -ETIME || err == -EINTR || !timeout_ns)
			return count;
		if (err < 0)
			return count ? (int)count :
			       q->host->fail(q, err, "waiting in io_uring_enter(2) failed: %s",
					     strerror(-err));
		if (timeout_ns > 0) {
			uint64_t now_ns = q->host->now_ns();

			if (!limit_ns)
				limit_ns = now_ns + timeout_ns;
			left_ns = limit_ns - now_ns;
			if (left_ns <= 0)
				return count;
		}
	}
}

static int uring_complete(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
			  struct fl_req **done)
{
	struct uring *u = q->priv;
	uint32_t count = reap(q, u, max, done);

	if (likely(count && count >= min))
		return count;
	if (count >= min || !timeout_ns)	/* a look is enough */
		return fl_ring_hides(&u->r) ? reap_more(q, u, count, min, max, 0, done) :
					      (int)count;
	return reap_more(q, u, count, min, max, timeout_ns, done);
}

/*
 * The kernel's answer comes with the call, not by the ring: 0, or that the request is running and
 * will not be stopped. Linux 6.0.
 */
static int uring_cancel(struct fl_queue *q, struct fl_req *req)
{
	struct io_uring_sync_cancel_reg reg = { .addr = (uintptr_t)req, .fd = -1 };
	struct uring *u = q->priv;
	int err = io_uring_register_sync_cancel(&u->r.ring, &reg);

	return err == -ETIME ? -EALREADY : err == -ENOENT || err > 0 ? 0 : err;
}

/* ---- Registering ----------------------------------------------------------------------------- */

static int register_files(struct fl_queue *q, struct uring *u)
{
	uint32_t count = q->job->files_open_max;
	int err;

	count = !count ? 1 : count > FILES_MAX ? FILES_MAX : count;
	u->free_files = q->host->alloc(count * sizeof(int), 0);
	if (!u->free_files)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		u->free_files[i] = -1;		/* an empty slot */
	err = io_uring_register_files(&u->r.ring, u->free_files, count);
	if (err)
		return q->host->fail(q, err, "registerfiles: the kernel takes no table of %u "
				     "files: %s%s", count, strerror(-err),
				     err == -EMFILE ? "; raise ulimit -n" : "");
	for (uint32_t i = 0; i < count; i++)
		u->free_files[i] = i;
	u->nr_free_files = count;
	return 0;
}

static int uring_file_close(struct fl_queue *q, struct fl_file *f)
{
	struct uring *u = q->priv;
	int slot = (intptr_t)f->priv - 1, none = -1, fd = f->fd;

	if (slot >= 0) {
		io_uring_register_files_update(&u->r.ring, slot, &none, 1);
		u->free_files[u->nr_free_files++] = slot;
		f->priv = NULL;
	}
	f->fd = -1;
	return fd >= 0 && close(fd) && errno != EINTR ? -errno : 0;
}

static int fail_buffers(struct fl_queue *q, int err, uint64_t bytes)
{
	struct rlimit lock = { 0, 0 };

	getrlimit(RLIMIT_MEMLOCK, &lock);
	if (err == -ENOMEM)
		return q->host->fail(q, err, "fixedbufs: %llu KiB of buffers count as locked "
				     "memory, of which %llu KiB are allowed: raise ulimit -l, or "
				     "lower iodepth or bs", (unsigned long long)bytes / 1024,
				     (unsigned long long)lock.rlim_cur / 1024);
	if (err == -EOPNOTSUPP)
		return q->host->fail(q, err, "fixedbufs: buffers that lie in a file cannot be "
				     "registered; choose another iomem");
	return q->host->fail(q, err, "fixedbufs: the kernel refuses to register %llu KiB of "
			     "buffers: %s", (unsigned long long)bytes / 1024, strerror(-err));
}

/* Few large buffers for the kernel, each of a power of two of ours. */
static int uring_buffers_ready(struct fl_queue *q)
{
	const struct uring_conf *conf = q->opts;
	struct uring *u = q->priv;
	uint64_t bytes = q->depth * q->buffer_stride;
	struct iovec *v;
	uint32_t count;
	int err;

	if (!conf->fixedbufs || !q->buffers || !bytes)
		return 0;
	while (u->buffer_shift < 16 &&
	       q->buffer_stride << (u->buffer_shift + 1) <= BUFFER_BYTES_MAX)
		u->buffer_shift++;
	u->buffer_bytes = q->buffer_stride << u->buffer_shift;
	count = (bytes + u->buffer_bytes - 1) / u->buffer_bytes;
	if (u->buffer_bytes > BUFFER_BYTES_MAX || count > BUFFERS_MAX)
		return q->host->fail(q, -EINVAL, "fixedbufs: the kernel registers at most %d "
				     "buffers of 1 GiB: lower bs or iodepth", BUFFERS_MAX);
	v = q->host->alloc(count * sizeof(*v), 0);
	if (!v)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t at = i * u->buffer_bytes, left = bytes - at;

		v[i].iov_base = (char *)q->buffers + at;
		v[i].iov_len = left < u->buffer_bytes ? left : u->buffer_bytes;
	}
	err = io_uring_register_buffers(&u->r.ring, v, count);
	q->host->free(v);
	if (err)
		return fail_buffers(q, err, bytes);
	u->buffers = q->buffers;
	u->buffers_bytes = bytes;
	return 0;
}

/* ---- The queue ------------------------------------------------------------------------------- */

static int choose_opcodes(struct fl_queue *q, struct uring *u)
{
	const struct uring_conf *conf = q->opts;
	uint64_t plain = 1ull << IORING_OP_READ | 1ull << IORING_OP_WRITE;
	bool have = (u->r.ops & plain) == plain;

	if (conf->nonvectored == 1 && !have)
		return q->host->fail(q, -EOPNOTSUPP, "nonvectored=1 needs Linux 5.6; leave it out");
	u->opcode[FL_OP_READ] = IORING_OP_READ;
	u->opcode[FL_OP_WRITE] = IORING_OP_WRITE;
	if (conf->nonvectored && have)
		return 0;
	u->opcode[FL_OP_READ] = IORING_OP_READV;
	u->opcode[FL_OP_WRITE] = IORING_OP_WRITEV;
	u->vectors = q->host->alloc(q->depth * sizeof(*u->vectors), 0);
	return u->vectors ? 0 : -ENOMEM;
}

static int check_conf(struct fl_queue *q, const struct uring_conf *conf)
{
	if (conf->hipri && !(q->job->flags & FL_JOB_DIRECT))
		return q->host->fail(q, -EINVAL, "hipri polls the queues of a device, so it needs "
				     "direct=1");
	if (conf->sqthread_poll_cpu >= 0 && !conf->sqthread_poll)
		q->host->log(q, FL_LOG_NOTE, "sqthread_poll_cpu has no effect without "
			     "sqthread_poll");
	if (conf->readfua)
		q->host->log(q, FL_LOG_NOTE, "readfua has no effect with io_uring: a read of a "
			     "file has no FUA");
	return 0;
}

static int ring_open(struct fl_queue *q, struct uring *u, const struct uring_conf *conf)
{
	struct io_uring_params want = { .flags = conf->hipri ? IORING_SETUP_IOPOLL : 0 };
	char why[256];
	int err;

	if (conf->sqthread_poll) {
		want.flags |= IORING_SETUP_SQPOLL;
		want.sq_thread_idle = conf->sqthread_poll_idle / 1000000;
		if (conf->sqthread_poll_cpu >= 0) {
			want.flags |= IORING_SETUP_SQ_AFF;
			want.sq_thread_cpu = conf->sqthread_poll_cpu;
		}
	}
	err = fl_ring_open(&u->r, q->depth, &want, &q->counters[COUNT_ENTERS]);
	if (!err) {
		q->counters[COUNT_FLAGS] = u->r.flags;
		q->host->log(q, FL_LOG_DEBUG, "ring of %u and %u entries, setup flags 0x%x, "
			     "features 0x%x", u->r.sq_entries, u->r.cq_mask + 1, u->r.flags,
			     u->r.features);
		return 0;
	}
	if (err == -EINVAL && conf->sqthread_poll && conf->sqthread_poll_cpu >= 0)
		return q->host->fail(q, err, "sqthread_poll_cpu=%lld: the kernel refuses to run "
				     "its thread there; is that CPU online, and in this cpuset?",
				     (long long)conf->sqthread_poll_cpu);
	fl_ring_explain(err, why, sizeof(why));
	return q->host->fail(q, err, "%s", why);
}

/* The wishes of the options, once the ring is there. */
static int configure(struct fl_queue *q, struct uring *u, const struct uring_conf *conf)
{
	int err;

	u->rwf = (conf->uncached ? RWF_DONTCACHE : 0) | (conf->nowait ? RWF_NOWAIT : 0);
	u->async_every = u->async_left = conf->force_async;
	err = fl_cmdprio_init(&u->cmdprio, q, &conf->cmdprio);
	if (err < 0)
		return err;
	u->prio = err;
	err = choose_opcodes(q, u);
	if (!err && (conf->registerfiles || conf->sqthread_poll))
		err = register_files(q, u);
	u->dressed = u->prio || u->vectors || u->free_files || u->async_every ||
		     conf->fixedbufs || conf->writefua;
	return err;
}

static int uring_probe(const struct fl_host *host, char *why, size_t why_bytes)
{
	struct io_uring_params p = { 0 };
	int fd = io_uring_setup(1, &p);

	(void)host;
	if (fd >= 0)
		return close(fd);
	fl_ring_explain(fd, why, why_bytes);
	return fd;
}

static void uring_close(struct fl_queue *q)
{
	struct uring *u = q->priv;

	fl_ring_close(&u->r);
	q->host->free(u->free_files);
	q->host->free(u->vectors);
	q->host->free(u);
}

static int uring_open(struct fl_queue *q)
{
	const struct uring_conf *conf = q->opts;
	struct uring *u;
	int err = check_conf(q, conf);

	if (err)
		return err;
	u = q->host->alloc(sizeof(*u), 64);
	if (!u)
		return -ENOMEM;
	err = ring_open(q, u, conf);
	if (err) {
		q->host->free(u);
		return err;
	}
	q->priv = u;
	err = configure(q, u, conf);
	if (err) {
		uring_close(q);
		return err;
	}
	q->poll_fd = conf->hipri ? -1 : u->r.ring.ring_fd;
	return 0;
}

static const struct fl_engine uring_engine = {
	FL_ENGINE_HEAD, .name = "io_uring", .help = "the kernel's rings of requests and results",
	FL_ENGINE_OPTS(struct uring_conf, uring_opts), FL_ENGINE_COUNTERS(uring_counters),
	.ops_supported = 1u << FL_OP_READ | 1u << FL_OP_WRITE | 1u << FL_OP_TRIM |
			 1u << FL_OP_SYNC | 1u << FL_OP_DATASYNC | 1u << FL_OP_SYNC_RANGE,
	.probe = uring_probe, .open = uring_open, .close = uring_close,
	.file_close = uring_file_close, .buffers_ready = uring_buffers_ready,
	.queue = uring_queue, .commit = uring_commit, .complete = uring_complete,
	.cancel = uring_cancel,
};

FL_ENGINE_EXPORT(&uring_engine);
