/* SPDX-License-Identifier: MIT */
/*
 * The name of the file system below a path, for messages: "the file system (tmpfs) refuses
 * O_DIRECT" tells a user more than EINVAL.
 */
#ifndef OS_FSTYPE_H
#define OS_FSTYPE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * fstype_name - by the magic number of statfs(2); a path that doesn't exist yet counts as its
 * folder. An unknown number is written out: "type 0x1234". Cut off to fit, always terminated.
 * Returns text; "unknown" when the path cannot be asked about.
 */
const char *fstype_name(const char *path, char *text, size_t size);

/* fstype_in_memory - do files of a file system of this name lie in memory: tmpfs and the like? */
bool fstype_in_memory(const char *name);

/*
 * fstype_of_kernel - does path lie among the kernel's own tables (proc, sysfs, cgroup ...)? What
 * looks like a file there is a switch: writing to it moves something in the machine, and making it
 * longer means nothing. What does not exist counts as the nearest folder above it that does.
 */
bool fstype_of_kernel(const char *path);

#endif
