/* SPDX-License-Identifier: MIT */
/*
 * fio-like/mapped.h - what every engine does alike that copies out of and into a mapping.
 *
 * mmap, libpmem and dev-dax differ in how they map and in how they store. That a request is made
 * ready by moving the window, that a page the target cannot give is an error of that request, what
 * has been written and not synced yet: all that is the same in them, so it is here once.
 *
 * An fl_mapped is an open file, and its file->priv:
 *
 *	open, close	fl_mapped_pool_init(), fl_mapped_pool_free()
 *	file_open	fl_mapped_file_open(); or fl_mapped_get(), then fl_window_init()
 *	prep, queue	fl_mapped_prep(), fl_mapped_io() for reads and writes
 *	file_close	fl_mapped_file_close(); or fl_mapped_put()
 *
 * Header only; may be included from C++. Include it before any system header, or define
 * _GNU_SOURCE.
 */
#ifndef FIO_LIKE_MAPPED_H
#define FIO_LIKE_MAPPED_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include "fio-like/engine.h"
#include "fio-like/window.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#define FL_MAPPED_COLD		__attribute__((noinline, cold, unused))
#define FL_MAPPED_INLINE	inline __attribute__((always_inline))
#else
#define FL_MAPPED_COLD
#define FL_MAPPED_INLINE	inline
#endif

/* Counters side by side in the engine's rows: those of the window, then one of our own. */
enum { FL_MAPPED_ERRORS = FL_WINDOW_COUNTERS, FL_MAPPED_COUNTERS };

#define FL_MAPPED_COUNTER_ROWS								\
	FL_WINDOW_COUNTER_ROWS,								\
	{ .name = "map_errors", .help = "requests that met a page the file could not give" }

struct fl_mapped {
	struct fl_window w;
	struct fl_window_kind kind;	/* for engines where it differs from file to file */
	uint64_t dirty_from, dirty_to;	/* spans what was written since a sync; from > to: none */
	uint32_t flags;			/* the engine's own; 0 when the file is opened */
	struct fl_mapped *next;		/* of all there ever were */
	struct fl_mapped *next_free;
};

/* Of a queue. Closed files wait here for the next one to be opened. */
struct fl_mapped_pool {
	struct fl_mapped *all, *unused;
	uint64_t page_bytes;
};

static inline void fl_mapped_pool_init(struct fl_mapped_pool *pool)
{
	pool->all = pool->unused = NULL;
	pool->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
}

static inline void fl_mapped_pool_free(struct fl_mapped_pool *pool, struct fl_queue *q)
{
	struct fl_mapped *m, *next;

	for (m = pool->all; m; m = next) {
		next = m->next;
		q->host->free(m);
	}
}

/* fl_mapped_clean - nothing is left to sync. */
static inline void fl_mapped_clean(struct fl_mapped *m)
{
	m->dirty_from = UINT64_MAX;
	m->dirty_to = 0;
}

/* fl_mapped_get - a clean one, window and kind still to be set up; NULL: no memory. */
static inline struct fl_mapped *fl_mapped_get(struct fl_mapped_pool *pool, struct fl_queue *q)
{
	struct fl_mapped *m = pool->unused;

	if (m) {
		pool->unused = m->next_free;
	} else {
		m = (struct fl_mapped *)q->host->alloc(sizeof(*m), 0);
		if (!m)
			return NULL;
		m->next = pool->all;
		pool->all = m;
	}
	m->w.bytes = 0;
	m->flags = 0;
	fl_mapped_clean(m);
	return m;
}

/* fl_mapped_put - unmap, and keep it for the next file. */
static inline void fl_mapped_put(struct fl_mapped_pool *pool, struct fl_mapped *m)
{
	fl_window_drop(&m->w);
	m->next_free = pool->unused;
	pool->unused = m;
}

/* fl_mapped_end - how far the target reaches now; one without an end as far as the job was told. */
static inline uint64_t fl_mapped_end(const struct fl_file *f)
{
	off_t end = f->type == FL_FILE_CHAR ? -1 : lseek(f->fd, 0, SEEK_END);

	return end < 0 ? f->bytes : (uint64_t)end;
}

/*
 * fl_mapped_file_open - file_open of an engine that maps ordinary files: for reading, and for
 * writing too where `writes`, never with O_DIRECT or O_APPEND, which mean nothing to a mapping.
 * window: bytes of it, 0: all. Returns 0 with f->fd open and f->priv set; or -errno, with neither.
 */
static inline int fl_mapped_file_open(struct fl_mapped_pool *pool, struct fl_queue *q,
				      struct fl_file *f, const struct fl_window_kind *kind,
				      int writes, uint64_t window)
{
	int flags = f->open_flags & ~(O_ACCMODE | O_DIRECT | O_APPEND), err;
	struct fl_mapped *m;

	if (f->type == FL_FILE_PIPE)	/* or open(2) waits for the other end, in vain */
		return q->host->fail(q, -ENODEV, "%s is a pipe, which cannot be mapped: "
				     "ioengine=sync reads and writes a stream", f->name);
	m = fl_mapped_get(pool, q);
	if (!m)
		return -ENOMEM;
	f->fd = open(f->name, flags | (writes ? O_RDWR : O_RDONLY), 0644);
	if (f->fd < 0) {
		err = -errno;
		fl_mapped_put(pool, m);
		return err;
	}
	fl_window_init(&m->w, q, f, kind, window, fl_mapped_end(f), 0);
	f->priv = m;
	return 0;
}

