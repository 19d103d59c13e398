/* SPDX-License-Identifier: MIT */
/*
 * dev-dax: a range of memory that the kernel hands out as a character device, /dev/daxX.Y.
 *
 * There is no file system and no page cache: a mapping is the memory itself, and stores are
 * durable by the policy of fio-like/pmem.h. Sysfs alone tells about such a device: that it is one
 * at all, its size, and the alignment at which it can be mapped, in multiples of it.
 */
#define _GNU_SOURCE 1
#include "fio-like/engine.h"
#include "fio-like/mapped.h"
#include "fio-like/pmem.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

struct dax_conf {
	uint64_t map_window;
};

static const struct fl_opt dax_opts[] = {
	FL_OPT_ROW_MAP_WINDOW(struct dax_conf),
};

enum { COUNT_PMEM = FL_MAPPED_COUNTERS };

static const struct fl_counter dax_counters[] = {
	FL_MAPPED_COUNTER_ROWS,
	FL_PMEM_COUNTER_ROWS,
};

struct dax_queue {
	const struct dax_conf *conf;
	struct fl_pmem pmem;
	int prot;
	struct fl_mapped_pool pool;
};

/* ---- The device ------------------------------------------------------------------------------ */

struct device {
	uint64_t bytes, align;
};

/* The number in an attribute of the device in sysfs. 0 or -errno. */
static int attribute(const struct stat *st, const char *name, uint64_t *value)
{
	char path[96], text[32];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/%s", major(st->st_rdev),
		 minor(st->st_rdev), name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return -EIO;
	text[n] = '\0';
	*value = strtoull(text, NULL, 0);
	return 0;
}

static const char *kind_of(mode_t mode)
{
	return S_ISREG(mode) ? "a regular file" : S_ISDIR(mode) ? "a directory" :
	       S_ISBLK(mode) ? "a block device" : "no file and no device";
}

/* Is it one of the subsystem dax? */
static int check_kind(struct fl_queue *q, const char *name, const struct stat *st)
{
	char path[96], target[256];
	ssize_t n;

	if (!S_ISCHR(st->st_mode))
		return q->host->fail(q, -ENODEV, "%s is %s, not a device-DAX device (/dev/daxX.Y); "
				     "ioengine=libpmem works on files", name,
				     kind_of(st->st_mode));
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/subsystem", major(st->st_rdev),
		 minor(st->st_rdev));
	n = readlink(path, target, sizeof(target) - 1);
	if (n > 0) {
		const char *last;

		target[n] = '\0';
		last = strrchr(target, '/');
		if (!strcmp(last ? last + 1 : target, "dax"))
			return 0;
	}
	return q->host->fail(q, -ENODEV, "%s is a character device, but not a device-DAX device "
			     "(/dev/daxX.Y): its subsystem in sysfs is not dax", name);
}

/* All about the device of this name, and whether it suits the job. 0, or -errno with a sentence. */
static int look(struct fl_queue *q, const char *name, struct device *d)
{
	const struct dax_conf *conf = q->opts;
	struct stat st;
	int err;

	if (stat(name, &st)) {
		err = -errno;
		return q->host->fail(q, err, "%s: %s%s", name, strerror(-err), err == -ENOENT ?
				     "; 'daxctl list' shows the devices there are, and 'ndctl "
				     "create-namespace -m devdax' makes one" : "");
	}
	err = check_kind(q, name, &st);
	if (err)
		return err;
	err = attribute(&st, "size", &d->bytes);
	if (err)
		return q->host->fail(q, err, "%s: sysfs does not tell its size: %s", name,
				     strerror(-err));
	/* Linux before 5.10 has it once for all devices of a region. */
	if (attribute(&st, "align", &d->align) && attribute(&st, "../dax_region/align", &d->align))
		return q->host->fail(q, -ENODEV, "%s: sysfs does not tell its alignment", name);
	if (!d->align || d->align & (d->align - 1))
		return q->host->fail(q, -ENODEV, "%s: sysfs says its alignment is %" PRIu64 ", "
				     "which is no power of two", name, d->align);
	if (conf->map_window % d->align)
		return q->host->fail(q, -EINVAL, "map_window=%" PRIu64 ": %s can only be mapped in "
				     "multiples of its alignment, %" PRIu64 " bytes",
				     conf->map_window, name, d->align);
	return 0;
}

static int dax_file_size(struct fl_queue *q, struct fl_file *f, uint64_t *bytes)
{
	struct device d = { 0 };
	int err = look(q, f->name, &d);

	if (!err)
		*bytes = d.bytes;
	return err;
}

/* ---- Mapping --------------------------------------------------------------------------------- */

