/* SPDX-License-Identifier: MIT */
/*
 * Files that a loop device stands on. Whoever writes to such a file writes to the device, and to
 * the file system that is mounted from it.
 */
#ifndef CORE_BACKING_H
#define CORE_BACKING_H

#include "core/plan.h"

#include <sys/types.h>

/* What is known of the loop devices of this machine. */
struct backing {
	struct backing_file *list;
	size_t count;
};

/* backing_find - look at them. b is zeroed. Returns 0 or -ENOMEM; backing_free() in both cases. */
int backing_find(struct backing *b);
void backing_free(struct backing *b);

/*
 * backing_each - call fn for each existing file that a job writes to and each loop device on it,
 * until it returns other than 0. Returns what fn returned last, 0 if there is none.
 */
int backing_each(const struct backing *b, const struct plan_job *pj,
		 int (*fn)(void *ctx, const char *path, const char *loop, dev_t device),
		 void *ctx);

#endif
