/* SPDX-License-Identifier: MIT */
/*
 * Which parts of a file hold data, and which were only given space or not even that. Reading the
 * latter asks no device: the kernel makes zeros.
 *
 * The file system's own map is asked (FIEMAP, kernel: Documentation/filesystems/fiemap.rst); where
 * it has none, lseek(2) with SEEK_HOLE, which does not know why a part holds no data.
 */
#ifndef OS_EXTENTS_H
#define OS_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

enum extent_kind {
	EXTENT_DATA,
	EXTENT_HOLE,			/* has no space */
	EXTENT_UNWRITTEN,		/* has space, but nothing was ever written there */
};

/* Bytes of a file, one after the other, that are of one kind. */
struct extent {
	uint64_t offset, bytes;
	enum extent_kind kind;
	bool encoded;			/* data: stored compressed or encrypted */
};

/*
 * extents_each - call fn for the extents of a range of an open regular file, ascending and without
 * gaps, clipped to the range. At most `max` of the file system's extents are looked at, the rest
 * of the range is not told.
 *
 * What was written into unwritten space and waits in the page cache counts as data; how much of an
 * extent that is is exact, where in it is not: it is told first.
 *
 * Returns the bytes told, or -errno: -EOPNOTSUPP when the file system knows neither way.
 */
int64_t extents_each(int fd, uint64_t offset, uint64_t bytes, unsigned int max,
		     void (*fn)(void *ctx, const struct extent *e), void *ctx);

#endif
