/* SPDX-License-Identifier: MIT */
/*
 * NUMA nodes: on which a worker runs, and from which its memory comes. By libnuma; built without
 * it, every call says so.
 */
#ifndef OS_NUMA_H
#define OS_NUMA_H

#include <stddef.h>
#include <stdint.h>

#define NODES_MAX	1024

/* A set of nodes by the kernel's numbers. */
struct nodes {
	uint64_t bits[NODES_MAX / 64];
};

enum nodes_policy {
	NODES_DEFAULT,			/* the system's */
	NODES_PREFER,			/* from this node while it has memory */
	NODES_BIND,			/* from these nodes only */
	NODES_INTERLEAVE,		/* page by page in turn from these nodes */
	NODES_LOCAL,			/* from the node the worker runs on */
};

/*
 * nodes_parse - a list as in "0-1,3", or "all". Returns 0, or -EINVAL with a sentence in error
 * (also for nodes this machine does not have), or -ENOTSUP (no NUMA here, or built without
 * libnuma).
 */
int nodes_parse(struct nodes *set, const char *text, char *error, size_t error_size);

/* nodes_count - how many nodes the set has. */
unsigned int nodes_count(const struct nodes *set);

/* nodes_run_on - confine the calling thread to the CPUs of these nodes. Returns 0 or -errno. */
int nodes_run_on(const struct nodes *set);

/*
 * nodes_memory - from where the calling thread gets memory from now on. set is not read for
 * NODES_DEFAULT and NODES_LOCAL. Returns 0 or -errno.
 */
int nodes_memory(enum nodes_policy policy, const struct nodes *set);

#endif
