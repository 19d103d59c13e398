/* SPDX-License-Identifier: MIT */
/*
 * mmap: I/O as a program does it that maps its files. A read is a copy out of the mapping (or only
 * a touch of it), a write is a copy into it, and what the kernel does for that are page faults.
 *
 * Windows, missing pages and what is dirty are the business of fio-like/mapped.h. Here is how a
 * range is mapped, and what a read and a write do with it.
 */
#define _GNU_SOURCE 1
#include "fio-like/engine.h"
#include "fio-like/fdops.h"
#include "fio-like/mapped.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { TOUCH_COPY, TOUCH_BYTE, TOUCH_PAGE };

struct mmap_conf {
	uint64_t map_window;
	uint32_t map_private;
	uint32_t map_touch;
	uint32_t thp;
};

static const struct fl_opt_value touch_words[] = {
	{ "copy", TOUCH_COPY, "copy into the I/O buffer" },
	{ "byte", TOUCH_BYTE, "look at every byte, keep none" },
	{ "page", TOUCH_PAGE, "look at one byte of each page" },
	{ .name = NULL },
};

static const struct fl_opt mmap_opts[] = {
	FL_OPT_ROW_MAP_WINDOW(struct mmap_conf),
	{
		.name = "map_private", .type = FL_OPT_FLAG,
		.offset = offsetof(struct mmap_conf, map_private),
		.help = "map with MAP_PRIVATE instead of MAP_SHARED",
		.more = "What is written then stays in memory, and is gone with the window.",
	}, {
		.name = "map_touch", .type = FL_OPT_ENUM, .values = touch_words, .def = "copy",
		.offset = offsetof(struct mmap_conf, map_touch), .help = "what a read does",
		.more = "Only copy fills the I/O buffer, so only copy can be verified. Writes "
			"always copy.",
	}, {
		.name = "thp", .type = FL_OPT_BOOL, .offset = offsetof(struct mmap_conf, thp),
		.help = "ask for transparent huge pages (MADV_HUGEPAGE)",
	},
};

static const struct fl_counter mmap_counters[] = {
	FL_MAPPED_COUNTER_ROWS
};

struct mmap_queue {
	const struct mmap_conf *conf;
	int prot, flags;
	bool writes;
	bool write_through;		/* sync=1, sync=dsync */
	uint64_t sum;			/* of what was touched: no compiler may leave it out */
	struct fl_window_kind kind;
	struct fl_mapped_pool pool;
};

/* ---- Mapping --------------------------------------------------------------------------------- */

static int range_advise(struct fl_queue *q, const struct mmap_queue *m, void *addr, uint64_t bytes)
{
	static const int advice[] = {
		[FL_ADVICE_NORMAL] = MADV_NORMAL, [FL_ADVICE_SEQUENTIAL] = MADV_SEQUENTIAL,
		[FL_ADVICE_RANDOM] = MADV_RANDOM, [FL_ADVICE_WILLNEED] = MADV_WILLNEED,
		[FL_ADVICE_DONTNEED] = MADV_DONTNEED,
		[FL_ADVICE_NOREUSE] = MADV_NORMAL,	/* file_open() gives it to the descriptor */
	};
	uint32_t hint = q->job->advice;

	if (m->conf->thp && madvise(addr, bytes, MADV_HUGEPAGE))
		return q->host->fail(q, -errno, "thp=1: this kernel gives no huge pages: %s",
				     strerror(errno));
	if (hint == FL_ADVICE_NONE || hint >= sizeof(advice) / sizeof(advice[0]))
		return 0;
	return madvise(addr, bytes, advice[hint]) ? -errno : 0;
}

static int range_map(struct fl_queue *q, struct fl_file *f, uint64_t offset, uint64_t bytes,
		     void **addr)
{
	const struct mmap_queue *m = q->priv;
	int err;

	*addr = mmap(NULL, bytes, m->prot, m->flags, f->fd, offset);
	if (*addr == MAP_FAILED)
		return q->host->fail(q, -errno, "%s: cannot map %llu bytes at %llu: %s%s", f->name,
				     (unsigned long long)bytes, (unsigned long long)offset,
				     strerror(errno), errno == ENOMEM ? "; try map_window=" : "");
	err = range_advise(q, m, *addr, bytes);
	if (err)
		munmap(*addr, bytes);
	return err;
}

/* ---- The queue ------------------------------------------------------------------------------- */

static int mmap_open(struct fl_queue *q)
{
	const struct mmap_conf *conf = q->opts;
	struct mmap_queue *m = q->host->alloc(sizeof(*m), 0);

	if (!m)
		return -ENOMEM;
	m->conf = conf;
	m->writes = q->job->ops & (1u << FL_OP_WRITE | 1u << FL_OP_TRIM);
	m->prot = PROT_READ | (m->writes ? PROT_WRITE : 0);
	m->flags = conf->map_private ? MAP_PRIVATE : MAP_SHARED;
	m->write_through = q->job->flags & (FL_JOB_SYNC | FL_JOB_DSYNC);
	fl_mapped_pool_init(&m->pool);
	m->kind = (struct fl_window_kind){ .align = m->pool.page_bytes, .map = range_map };
	if (q->job->flags & FL_JOB_DIRECT)
		q->host->log(q, FL_LOG_NOTE, "direct=1 has no effect with mmap: a mapping is the "
			     "page cache");
	if (conf->map_private && q->job->ops & 1u << FL_OP_WRITE)
		q->host->log(q, FL_LOG_NOTE, "map_private=1: what is written never reaches the "
			     "file");
	q->priv = m;
	q->flags = FL_QUEUE_SYNC;
	return 0;
}

