/* SPDX-License-Identifier: MIT */
/*
 * Is somebody else living on this block device? A write job on a mounted disk destroys the file
 * system in it, so the runner asks before it writes.
 */
#ifndef OS_INUSE_H
#define OS_INUSE_H

#include <stddef.h>

/*
 * inuse_check - whether a block device, or a partition of it, is mounted, used as swap, or part
 * of a RAID or device-mapper volume.
 *
 * The kernel itself is asked by an exclusive open for reading, and the list of mounts gives the
 * name of the mount point. Without permission to open the device only the list counts.
 *
 * Returns 0 if it is free, 1 if it is in use with the reason in why (as in "mounted on /home",
 * cut off to why_size), or -errno (-ENOTBLK if path is no block device).
 */
int inuse_check(const char *path, char *why, size_t why_size);

#endif
