/* SPDX-License-Identifier: MIT */
/*
 * Is somebody else living on this block device? A write job on a mounted disk destroys the file
 * system in it, so the runner asks before it writes.
 *
 * A device is not alone: its partitions, the disk that it is a partition of, the volumes built on
 * any of these, the loop devices that stand on them or that they stand on: what hits one hits all.
 */
#ifndef OS_INUSE_H
#define OS_INUSE_H

#include <stddef.h>
#include <sys/types.h>

enum inuse {
	INUSE_FREE = 0,
	INUSE_MOUNTED,
	INUSE_SWAP,
	INUSE_HELD,			/* part of RAID, LVM, device-mapper, bcache; below a loop */
	INUSE_CLAIMED,			/* opened exclusively, nobody knows by whom */
};

/*
 * inuse_find - what the kernel's tables say of a device and its relatives. root: as in os/mounts.h.
 * ignore: bits 1 << INUSE_MOUNTED ... of what does not count; that is looked for first which comes
 * first in the list.
 * Returns enum inuse, with the use in why (cut off to why_bytes): "mounted on /home", "in use: its
 * partition sda1 is mounted on /boot". -ENODEV if there is no such block device.
 */
int inuse_find(const char *root, dev_t device, unsigned int ignore, char *why, size_t why_bytes);

/*
 * inuse_claim - whether an exclusive open of a block device is refused, as it is to all of those
 * above and also to those that no table tells of: ZFS, a second device of btrfs, a mount in another
 * namespace. Others that ask the same thing at this moment are waited for.
 * Returns INUSE_FREE, INUSE_CLAIMED with a sentence in why, or -errno: it could not be opened.
 */
int inuse_claim(const char *path, char *why, size_t why_bytes);

/*
 * inuse_check - both for a device by name. Without permission to open it only the tables count.
 * Returns enum inuse, or -errno (-ENOTBLK if path is no block device).
 */
int inuse_check(const char *path, char *why, size_t why_bytes);

#endif
