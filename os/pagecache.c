/* SPDX-License-Identifier: MIT */
/* How much of a file is in the page cache: cachestat(2), or mincore(2) where there is none. */
#define _GNU_SOURCE 1
#include "os/pagecache.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base.h"
#include "os/file.h"
#include "os/mem.h"

/* The same number on every architecture; Debian 12's headers are older than the call. */
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

/* mincore() looks at so many pages at a time (256 MiB of 4 KiB pages) ... */
#define PIECE_PAGES	65536u
/* ... and at so many pieces, which then lie evenly over the range: 64 GiB. */
#define PIECES_MAX	256u

/* As linux/mman.h of kernel 6.5 and newer has them. */
struct cachestat_range {
	uint64_t off, len;
};
struct cachestat {
	uint64_t cached, dirty, writeback, evicted, recently_evicted;
};
_Static_assert(sizeof(struct cachestat_range) == 16 && sizeof(struct cachestat) == 40,
	       "the kernel's layout");

/* A range clipped to what the file has, in pages. */
struct extent {
	uint64_t first, pages;
};

static int extent_of(int fd, uint64_t offset, uint64_t bytes, struct extent *e)
{
	uint64_t page = mem_page_size(), end;
	struct file_facts facts;
	int err = file_facts_fd(fd, &facts);

	if (err)
		return err;
	if (facts.type != FILE_REGULAR && facts.type != FILE_BLOCK)
		return -EINVAL;
	*e = (struct extent){ .first = offset / page };
	if (offset >= facts.size_bytes)
		return 0;
	end = bytes && bytes < facts.size_bytes - offset ? offset + bytes : facts.size_bytes;
	e->pages = (end + page - 1) / page - e->first;
	return 0;
}

int pagecache_by_cachestat(int fd, uint64_t offset, uint64_t bytes, struct pagecache *out)
{
	uint64_t page = mem_page_size();
	struct cachestat_range range;
	struct cachestat cs;
	struct extent e;
	int err = extent_of(fd, offset, bytes, &e);

	memset(out, 0, sizeof(*out));
	if (err)
		return err;
	/* Whole pages: a length of 0 would mean the whole file. */
	range = (struct cachestat_range){ e.first * page, fl_max(e.pages, (uint64_t)1) * page };
	if (syscall(SYS_cachestat, (unsigned int)fd, &range, &cs, 0u) < 0)
		return -errno;
	*out = (struct pagecache){
		.source = PAGECACHE_CACHESTAT, .pages = e.pages, .seen = e.pages,
		.cached = cs.cached, .dirty = cs.dirty, .writeback = cs.writeback,
		.evicted = cs.evicted, .recently_evicted = cs.recently_evicted,
	};
	return 0;
}

/* The kernel answers strangers that everything is cached: it must not be asked by one. */
static bool may_ask_mincore(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	struct stat st;

	if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY)
		return true;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid())
		return true;
	return faccessat(fd, "", W_OK, AT_EACCESS | AT_EMPTY_PATH) == 0;
}

/* Pages [first, first + pages) of the file. */
static int mincore_piece(int fd, uint64_t first, uint64_t pages, struct pagecache *out)
{
	uint64_t page = mem_page_size();
	unsigned char resident[PIECE_PAGES];
	size_t bytes = (size_t)(pages * page);
	void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, (off_t)(first * page));
	int err = 0;

	if (map == MAP_FAILED)
		return -errno;
	if (mincore(map, bytes, resident) < 0)
		err = -errno;
	munmap(map, bytes);
	for (uint64_t i = 0; !err && i < pages; i++)
		out->cached += resident[i] & 1;
	out->seen += err ? 0 : pages;
	return err;
}

int pagecache_by_mincore(int fd, uint64_t offset, uint64_t bytes, struct pagecache *out)
{
	uint64_t pieces, step;
	struct extent e;
	int err = extent_of(fd, offset, bytes, &e);

	memset(out, 0, sizeof(*out));
	if (err)
		return err;
	if (!may_ask_mincore(fd))
		return -EPERM;
	out->source = PAGECACHE_MINCORE;
	out->pages = e.pages;
	pieces = (e.pages + PIECE_PAGES - 1) / PIECE_PAGES;
	step = pieces > PIECES_MAX ? e.pages / PIECES_MAX : PIECE_PAGES;
	for (uint64_t i = 0; !err && i < fl_min(pieces, (uint64_t)PIECES_MAX); i++)
		err = mincore_piece(fd, e.first + i * step,
				    fl_min(e.pages - i * step, (uint64_t)PIECE_PAGES), out);
	if (err)
		memset(out, 0, sizeof(*out));
	return err;
}

int pagecache_look(int fd, uint64_t offset, uint64_t bytes, struct pagecache *out)
{
	int err = pagecache_by_cachestat(fd, offset, bytes, out);

	return err == -ENOSYS ? pagecache_by_mincore(fd, offset, bytes, out) : err;
}

int pagecache_look_path(const char *path, uint64_t offset, uint64_t bytes, struct pagecache *out)
{
	int fd = file_open(path, O_RDONLY | O_NONBLOCK | O_NOATIME | O_NOCTTY, 0, NULL);
	int err;

	memset(out, 0, sizeof(*out));
	if (fd < 0)
		return fd;
	err = pagecache_look(fd, offset, bytes, out);
	close(fd);
	return err;
}

const char *pagecache_source_name(enum pagecache_source source)
{
	static const char *const names[] = {
		[PAGECACHE_NONE] = "none", [PAGECACHE_CACHESTAT] = "cachestat",
		[PAGECACHE_MINCORE] = "mincore",
	};

	return (size_t)source < ARRAY_SIZE(names) ? names[source] : "none";
}

void pagecache_add(struct pagecache *sum, const struct pagecache *other)
{
	sum->source = fl_max(sum->source, other->source);
	sum->pages += other->pages;
	sum->seen += other->seen;
	sum->cached += other->cached;
	sum->dirty += other->dirty;
	sum->writeback += other->writeback;
	sum->evicted += other->evicted;
	sum->recently_evicted += other->recently_evicted;
}

double pagecache_percent(const struct pagecache *p)
{
	return p->seen ? 100.0 * (double)p->cached / (double)p->seen : 0;
}
