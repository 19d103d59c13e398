/* SPDX-License-Identifier: MIT */
/*
 * Records of the kernel's block layer traces, as blktrace and `blkparse -d` leave them.
 *
 * A record is 48 bytes, in the byte order of the machine that traced, and pdu_len bytes follow it
 * that only some kinds of events have. The layout is struct blk_io_trace of
 * include/uapi/linux/blktrace_api.h (Linux 6.1), version 7. Times are nanoseconds from a beginning
 * of the kernel's choice.
 */
#ifndef LIB_BLKTRACE_H
#define LIB_BLKTRACE_H

#include "lib/base.h"

#include <string.h>

#define BLKTRACE_BYTES		48u	/* of a record, without what follows it */
#define BLKTRACE_SECTOR		512u	/* bytes; whatever the device's own sectors are */

/* A bit of actions: the number of a control group follows the record. */
#define BLKTRACE_CGROUP		(1u << 8)

struct blktrace_event {
	uint32_t sequence;
	uint64_t time_ns;
	uint64_t sector;
	uint32_t bytes;
	uint32_t action;
	uint32_t pid;
	uint32_t device;		/* as the kernel packs it */
	uint32_t cpu;
	uint16_t error;
	uint16_t pdu_len;		/* bytes that follow the record */
};

/* What an event means to somebody who wants to do the I/O again. */
enum blktrace_kind {
	BLKTRACE_READ,			/* an I/O has been queued: as directions are numbered */
	BLKTRACE_WRITE,
	BLKTRACE_TRIM,
	BLKTRACE_FLUSH,
	BLKTRACE_OTHER,			/* merges, issues, completions, notes, pass-through ... */
};

/* How the bytes of a trace lie. */
enum blktrace_order {
	BLKTRACE_NONE,			/* it is no trace of a version we know */
	BLKTRACE_NATIVE,
	BLKTRACE_SWAPPED,
};

/*
 * blktrace_order - by the first n bytes of a file. 4 are enough. *version: that of a trace of
 * another version, where the answer is BLKTRACE_NONE; 0: it is no trace at all.
 */
enum blktrace_order blktrace_order(const void *bytes, size_t n, uint32_t *version);

/*
 * blktrace_decode - the record in these BLKTRACE_BYTES. Returns 0, or -EINVAL if no record begins
 * here.
 */
int blktrace_decode(const void *bytes, enum blktrace_order order, struct blktrace_event *e);

/* blktrace_encode - the other way: BLKTRACE_BYTES at `bytes`. */
void blktrace_encode(void *bytes, enum blktrace_order order, const struct blktrace_event *e);

/*
 * blktrace_kind - events of bios that enter the queue are I/Os; everything that happens to them
 * later is not. An I/O without bytes that is no flush is BLKTRACE_OTHER, too.
 */
enum blktrace_kind blktrace_kind(const struct blktrace_event *e);

/* blktrace_queue_action - the action of such an event of that kind; for those who make traces. */
uint32_t blktrace_queue_action(enum blktrace_kind kind);

/* blktrace_major, _minor, _device - device numbers as the kernel has them inside. */
fl_inline uint32_t blktrace_major(uint32_t device)
{
	return device >> 20;
}

fl_inline uint32_t blktrace_minor(uint32_t device)
{
	return device & 0xfffff;
}

fl_inline uint32_t blktrace_device(uint32_t major, uint32_t minor)
{
	return major << 20 | minor;
}

#endif
