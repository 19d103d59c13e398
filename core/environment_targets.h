/* SPDX-License-Identifier: MIT */
/* What the jobs of a run work on: each place once, however many files lie there. */
#ifndef CORE_ENVIRONMENT_TARGETS_H
#define CORE_ENVIRONMENT_TARGETS_H

#include "core/plan.h"
#include "lib/facts.h"

#define TARGETS_MAX	64

struct env_target {
	char *path;			/* of the first of its files */
	uint64_t files;			/* of all jobs, clones counted each */
	const struct job *jobs[8];	/* the first of those that use it */
	size_t nr_jobs;
	bool is_name;			/* only an engine knows what it is */
	bool is_device;
	bool is_char;
	dev_t device;			/* of the device itself, or of the file system */
};

struct env_targets {
	struct env_target list[TARGETS_MAX];
	size_t count;
};

/* env_targets_find - the places of a plan's files, as they are laid out. */
void env_targets_find(struct env_targets *t, const struct plan *plan);
void env_targets_free(struct env_targets *t);

/* env_targets_add - "targets", as they are now. */
void env_targets_add(const struct env_targets *t, struct facts *f);

#endif
