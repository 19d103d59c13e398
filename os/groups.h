/* SPDX-License-Identifier: MIT */
/*
 * The control groups that this process lives in, of either version (cgroups(7)): version 1 has a
 * tree per controller, version 2 one for all; a machine may have both.
 */
#ifndef OS_GROUPS_H
#define OS_GROUPS_H

#include <limits.h>
#include <stdbool.h>

/*
 * groups_each - call fn with the folder of the process's group, and of every group above it that
 * can be seen. root: as in os/mounts.h. controller: of version 1; NULL: version 2. None is fine.
 */
void groups_each(const char *root, const char *controller,
		 void (*fn)(void *ctx, const char *folder), void *ctx);

/* groups_own - the name of the process's group in that tree. Returns whether there is one. */
bool groups_own(const char *root, const char *controller, char path[PATH_MAX]);

#endif