/* Only whole multiples of the alignment can be mapped, and unmapped. The device is one, too. */
static uint64_t whole(const struct fl_file *f, uint64_t bytes)
{
	const struct fl_mapped *mp = f->priv;
	uint64_t align = mp->kind.align;

	return (bytes + align - 1) & ~(align - 1);
}

static int range_map(struct fl_queue *q, struct fl_file *f, uint64_t offset, uint64_t bytes,
		     void **addr)
{
	const struct dax_queue *m = q->priv;

	*addr = mmap(NULL, whole(f, bytes), m->prot, MAP_SHARED, f->fd, offset);
	if (*addr == MAP_FAILED)
		return q->host->fail(q, -errno, "%s: cannot map %" PRIu64 " bytes at %" PRIu64
				     ": %s%s", f->name, whole(f, bytes), offset, strerror(errno),
				     errno == ENOMEM ? "; try map_window=" : "");
	return 0;
}

static void range_unmap(struct fl_queue *q, struct fl_file *f, void *addr, uint64_t bytes)
{
	(void)q;
	munmap(addr, whole(f, bytes));
}

/* ---- The queue ------------------------------------------------------------------------------- */

static int dax_open(struct fl_queue *q)
{
	struct dax_queue *m = q->host->alloc(sizeof(*m), 0);

	if (!m)
		return -ENOMEM;
	m->conf = q->opts;
	m->prot = PROT_READ | (q->job->ops & 1u << FL_OP_WRITE ? PROT_WRITE : 0);
	fl_pmem_init(&m->pmem, q, COUNT_PMEM);
	fl_mapped_pool_init(&m->pool);
	q->priv = m;
	q->flags = FL_QUEUE_SYNC;
	return 0;
}

static void dax_close(struct fl_queue *q)
{
	struct dax_queue *m = q->priv;

	fl_mapped_pool_free(&m->pool, q);
	q->host->free(m);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static int dax_file_open(struct fl_queue *q, struct fl_file *f)
{
	struct dax_queue *m = q->priv;
	struct device d = { 0 };
	struct fl_mapped *mp = fl_mapped_get(&m->pool, q);
	int err;

	if (!mp)
		return -ENOMEM;
	err = look(q, f->name, &d);
	if (err)
		goto put;
	f->fd = open(f->name, (m->prot & PROT_WRITE ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	if (f->fd < 0) {
		err = q->host->fail(q, -errno, "%s cannot be opened: %s", f->name, strerror(errno));
		goto put;
	}
	mp->kind = (struct fl_window_kind){
		.align = d.align, .map = range_map, .unmap = range_unmap,
	};
	fl_window_init(&mp->w, q, f, &mp->kind, m->conf->map_window, d.bytes, 0);
	f->priv = mp;
	return 0;
put:
	fl_mapped_put(&m->pool, mp);
	return err;
}

static int dax_file_close(struct fl_queue *q, struct fl_file *f)
{
	struct dax_queue *m = q->priv;

	if (m->pmem.undrained)
		fl_pmem_drain(&m->pmem);
	return fl_mapped_file_close(&m->pool, f);
}

/* ---- I/O ------------------------------------------------------------------------------------- */

static void do_read(struct fl_queue *q, struct fl_req *req)
{
	(void)q;
	memcpy(req->buf, req->priv, req->res);
}

static void do_write(struct fl_queue *q, struct fl_req *req)
{
	struct dax_queue *m = q->priv;

	fl_pmem_store(&m->pmem, req);
}

static int dax_queue(struct fl_queue *q, struct fl_req *req)
{
	struct dax_queue *m = q->priv;

	if (req->op <= FL_OP_WRITE)
		return fl_mapped_io(q, req, do_read, do_write);
	fl_pmem_drain(&m->pmem);		/* every kind of sync */
	req->res = 0;
	return FL_DONE;
}

static const struct fl_engine dax_engine = {
	FL_ENGINE_HEAD, .name = "dev-dax", .help = "loads and stores on a device-DAX device",
	.caps = FL_CAP_DEVDAX | FL_CAP_UNALIGNED,
	FL_ENGINE_OPTS(struct dax_conf, dax_opts), FL_ENGINE_COUNTERS(dax_counters),
	.ops_supported = 1u << FL_OP_READ | 1u << FL_OP_WRITE | 1u << FL_OP_SYNC |
			 1u << FL_OP_DATASYNC | 1u << FL_OP_SYNC_RANGE,
	.open = dax_open, .close = dax_close, .file_size = dax_file_size,
	.file_open = dax_file_open, .file_close = dax_file_close,
	.prep = fl_mapped_prep, .queue = dax_queue,
};

FL_ENGINE_EXPORT(&dax_engine);
