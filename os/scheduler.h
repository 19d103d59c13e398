/* SPDX-License-Identifier: MIT */
/*
 * The I/O scheduler of a disk: which there are, which one works, and changing it. The kernel loads
 * one that it lacks (a module) when it is asked for by name, so what is not listed may yet be had.
 * root: as in os/mounts.h.
 */
#ifndef OS_SCHEDULER_H
#define OS_SCHEDULER_H

#include <stddef.h>
#include <sys/types.h>

#define SCHEDULER_NAME_BYTES	32
#define SCHEDULER_LIST_BYTES	256

struct scheduler {
	char now[SCHEDULER_NAME_BYTES];	/* "mq-deadline" */
	char all[SCHEDULER_LIST_BYTES];	/* "none, mq-deadline, bfq" */
};

/* scheduler_look - of a whole disk. Returns 0, or -errno: -ENOENT where it has none to choose. */
int scheduler_look(const char *root, dev_t disk, struct scheduler *s);

/*
 * scheduler_set - from now on this one, and look whether it is. Returns 0, or -errno: -EINVAL: the
 * kernel has none of that name, -EACCES or -EPERM without permission.
 */
int scheduler_set(const char *root, dev_t disk, const char *name);

#endif
