/* SPDX-License-Identifier: MIT */
/* The map of a file, by FIEMAP or by SEEK_HOLE. */
#define _GNU_SOURCE 1
#include "os/extents.h"

#include <errno.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/base.h"
#include "os/mem.h"
#include "os/pagecache.h"

#define BATCH	64u			/* extents per call of the kernel */

struct walk {
	int fd;
	uint64_t at, end;		/* what is still to be told */
	unsigned int left;		/* extents that may still be looked at */
	void (*fn)(void *ctx, const struct extent *e);
	void *ctx;
};

/* What lies before `until` and has not been told yet is of this kind. */
static void tell(struct walk *w, uint64_t until, enum extent_kind kind, bool encoded)
{
	struct extent e = { .offset = w->at, .kind = kind, .encoded = encoded };

	until = fl_min(until, w->end);
	if (until <= w->at)
		return;
	e.bytes = until - w->at;
	w->at = until;
	w->fn(w->ctx, &e);
}

/* How many bytes before `until` are dirty in the page cache; before cachestat(2) nobody knew. */
static uint64_t dirty_bytes(const struct walk *w, uint64_t until)
{
	struct pagecache pc;

	if (pagecache_by_cachestat(w->fd, w->at, until - w->at, &pc))
		return 0;
	return (pc.dirty + pc.writeback) * mem_page_size();
}

static void tell_unwritten(struct walk *w, uint64_t until)
{
	until = fl_min(until, w->end);
	if (until <= w->at)
		return;
	tell(w, fl_min(until, w->at + dirty_bytes(w, until)), EXTENT_DATA, false);
	tell(w, until, EXTENT_UNWRITTEN, false);
}

static void tell_mapped(struct walk *w, const struct fiemap_extent *e)
{
	uint64_t until = e->fe_logical + e->fe_length;

	tell(w, e->fe_logical, EXTENT_HOLE, false);
	if (e->fe_flags & FIEMAP_EXTENT_UNWRITTEN)
		tell_unwritten(w, until);
	else
		tell(w, until, EXTENT_DATA, e->fe_flags & FIEMAP_EXTENT_ENCODED);
}

/* Returns 0, or -errno of the first call; later failures only end the walk. */
static int by_fiemap(struct walk *w)
{
	union {
		struct fiemap map;
		char room[sizeof(struct fiemap) + BATCH * sizeof(struct fiemap_extent)];
	} u;
	bool first = true, last = false;

	while (!last && w->at < w->end && w->left) {
		memset(&u, 0, sizeof(u));	/* a memory checker does not know what comes back */
		u.map.fm_start = w->at;
		u.map.fm_length = w->end - w->at;
		u.map.fm_extent_count = fl_min(BATCH, w->left);
		if (ioctl(w->fd, FS_IOC_FIEMAP, &u.map))
			return first ? -errno : 0;
		first = false;
		for (unsigned int i = 0; i < u.map.fm_mapped_extents; i++) {
			tell_mapped(w, &u.map.fm_extents[i]);
			last |= u.map.fm_extents[i].fe_flags & FIEMAP_EXTENT_LAST;
		}
		w->left -= u.map.fm_mapped_extents;
		last |= !u.map.fm_mapped_extents;
	}
	if (last)
		tell(w, w->end, EXTENT_HOLE, false);
	return 0;
}

/* lseek() moves the file's position, which positional I/O doesn't use; fd is the caller's own. */
static int by_seek(struct walk *w)
{
	for (bool first = true; w->at < w->end && w->left; first = false, w->left--) {
		off_t data = lseek(w->fd, (off_t)w->at, SEEK_DATA), hole;

		if (data < 0 && errno != ENXIO)
			return first ? -errno : 0;
		tell(w, data < 0 ? w->end : (uint64_t)data, EXTENT_HOLE, false);
		if (data < 0)
			break;
		hole = lseek(w->fd, data, SEEK_HOLE);
		if (hole <= data)	/* of a device that answers anything */
			break;
		tell(w, (uint64_t)hole, EXTENT_DATA, false);
	}
	return 0;
}

int64_t extents_each(int fd, uint64_t offset, uint64_t bytes, unsigned int max,
		     void (*fn)(void *ctx, const struct extent *e), void *ctx)
{
	struct walk w = { .fd = fd, .at = offset, .end = offset + bytes, .left = max, .fn = fn,
			  .ctx = ctx };
	int err = by_fiemap(&w);

	if (err == -EOPNOTSUPP || err == -ENOTTY || err == -EINVAL)
		err = by_seek(&w);
	if (err == -EINVAL || err == -ENOTTY)
		err = -EOPNOTSUPP;
	return err ? err : (int64_t)(w.at - offset);
}
