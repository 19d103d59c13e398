/* SPDX-License-Identifier: MIT */
/*
 * libpmem: files on persistent memory, by the loads and stores of libpmem.
 *
 * Where the kernel maps a file with MAP_SYNC, its pages are the medium itself and stores need no
 * system call to be durable; that is is_pmem=1, and fio-like/pmem.h has the policy. On any other
 * file the page cache lies between, is_pmem is 0, and msync(2) takes the place of flush and drain:
 * at the same times, of the range that was written.
 *
 * libpmem itself maps whole files only, and only for writing. It does so here where that is what is
 * wanted; a window (map_window=, a part of a file) or a file that is only read is mapped by the
 * same rule here: MAP_SYNC if the file system knows it, and if so, is_pmem. PMEM_IS_PMEM_FORCE
 * overrules that, as libpmem documents it.
 */
#define _GNU_SOURCE 1
#include "fio-like/engine.h"
#include "fio-like/fdops.h"
#include "fio-like/mapped.h"
#include "fio-like/pmem.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* linux/mman.h has them too, but not side by side with sys/mman.h of every C library. */
#ifndef MAP_SYNC
#define MAP_SYNC		0x80000
#endif
#ifndef MAP_SHARED_VALIDATE
#define MAP_SHARED_VALIDATE	0x03
#endif

#define IS_PMEM		(1u << 0)	/* fl_mapped.flags: of the latest mapping */

struct pmem_conf {
	uint64_t map_window;
};

static const struct fl_opt pmem_opts[] = {
	FL_OPT_ROW_MAP_WINDOW(struct pmem_conf),
};

enum {
	COUNT_PMEM = FL_MAPPED_COUNTERS,
	COUNT_IS_PMEM = COUNT_PMEM + FL_PMEM_COUNTERS,
	COUNT_MSYNCS,
};

static const struct fl_counter pmem_counters[] = {
	FL_MAPPED_COUNTER_ROWS,
	FL_PMEM_COUNTER_ROWS,
	{ .name = "is_pmem", .merge = FL_MERGE_MAX,
	  .help = "1: files are persistent memory (a note names one that is not)" },
	{ .name = "msyncs", .help = "msync or fsync calls, for files that are not" },
};

struct pmem_queue {
	const struct pmem_conf *conf;
	struct fl_pmem pmem;
	unsigned cached_flags;		/* of pmem_memcpy(3) where is_pmem is 0 */
	bool writes;
	bool write_through;		/* sync=1, sync=dsync */
	bool noted;			/* that a file is not persistent memory */
	int forced;			/* PMEM_IS_PMEM_FORCE: 0, 1; -1: not set */
	struct fl_window_kind kind;
	struct fl_mapped_pool pool;
};

/* ---- Mapping --------------------------------------------------------------------------------- */

static int cannot_map(struct fl_queue *q, const struct fl_file *f, uint64_t offset, uint64_t bytes,
		      int err, const char *why)
{
	return q->host->fail(q, -err, "%s: cannot map %llu bytes at %llu: %s%s", f->name,
			     (unsigned long long)bytes, (unsigned long long)offset, why,
			     err == ENOMEM ? "; try map_window=" :
			     err == EINVAL && f->type == FL_FILE_CHAR ? "; ioengine=dev-dax knows "
			     "where a device-DAX device can be mapped" : "");
}

/* By libpmem, if it is the whole file. 1: it is not, or it has another size by now. */
static int map_whole(struct fl_queue *q, struct fl_file *f, uint64_t offset, uint64_t bytes,
		     void **addr, bool *is_pmem)
{
	struct pmem_queue *m = q->priv;
	struct fl_mapped *mp = f->priv;
	size_t mapped;
	int pmem;

	if (offset || bytes != mp->w.end || !m->writes || f->type != FL_FILE_REGULAR)
		return 1;
	*addr = pmem_map_file(f->name, 0, 0, 0, &mapped, &pmem);
	if (!*addr)
		return cannot_map(q, f, offset, bytes, errno, pmem_errormsg());
	*is_pmem = pmem;
	if (mapped == bytes)
		return 0;
	pmem_unmap(*addr, mapped);
	return 1;
}

