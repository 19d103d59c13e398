/* SPDX-License-Identifier: MIT */
/* The memory controller's files, in both versions. */
#define _GNU_SOURCE 1
#include "os/memgroup.h"

#include <stdio.h>
#include <string.h>

int memgroup_make(struct cgroup *g, uint64_t *limit_bytes, char *why, size_t why_bytes)
{
	int err = cgroup_make(g, "memory", why, why_bytes);
	const char *file;
	char text[32];

	if (err)
		return err;
	file = g->version == 1 ? "memory.limit_in_bytes" : "memory.max";
	snprintf(text, sizeof(text), "%llu", (unsigned long long)*limit_bytes);
	err = cgroup_set(g, file, text);
	if (!err)
		err = cgroup_get(g, file, limit_bytes);
	if (!err)
		return 0;
	snprintf(why, why_bytes, "the limit cannot be set in %.300s/%s: %s", g->path, file,
		 strerror(-err));
	cgroup_remove(g, 0);
	g->version = 0;
	return err;
}

void memgroup_look(const struct cgroup *g, struct memgroup_facts *f)
{
	memset(f, 0, sizeof(*f));
	if (g->version == 1) {
		cgroup_get(g, "memory.max_usage_in_bytes", &f->peak_bytes);
		cgroup_get(g, "memory.failcnt", &f->reclaims);
		cgroup_get_key(g, "memory.oom_control", "oom_kill", &f->kills);
	} else if (g->version == 2) {
		cgroup_get(g, "memory.peak", &f->peak_bytes);
		cgroup_get_key(g, "memory.events", "max", &f->reclaims);
		cgroup_get_key(g, "memory.events", "oom_kill", &f->kills);
	}
}
