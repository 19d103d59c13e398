/* SPDX-License-Identifier: MIT */
/*
 * A control group of our own: a folder that this program makes below its own group, where processes
 * it starts live under a limit, and that it takes away again.
 *
 * Both hierarchies are known: version 1, one mount per controller, and version 2, one mount for
 * all, where a group may have children with a controller only if its cgroup.subtree_control says so
 * and, the topmost aside, no process lives in it. So the group is made at the nearest place upwards
 * that may have one.
 *
 * A group is named for its maker, "fio-like.NAMESPACE.PID.STARTTIME": one whose maker is gone (it
 * and its keeper were killed at one time) is taken away by the next that makes one there.
 */
#ifndef OS_CGROUP_H
#define OS_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CGROUP_PATH_BYTES	4096

struct cgroup {
	int version;			/* 1 or 2; 0: there is no group */
	char path[CGROUP_PATH_BYTES];	/* its folder */
};

/*
 * cgroup_make - a new, empty group with this controller ("memory").
 * Returns 0, or -errno with a sentence in why: -ENOENT when no mounted hierarchy has the
 * controller, -EACCES or -EPERM without permission, -EBUSY (version 2) when every group upwards
 * holds processes. Then *g has version 0.
 */
int cgroup_make(struct cgroup *g, const char *controller, char *why, size_t why_bytes);

/*
 * cgroup_named - the group of this name below the topmost of its tree, as in "batch" or
 * "batch/night". controller: as version 1 calls it ("blkio" is io in version 2). make: it is made
 * if it is not there, but no folder above it; *made says whether it was. Returns and explains as
 * cgroup_make(); -ENOENT also where the folder above is missing.
 */
int cgroup_named(struct cgroup *g, const char *controller, const char *name, bool make, bool *made,
		 char *why, size_t why_bytes);

/* cgroup_enter - put this process into the group. Returns 0 or -errno. Async-signal-safe. */
int cgroup_enter(const struct cgroup *g);

/*
 * cgroup_enter_thread - the same for the calling thread alone. -EOPNOTSUPP in version 2, where the
 * controllers of memory and I/O know only whole processes.
 */
int cgroup_enter_thread(const struct cgroup *g);

/*
 * cgroup_remove_empty - take it away as soon as nobody lives in it; waits up to wait_ms. Returns 0
 * (also when it was gone already), or -errno: -EBUSY. Async-signal-safe.
 */
int cgroup_remove_empty(const struct cgroup *g, unsigned int wait_ms);

/*
 * cgroup_remove - kill what still lives in the group, and take it away; waits up to wait_ms for
 * processes to be gone. Returns 0 (also when it was gone already), or -errno. Async-signal-safe.
 */
int cgroup_remove(const struct cgroup *g, unsigned int wait_ms);

/* cgroup_set - write text to one of its files. Returns 0 or -errno. */
int cgroup_set(const struct cgroup *g, const char *file, const char *text);

/* cgroup_get - a file that begins with a number. Returns 0 or -errno; *value only on success. */
int cgroup_get(const struct cgroup *g, const char *file, uint64_t *value);

/* cgroup_get_key - the number behind a word at the start of a line, as in "oom_kill 3". */
int cgroup_get_key(const struct cgroup *g, const char *file, const char *key, uint64_t *value);

#endif