static int map_part(struct fl_queue *q, struct fl_file *f, uint64_t offset, uint64_t bytes,
		    void **addr, bool *is_pmem)
{
	const struct pmem_queue *m = q->priv;
	int prot = PROT_READ | (m->writes ? PROT_WRITE : 0);

	*is_pmem = true;
	*addr = mmap(NULL, bytes, prot, MAP_SHARED_VALIDATE | MAP_SYNC, f->fd, offset);
	if (*addr == MAP_FAILED && (errno == EOPNOTSUPP || errno == EINVAL)) {
		*is_pmem = false;
		*addr = mmap(NULL, bytes, prot, MAP_SHARED, f->fd, offset);
	}
	if (*addr == MAP_FAILED)
		return cannot_map(q, f, offset, bytes, errno, strerror(errno));
	if (m->forced >= 0)
		*is_pmem = m->forced;
	return 0;
}

static int range_map(struct fl_queue *q, struct fl_file *f, uint64_t offset, uint64_t bytes,
		     void **addr)
{
	struct pmem_queue *m = q->priv;
	struct fl_mapped *mp = f->priv;
	bool is_pmem = false;
	int err = map_whole(q, f, offset, bytes, addr, &is_pmem);

	if (err > 0)
		err = map_part(q, f, offset, bytes, addr, &is_pmem);
	if (err)
		return err;
	mp->flags = is_pmem ? IS_PMEM : 0;
	q->counters[COUNT_IS_PMEM] |= is_pmem;
	if (!is_pmem && !m->noted) {
		q->host->log(q, FL_LOG_NOTE, "is_pmem=0: %s is not on persistent memory, so msync "
			     "makes its writes durable, not flush and drain", f->name);
		m->noted = true;
	}
	return 0;
}

/* For both ways of mapping: libpmem forgets the range if it knew it. */
static void range_unmap(struct fl_queue *q, struct fl_file *f, void *addr, uint64_t bytes)
{
	(void)q;
	(void)f;
	pmem_unmap(addr, bytes);
}

/* ---- The queue ------------------------------------------------------------------------------- */

static int pmem_open(struct fl_queue *q)
{
	struct pmem_queue *m = q->host->alloc(sizeof(*m), 0);
	const char *force = getenv("PMEM_IS_PMEM_FORCE");

	if (!m)
		return -ENOMEM;
	m->conf = q->opts;
	m->writes = q->job->ops & (1u << FL_OP_WRITE | 1u << FL_OP_TRIM);
	m->write_through = q->job->flags & (FL_JOB_SYNC | FL_JOB_DSYNC);
	/* Nobody need flush a page of the cache; but what went past the caches is fenced. */
	m->cached_flags = q->job->flags & FL_JOB_DIRECT ? PMEM_F_MEM_NONTEMPORAL :
			  PMEM_F_MEM_TEMPORAL | PMEM_F_MEM_NOFLUSH;
	m->forced = force ? atoi(force) == 1 : -1;
	fl_pmem_init(&m->pmem, q, COUNT_PMEM);
	fl_mapped_pool_init(&m->pool);
	m->kind = (struct fl_window_kind){
		.align = m->pool.page_bytes, .map = range_map, .unmap = range_unmap,
	};
	q->priv = m;
	q->flags = FL_QUEUE_SYNC;
	return 0;
}

