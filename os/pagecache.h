/* SPDX-License-Identifier: MIT */
/*
 * How much of a file is in the page cache, and in what state.
 *
 * Two ways of asking. cachestat(2), of kernel 6.5 and newer, knows cached, dirty, under writeback,
 * evicted and recently evicted pages of a range, and costs by what is cached. mincore(2) on a
 * mapping knows only what is cached, and costs by how large the range is; of a very large range it
 * looks at a sample. Neither brings a page in or touches one.
 */
#ifndef OS_PAGECACHE_H
#define OS_PAGECACHE_H

#include <stdbool.h>
#include <stdint.h>

enum pagecache_source {
	PAGECACHE_NONE,			/* nobody was asked yet */
	PAGECACHE_CACHESTAT,
	PAGECACHE_MINCORE,
};

/* All counts are pages of mem_page_size() bytes. */
struct pagecache {
	enum pagecache_source source;	/* who counted */
	uint64_t pages;			/* the range has so many, begun ones included */
	uint64_t seen;			/* of them looked at; fewer than pages: a sample */
	uint64_t cached;		/* of those seen */
	/* cachestat alone knows; 0 from mincore */
	uint64_t dirty, writeback;
	uint64_t evicted;		/* were cached once, and the kernel still remembers it */
	uint64_t recently_evicted;	/* of those, so lately that they are of the working set */
};

/*
 * pagecache_look - count a range of an open regular file or block device by the better of the two
 * ways. fd must be open for reading; bytes 0 means to the end.
 *
 * Returns 0; -EPERM when the kernel tells this only to the file's owner or to who may write it;
 * -EINVAL for what is neither file nor block device; -EOPNOTSUPP for a file system without page
 * cache; or what fstat(2) or mmap(2) gave. Then *out is all 0.
 */
int pagecache_look(int fd, uint64_t offset, uint64_t bytes, struct pagecache *out);

/* pagecache_look_path - the same for a name, opened for it without changing its access time. */
int pagecache_look_path(const char *path, uint64_t offset, uint64_t bytes, struct pagecache *out);

/*
 * pagecache_by_cachestat, pagecache_by_mincore - one of the two ways by name. Returns as
 * pagecache_look(); -ENOSYS from the first on an older kernel.
 */
int pagecache_by_cachestat(int fd, uint64_t offset, uint64_t bytes, struct pagecache *out);
int pagecache_by_mincore(int fd, uint64_t offset, uint64_t bytes, struct pagecache *out);

/* pagecache_source_name - "cachestat", "mincore", "none". Never NULL. */
const char *pagecache_source_name(enum pagecache_source source);

/* pagecache_add - add the counts of another range or file. The source stays the lesser of both. */
void pagecache_add(struct pagecache *sum, const struct pagecache *other);

/* pagecache_percent - cached of seen, 0 to 100; 0 when nothing was seen. */
double pagecache_percent(const struct pagecache *p);

#endif
