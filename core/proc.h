/* SPDX-License-Identifier: MIT */
/*
 * A job as something that runs: how many of it, as process or thread, when, where, how important.
 */
#ifndef CORE_PROC_H
#define CORE_PROC_H

#include "core/opt.h"
#include "os/cpu.h"

#define PROC_JOBS_MAX	65536

enum { PROC_CPUS_SHARED = 0, PROC_CPUS_SPLIT = 1 };

struct proc_conf {
	const char *name;		/* as reported; NULL: the section's */
	const char *description;
	uint32_t numjobs;
	uint32_t thread;
	uint32_t stonewall;
	uint32_t new_group;
	const char *wait_for;		/* name of the job to wait for, or NULL */
	int64_t nice;
	struct cpus *cpus;		/* NULL: wherever the kernel likes */
	uint32_t cpus_policy;
};

extern const struct opt_table proc_options;

/* proc_place - nice and CPUs of this clone for the calling thread. 0, or -errno with a sentence. */
int proc_place(const struct proc_conf *c, uint32_t clone, char *why, size_t why_bytes);

#endif