static void pmem_close(struct fl_queue *q)
{
	struct pmem_queue *m = q->priv;

	fl_mapped_pool_free(&m->pool, q);
	q->host->free(m);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static int pmem_file_open(struct fl_queue *q, struct fl_file *f)
{
	struct pmem_queue *m = q->priv;

	return fl_mapped_file_open(&m->pool, q, f, &m->kind, m->writes, m->conf->map_window);
}

/* All that was written to a file is durable from here on. */
static int make_durable(struct fl_queue *q, struct pmem_queue *m, struct fl_mapped *mp,
			bool metadata)
{
	if (mp->flags & IS_PMEM) {
		fl_pmem_drain(&m->pmem);
		return 0;
	}
	q->counters[COUNT_MSYNCS]++;
	return fl_mapped_sync(&m->pool, mp, metadata);
}

static int pmem_file_close(struct fl_queue *q, struct fl_file *f)
{
	struct pmem_queue *m = q->priv;
	struct fl_mapped *mp = f->priv;
	int err = 0, closed;

	if (mp->flags & IS_PMEM ? m->pmem.undrained : mp->dirty_from < mp->dirty_to)
		do
			err = make_durable(q, m, mp, false);
		while (err == -EINTR);
	closed = fl_mapped_file_close(&m->pool, f);
	return err ? err : closed;
}

/* ---- I/O ------------------------------------------------------------------------------------- */

__attribute__((cold, noinline))
static int do_rare(struct fl_queue *q, struct fl_req *req)
{
	struct pmem_queue *m = q->priv;
	struct fl_mapped *mp = req->file->priv;

	switch (req->op) {
	case FL_OP_TRIM:
		req->res = fl_fd_do(q, req);
		fl_mapped_clean(mp);	/* the next sync is the descriptor's, for the hole too */
		break;
	case FL_OP_SYNC:
	case FL_OP_DATASYNC:
		req->res = make_durable(q, m, mp, req->op == FL_OP_SYNC);
		break;
	default:
		req->res = mp->flags & IS_PMEM ? make_durable(q, m, mp, false) : fl_fd_do(q, req);
	}
	return FL_DONE;
}

static void do_read(struct fl_queue *q, struct fl_req *req)
{
	(void)q;
	memcpy(req->buf, req->priv, req->res);
}

__attribute__((noinline))
static void write_cached(struct fl_queue *q, struct pmem_queue *m, struct fl_req *req)
{
	struct fl_mapped *mp = req->file->priv;
	uint64_t from = req->offset, to = from + req->res;
	int err;

	pmem_memcpy(req->priv, req->buf, req->res, m->cached_flags);
	++*m->pmem.writes;
	if (!m->write_through && !(req->flags & FL_REQ_FUA)) {
		fl_mapped_wrote(mp, from, to);
		return;
	}
	q->counters[COUNT_MSYNCS]++;
	err = fl_mapped_sync_range(&m->pool, mp, from, to);
	if (err)
		req->res = err;
}

static void do_write(struct fl_queue *q, struct fl_req *req)
{
	struct pmem_queue *m = q->priv;
	const struct fl_mapped *mp = req->file->priv;

	if (mp->flags & IS_PMEM)
		fl_pmem_store(&m->pmem, req);
	else
		write_cached(q, m, req);
}

static int pmem_queue(struct fl_queue *q, struct fl_req *req)
{
	if (req->op > FL_OP_WRITE)
		return do_rare(q, req);
	return fl_mapped_io(q, req, do_read, do_write);
}

static const struct fl_engine pmem_engine = {
	FL_ENGINE_HEAD, .name = "libpmem", .help = "loads and stores of libpmem(7)",
	.caps = FL_CAP_LAYOUT | FL_CAP_UNALIGNED,
	FL_ENGINE_OPTS(struct pmem_conf, pmem_opts), FL_ENGINE_COUNTERS(pmem_counters),
	.ops_supported = 1u << FL_OP_READ | 1u << FL_OP_WRITE | 1u << FL_OP_TRIM |
			 1u << FL_OP_SYNC | 1u << FL_OP_DATASYNC | 1u << FL_OP_SYNC_RANGE,
	.open = pmem_open, .close = pmem_close,
	.file_open = pmem_file_open, .file_close = pmem_file_close,
	.prep = fl_mapped_prep, .queue = pmem_queue,
};

FL_ENGINE_EXPORT(&pmem_engine);
