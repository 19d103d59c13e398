/* SPDX-License-Identifier: MIT */
/*
 * A job as something that runs: how many of it, as process or thread, when, where, how important,
 * as whom, and what its end means for others.
 */
#ifndef CORE_PROC_H
#define CORE_PROC_H

#include "core/opt.h"
#include "os/cpu.h"
#include "os/numa.h"

#define PROC_JOBS_MAX	65536

enum { PROC_CPUS_SHARED = 0, PROC_CPUS_SPLIT = 1 };

/* Whom exitall ends. */
enum proc_exit_what { PROC_EXIT_GROUP = 0, PROC_EXIT_STONEWALL = 1, PROC_EXIT_ALL = 2 };

struct numa_conf {
	uint32_t policy;		/* enum nodes_policy */
	struct nodes *nodes;		/* NULL: none named */
};

/* A user or group. */
struct proc_id {
	bool set;			/* false: stay who we are */
	uint32_t id;
};

struct proc_conf {
	const char *name;		/* as reported; NULL: the section's */
	const char *description;
	const char *comm;		/* of its process or thread; NULL: as reported */
	uint32_t numjobs;
	uint32_t thread;
	uint32_t stonewall;
	uint32_t new_group;
	const char *wait_for;		/* name of the job to wait for, or NULL */
	int64_t nice;
	struct cpus *cpus;		/* NULL: wherever the kernel likes */
	uint32_t cpus_policy;
	struct nodes *cpu_nodes;	/* NULL: wherever the kernel likes */
	struct numa_conf memory;
	uint32_t prio, prioclass, priohint;	/* of ioprio_set(2); all 0: not set */
	struct proc_id uid, gid;
	uint32_t exitall, exitall_on_error, exit_what;
	uint64_t lockmem;		/* bytes locked away while the run lasts */
};

extern const struct opt_table proc_options;

/* proc_parse_cpus - parse() of options that name CPUs: the member is a struct cpus *. */
int proc_parse_cpus(void *member, const char *text, char *why, size_t why_bytes);

/* proc_check - 0, or -EINVAL with a sentence in why. */
int proc_check(struct proc_conf *c, char *why, size_t why_bytes);

/*
 * proc_place - priority, CPUs and nodes of this clone for the calling thread. 0, or -errno with a
 * sentence in why.
 */
int proc_place(const struct proc_conf *c, uint32_t clone, char *why, size_t why_bytes);

/*
 * proc_ioprio - the kernel's number for the job's I/O priority, as requests without one of their
 * own have it; 0: none was given.
 */
uint16_t proc_ioprio(const struct proc_conf *c);

/* proc_become - uid and gid, for the calling thread alone. 0, or -errno with a sentence in why. */
int proc_become(const struct proc_conf *c, char *why, size_t why_bytes);

#endif
