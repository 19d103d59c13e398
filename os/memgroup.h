/* SPDX-License-Identifier: MIT */
/*
 * A control group with a limit of memory: what its processes allocate, and the page cache of what
 * they are the first to read or write, together take no more than so many bytes.
 */
#ifndef OS_MEMGROUP_H
#define OS_MEMGROUP_H

#include "os/cgroup.h"

/*
 * memgroup_make - a new group with this limit. Returns 0 with *limit_bytes as the kernel has
 * rounded it, or -errno with a sentence in why, and nothing is left.
 */
int memgroup_make(struct cgroup *g, uint64_t *limit_bytes, char *why, size_t why_bytes);

/* How it went. What this kernel does not tell is 0. */
struct memgroup_facts {
	uint64_t peak_bytes;
	uint64_t reclaims;		/* how often the limit stood in the way */
	uint64_t kills;			/* processes ended because nothing could be reclaimed */
};

void memgroup_look(const struct cgroup *g, struct memgroup_facts *facts);

#endif
