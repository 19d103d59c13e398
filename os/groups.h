/* SPDX-License-Identifier: MIT */
/*
 * The control groups that this process lives in, of either version (cgroups(7)): version 1 has a
 * tree per controller, version 2 one for all; a machine may have both.
 */
#ifndef OS_GROUPS_H
#define OS_GROUPS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Where the process stands in one tree. */
struct groups {
	int version;			/* 1 or 2 */
	char name[PATH_MAX];		/* of its group, as the kernel has it */
	char folder[2 * PATH_MAX + 64];	/* of its group; the topmost, if that is all one sees */
	size_t top;			/* so many bytes of folder are that of the topmost group */
};

/*
 * groups_find - root: as in os/mounts.h. controller: of version 1; NULL: version 2.
 * Returns whether there is such a tree.
 */
bool groups_find(const char *root, const char *controller, struct groups *g);

/*
 * groups_of - the tree that a controller is in: that of version 1 that has it, else version 2
 * (which may lack it: ask cgroup.controllers). Returns whether there is one.
 */
bool groups_of(const char *root, const char *controller, struct groups *g);

/* groups_up - call fn with the folder of the group, and of every group above that can be seen. */
void groups_up(const struct groups *g, void (*fn)(void *ctx, const char *folder), void *ctx);

/* groups_each - both in one; no such tree is fine. */
void groups_each(const char *root, const char *controller,
		 void (*fn)(void *ctx, const char *folder), void *ctx);

#endif
