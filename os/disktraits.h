/* SPDX-License-Identifier: MIT */
/*
 * What kind of device a disk is, as far as that bears on what its speed means: does it make data
 * smaller, has it a cache, does it forget blocks, does it stand on a file.
 *
 * root: the folder that /proc and /sys lie in; "" in earnest, tests have trees of their own.
 */
#ifndef OS_DISKTRAITS_H
#define OS_DISKTRAITS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct disktraits {
	uint64_t size_bytes;
	bool rotational;		/* as it says; virtual disks say what they like */
	bool discards;			/* takes trims */
	bool read_only;
	uint32_t sector_bytes;		/* what direct I/O is a multiple of; 0: not known */
	uint32_t requests;		/* its queue takes at once; 0: not known */
	char scheduler[32];		/* in use; "none" */
	bool dax;			/* files can be mapped without a copy: no requests at all */
	char compresses[64];		/* by what: "zram (lzo-rle)", "VDO"; "": not known to */
	bool dedups;
	char backing[PATH_MAX];		/* what a loop device stands on; "": it is none */
	uint64_t backing_offset;	/* where in it the device begins */
	bool backing_cached;		/* through the page cache: no direct I/O */
	uint64_t cache_bytes;		/* that it has by its own account; 0: it doesn't tell */
};

/*
 * disktraits_look - ask sysfs about a whole disk and the disks it is made of, and, with root "", an
 * ATA disk itself for the size of its buffer, where it may be opened. Returns 0, or -ENODEV.
 */
int disktraits_look(const char *root, dev_t disk, struct disktraits *t);

/* What a device that compresses made of what it was given, since it was set up. */
struct disktraits_packing {
	uint64_t given_bytes;		/* that it holds */
	uint64_t kept_bytes;		/* that take so much */
};

/* disktraits_packing - of a zram device. Returns 0, or -ENODEV for all others, which don't tell. */
int disktraits_packing(const char *root, dev_t disk, struct disktraits_packing *p);

#endif