/* fl_mapped_file_close - unmap and close. Returns 0, or -errno of close(2); f->fd is -1. */
static inline int fl_mapped_file_close(struct fl_mapped_pool *pool, struct fl_file *f)
{
	int err;

	fl_mapped_put(pool, (struct fl_mapped *)f->priv);
	/* After an interrupted close(2) Linux has closed the descriptor all the same. */
	err = close(f->fd) && errno != EINTR ? -errno : 0;
	f->fd = -1;
	return err;
}

/* ---- Syncing, where the page cache lies between a mapping and the medium --------------------- */

/* fl_mapped_wrote - [from, to) is to be synced some time. */
static inline void fl_mapped_wrote(struct fl_mapped *m, uint64_t from, uint64_t to)
{
	if (from < m->dirty_from)
		m->dirty_from = from;
	if (to > m->dirty_to)
		m->dirty_to = to;
}

/* fl_mapped_sync_range - msync of [from, to), which the window holds. 0 or -errno. */
static inline int fl_mapped_sync_range(const struct fl_mapped_pool *pool, const struct fl_mapped *m,
				       uint64_t from, uint64_t to)
{
	from -= from % pool->page_bytes;	/* it wants whole pages */
	return msync(fl_window_at(&m->w, from), (size_t)(to - from), MS_SYNC) ? -errno : 0;
}

/*
 * fl_mapped_sync - all that was written: by msync of that range while the window holds it, which
 * spares the rest of the file; otherwise by fsync, or fdatasync without metadata. 0 or -errno.
 */
static inline int fl_mapped_sync(const struct fl_mapped_pool *pool, struct fl_mapped *m,
				 int metadata)
{
	uint64_t from = m->dirty_from, to = m->dirty_to;
	int fd = m->w.f->fd, err;

	if (from < to && fl_window_holds(&m->w, from, to - from))
		err = fl_mapped_sync_range(pool, m, from, to);
	else
		err = (metadata ? fsync(fd) : fdatasync(fd)) ? -errno : 0;
	if (!err)
		fl_mapped_clean(m);
	return err;
}

/* ---- Reads and writes ------------------------------------------------------------------------ */

/*
 * fl_mapped_prep - see to it that the range of a read or write is mapped: its address goes into
 * req->priv, the bytes there are into req->res (fewer than len at the end of the target).
 * Returns 0 or -errno.
 */
static inline int fl_mapped_prep(struct fl_queue *q, struct fl_req *req)
{
	struct fl_mapped *m = (struct fl_mapped *)req->file->priv;
	int64_t n;

	if (req->op > FL_OP_WRITE)
		return 0;
	if (req->flags & FL_REQ_NOWAIT)
		return q->host->fail(q, -EOPNOTSUPP, "%s cannot do nowait: a page fault always "
				     "waits", q->engine->name);
	n = fl_window_need(&m->w, req->offset, req->len);
	if (n < 0)
		return (int)n;
	req->res = n;
	req->priv = n ? fl_window_at(&m->w, req->offset) : NULL;
	return 0;
}

/* A page was missing, and zeroes stand in for it: away with them, lest they be read as data. */
FL_MAPPED_COLD
static int64_t fl_mapped_missing(struct fl_queue *q, struct fl_req *req)
{
	struct fl_mapped *m = (struct fl_mapped *)req->file->priv;

	q->counters[m->w.counter + FL_MAPPED_ERRORS]++;
	fl_window_drop(&m->w);
	return q->host->fail(q, -EIO, "%s: the mapping has no page somewhere in %llu + %llu: the "
			     "file was cut short, has a hole on a full disk, or its device "
			     "failed", req->file->name, (unsigned long long)req->offset,
			     (unsigned long long)req->len);
}

/*
 * fl_mapped_io - the read or write that fl_mapped_prep() made ready. read and write move req->res
 * bytes between req->priv and req->buf, and set req->res to -errno if they fail. Returns FL_DONE.
 */
static FL_MAPPED_INLINE int fl_mapped_io(struct fl_queue *q, struct fl_req *req,
					 void (*read)(struct fl_queue *q, struct fl_req *req),
					 void (*write)(struct fl_queue *q, struct fl_req *req))
{
	uint32_t missing = *q->map_faults;

	if (!req->res) {			/* past the end of the target */
		req->res = req->op == FL_OP_READ ? 0 : -ENOSPC;
		return FL_DONE;
	}
	/* The copy stays between the two looks at the count, which a signal handler changes. */
	__asm__ volatile("" ::: "memory");
	if (req->op == FL_OP_READ)
		read(q, req);
	else
		write(q, req);
	__asm__ volatile("" ::: "memory");
	if (*q->map_faults != missing)
		req->res = fl_mapped_missing(q, req);
	return FL_DONE;
}

#ifdef __cplusplus
}
#endif
#endif
