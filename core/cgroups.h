/* SPDX-License-Identifier: MIT */
/*
 * cgroup, cgroup_weight, cgroup_nodelete: a job's I/O counts for a control group, by name, which
 * may be there already. The parent makes it, and takes it away (cgroups_run.h); each worker enters.
 */
#ifndef CORE_CGROUPS_H
#define CORE_CGROUPS_H

#include "core/opt.h"

struct cgroups_conf {
	const char *name;		/* NULL: none */
	uint32_t weight;		/* 0: as the group has it */
	uint32_t keep;			/* cgroup_nodelete */
};

extern const struct opt_table cgroups_options;

/* cgroups_check - 0, -EINVAL with a sentence in why, or 1 with a note. */
int cgroups_check(const struct cgroups_conf *c, char *why, size_t why_bytes);

/*
 * cgroups_enter - into the job's group, if it has one: the process, or the thread alone. Returns 0,
 * or -errno with a sentence in why.
 */
int cgroups_enter(const struct cgroups_conf *c, bool thread, char *why, size_t why_bytes);

#endif
