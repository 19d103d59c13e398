/* SPDX-License-Identifier: MIT */
/*
 * Block devices as sysfs knows them: whole disks and their partitions, what is built on a device,
 * what a device is built of. By number, never by name: a device has many names.
 */
#ifndef OS_BLOCKDEV_H
#define OS_BLOCKDEV_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define BLOCKDEV_NAME_BYTES	64

struct blockdev {
	dev_t device;
	dev_t disk;			/* that it is a partition of, or device itself */
	char name[BLOCKDEV_NAME_BYTES];	/* the kernel's: "vda1", "dm-0", "cciss/c0d0" */
};

enum blockdev_kin {
	BLOCKDEV_PARTS,			/* its partitions */
	BLOCKDEV_HOLDERS,		/* volumes built on it: md, dm, bcache */
	BLOCKDEV_SLAVES,		/* devices that it is built of */
};

/*
 * blockdev_find - look a device number up: st_rdev of a device file, st_dev of a file on it.
 * root: as in os/mounts.h. Returns 0, or -ENODEV when there is no such block device: tmpfs,
 * network and multi-device file systems have a number that is no disk's.
 */
int blockdev_find(const char *root, dev_t device, struct blockdev *b);

static inline bool blockdev_is_part(const struct blockdev *b)
{
	return b->disk != b->device;
}

/*
 * blockdev_kin - the relatives of one kind, one step away.
 * Returns how many were stored (at most max), 0 if there are none, or -errno.
 */
int blockdev_kin(const char *root, dev_t device, enum blockdev_kin kin, struct blockdev *list,
		 int max);

/*
 * blockdev_attr - a file in the folder of the device, as in "queue/scheduler", as sys_read_text()
 * gives it. Partitions have no "queue" of their own: ask for the disk's. Returns its length, or
 * -errno with text "".
 */
int blockdev_attr(const char *root, dev_t device, const char *attr, char *text, size_t size);

/* blockdev_set_attr - write text to such a file. Returns 0 or -errno. */
int blockdev_set_attr(const char *root, dev_t device, const char *attr, const char *text);

/*
 * blockdev_backing - what a loop device stands on: the path of a file or a device.
 * Returns 0, or -ENOENT if it is no loop device or has nothing below it.
 */
int blockdev_backing(const char *root, dev_t device, char *path, size_t size);

/*
 * blockdev_loops - call fn for every loop device in use, with what it stands on, until fn returns
 * other than 0. Returns what fn returned last, or 0.
 */
int blockdev_loops(const char *root,
		   int (*fn)(void *ctx, const struct blockdev *loop, const char *backing),
		   void *ctx);

/*
 * blockdev_of_char - the block device that a character device is a side door to: /dev/sg0 of
 * /dev/sda, /dev/ng0n1 of /dev/nvme0n1. Returns 0, or -ENOENT if it is none.
 */
int blockdev_of_char(const char *root, dev_t char_device, dev_t *device);

/*
 * blockdev_describe - a name that says what a device is, as in "dm-0 (LVM volume vg-data)", "md0
 * (raid1)", "sda1". Returns text.
 */
const char *blockdev_describe(const char *root, const struct blockdev *b, char *text, size_t size);

#endif