static void mmap_close(struct fl_queue *q)
{
	struct mmap_queue *m = q->priv;

	fl_mapped_pool_free(&m->pool, q);
	q->host->free(m);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static int mmap_file_close(struct fl_queue *q, struct fl_file *f)
{
	struct mmap_queue *m = q->priv;

	return fl_mapped_file_close(&m->pool, f);
}

static int mmap_file_open(struct fl_queue *q, struct fl_file *f)
{
	struct mmap_queue *m = q->priv;
	int err = fl_mapped_file_open(&m->pool, q, f, &m->kind, m->writes, m->conf->map_window);

	if (err || q->job->advice != FL_ADVICE_NOREUSE)
		return err;
	err = -posix_fadvise(f->fd, f->io_start, f->io_bytes, POSIX_FADV_NOREUSE);
	if (err)
		mmap_file_close(q, f);
	return err;
}

/* Dirty pages are written first: what stays dirty cannot be dropped. */
static int mmap_file_invalidate(struct fl_queue *q, struct fl_file *f)
{
	struct fl_mapped *mp = f->priv;

	(void)q;
	if (mp->w.bytes && madvise(mp->w.addr, mp->w.bytes, MADV_DONTNEED))
		return -errno;
	if (fdatasync(f->fd))
		return -errno;
	return -posix_fadvise(f->fd, f->io_start, f->io_bytes, POSIX_FADV_DONTNEED);
}

/* ---- What is rare ---------------------------------------------------------------------------- */

__attribute__((cold, noinline))
static int do_rare(struct fl_queue *q, struct fl_req *req)
{
	const struct mmap_queue *m = q->priv;
	struct fl_mapped *mp = req->file->priv;
	bool metadata = req->op == FL_OP_SYNC;

	switch (req->op) {
	case FL_OP_TRIM:
		req->res = fl_fd_do(q, req);
		fl_mapped_clean(mp);	/* the next sync is the descriptor's, for the hole too */
		break;
	case FL_OP_SYNC:
	case FL_OP_DATASYNC:
		req->res = m->conf->map_private ? 0 : fl_mapped_sync(&m->pool, mp, metadata);
		break;
	default:
		req->res = fl_fd_do(q, req);
	}
	return FL_DONE;
}

static void do_read(struct fl_queue *q, struct fl_req *req)
{
	struct mmap_queue *m = q->priv;
	const unsigned char *from = req->priv;
	uint64_t step = m->conf->map_touch == TOUCH_PAGE ? m->pool.page_bytes : 1, sum = 0;
	int64_t n = req->res;

	if (m->conf->map_touch == TOUCH_COPY) {
		memcpy(req->buf, from, n);
		return;
	}
	if (step == 1)
		for (int64_t i = 0; i < n; i++)
			sum += from[i];
	else
		for (int64_t i = 0; i < n; i += step)
			sum += from[i];
	m->sum += sum;
}

static void do_write(struct fl_queue *q, struct fl_req *req)
{
	const struct mmap_queue *m = q->priv;
	struct fl_mapped *mp = req->file->priv;
	uint64_t from = req->offset, to = from + req->res;
	int err;

	memcpy(req->priv, req->buf, req->res);
	if (m->write_through || req->flags & FL_REQ_FUA) {
		err = m->conf->map_private ? 0 : fl_mapped_sync_range(&m->pool, mp, from, to);
		if (err)
			req->res = err;
		return;
	}
	fl_mapped_wrote(mp, from, to);
}

static int mmap_queue(struct fl_queue *q, struct fl_req *req)
{
	if (req->op > FL_OP_WRITE)
		return do_rare(q, req);
	return fl_mapped_io(q, req, do_read, do_write);
}

static const struct fl_engine mmap_engine = {
	FL_ENGINE_HEAD, .name = "mmap", .help = "copies out of and into a mapping",
	.caps = FL_CAP_LAYOUT | FL_CAP_UNALIGNED,
	FL_ENGINE_OPTS(struct mmap_conf, mmap_opts), FL_ENGINE_COUNTERS(mmap_counters),
	.ops_supported = 1u << FL_OP_READ | 1u << FL_OP_WRITE | 1u << FL_OP_TRIM |
			 1u << FL_OP_SYNC | 1u << FL_OP_DATASYNC | 1u << FL_OP_SYNC_RANGE,
	.open = mmap_open, .close = mmap_close,
	.file_open = mmap_file_open, .file_close = mmap_file_close,
	.file_invalidate = mmap_file_invalidate,
	.prep = fl_mapped_prep, .queue = mmap_queue,
};

FL_ENGINE_EXPORT(&mmap_engine);
