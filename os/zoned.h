/* SPDX-License-Identifier: MIT */
/*
 * Zoned block devices: what their zones are, where each is to be written next, and the calls that
 * change that (the ioctls of linux/blkzoned.h; kernel documentation, "Zoned block devices").
 */
#ifndef OS_ZONED_H
#define OS_ZONED_H

#include <stdbool.h>
#include <stdint.h>

enum zoned_model { ZONED_NONE, ZONED_AWARE, ZONED_MANAGED };

struct zoned_device {
	enum zoned_model model;		/* ZONED_NONE: no block device, or one without zones */
	uint64_t bytes;			/* of the device */
	uint64_t zone_bytes;		/* of each zone but perhaps the last */
	uint32_t zones;
	uint32_t sector;		/* smallest write, bytes */
	uint32_t max_open, max_active;	/* 0: no limit */
};

enum zoned_kind { ZONED_SEQUENTIAL, ZONED_CONVENTIONAL };
enum zoned_state {
	ZONED_EMPTY, ZONED_OPEN, ZONED_CLOSED, ZONED_FULL,	/* closed: written in part */
	ZONED_READONLY, ZONED_OFFLINE,
};

/* One zone. Bytes; wp counts from its start, and is what may be written when it is full. */
struct zoned_zone {
	uint64_t start, length, capacity, wp;
	enum zoned_kind kind;
	enum zoned_state state;
};

/* zoned_look - the device behind a path. 0, or -errno; a path that is not there is -ENOENT. */
int zoned_look(const char *path, struct zoned_device *d);

/*
 * zoned_open - a descriptor for what follows, or -errno. write: by direct I/O, and for commands; a
 * report needs no more than to read. The caller closes it.
 */
int zoned_open(const char *path, bool write);
void zoned_close(int fd);

/*
 * zoned_report - up to `count` zones from the one on that `offset` lies in. Returns how many, 0
 * behind the last; or -errno.
 */
int zoned_report(int fd, uint64_t offset, struct zoned_zone *zones, uint32_t count);

/* zoned_reset, zoned_finish - of one zone: empty it; make it full. 0 or -errno. */
int zoned_reset(int fd, uint64_t start, uint64_t length);
int zoned_finish(int fd, uint64_t start, uint64_t length);

/* zoned_shut - a zone that is open is closed; what it holds stays. 0 or -errno. */
int zoned_shut(int fd, uint64_t start, uint64_t length);

/* zoned_zero - write zeroes at a write pointer. bytes: whole sectors. 0 or -errno. */
int zoned_zero(int fd, uint64_t offset, uint64_t bytes);

#endif
