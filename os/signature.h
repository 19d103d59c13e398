/* SPDX-License-Identifier: MIT */
/*
 * What lies on a block device: file systems, partition tables, members of RAID and volume groups,
 * swap, encryption. By libblkid, which knows them all. Built without it nothing is known, and only
 * a device that is blank where such things begin and end can be called free of them.
 */
#ifndef OS_SIGNATURE_H
#define OS_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * signature_find - look for all of them. path: of a block device, or of an image in a file.
 * tables: partition tables count, too.
 * Returns how many kinds were found, with their names in what ("ext4 file system 'data', GPT
 * partition table", cut off to what_bytes); 0; or -errno: it could not be read. Without libblkid
 * 1 for a device that is not blank.
 */
int signature_find(const char *path, bool tables, char *what, size_t what_bytes);

/*
 * signature_blank - are the first 4 MiB and the last 1 MiB of it zeroes? All that libblkid 2.38
 * looks for lies there. Returns 1, 0, or -errno.
 */
int signature_blank(const char *path);

#endif
