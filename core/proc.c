/* SPDX-License-Identifier: MIT */
/* The options of running, and placing a worker on the machine. */
#include "core/proc.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int parse_cpus(void *member, const char *text, char *why, size_t why_bytes)
{
	struct cpus **set = member;
	struct cpus *cpus = calloc(1, sizeof(*cpus));	/* lives as long as the settings */
	int err;

	if (!cpus)
		return -ENOMEM;
	err = cpus_parse(cpus, text, why, why_bytes);
	if (err) {
		free(cpus);
		return err;
	}
	*set = cpus;
	return 0;
}

static const struct fl_opt_value policy_names[] = {
	{ "shared", PROC_CPUS_SHARED, "every clone may use the whole set" },
	{ "split", PROC_CPUS_SPLIT, "each clone has one CPU of the set, in turns" },
	{ NULL, 0, NULL },
};

#define AT(member)	.offset = offsetof(struct proc_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "name", .type = FL_OPT_STR, AT(name), .help = "name of the job in the report" },
	{ .name = "description", .type = FL_OPT_STR, AT(description),
	  .help = "a text for the report, no effect on the run" },
	{ .name = "numjobs", .type = FL_OPT_U32, AT(numjobs), .min = 1, .max = PROC_JOBS_MAX,
	  .def = "1", .help = "how many clones of the job run" },
	{ .name = "thread", .type = FL_OPT_FLAG, AT(thread),
	  .help = "run as a thread; default is a process of its own" },
	{ .name = "stonewall", .alias = "wait_for_previous", .type = FL_OPT_FLAG, AT(stonewall),
	  .help = "start when all jobs before have ended; begins a new group" },
	{ .name = "new_group", .type = FL_OPT_FLAG, AT(new_group),
	  .help = "begin a new group in the report" },
	{ .name = "wait_for", .type = FL_OPT_STR, AT(wait_for),
	  .help = "start when every clone of the job of that name has ended" },
	{ .name = "nice", .type = FL_OPT_I64, AT(nice), .min = (uint64_t)-20, .max = 19,
	  .help = "nice value, -20 (first) to 19 (last)" },
	{ .name = "cpus_allowed", .type = OPT_CUSTOM, AT(cpus), .parse = parse_cpus,
	  .unit = "list of CPUs, as in 0-3,5", .help = "CPUs the job may run on" },
	{ .name = "cpus_allowed_policy", .type = FL_OPT_ENUM, AT(cpus_policy), .def = "shared",
	  .values = policy_names, .help = "how clones share the CPUs of cpus_allowed" },
};

const struct opt_table proc_options = OPT_TABLE("Running", rows, 0);

int proc_place(const struct proc_conf *c, uint32_t clone, char *why, size_t why_bytes)
{
	struct cpus one;
	int err = 0;

	if (c->cpus && c->cpus_policy == PROC_CPUS_SPLIT) {
		memset(&one, 0, sizeof(one));
		cpus_add(&one, (unsigned)cpus_nth(c->cpus, clone));
		err = cpus_apply(&one);
	} else if (c->cpus) {
		err = cpus_apply(c->cpus);
	}
	if (err) {
		snprintf(why, why_bytes, "cpus_allowed: %s; this process may not run on any of them",
			 strerror(-err));
		return err;
	}
	err = c->nice ? cpu_nice((int)c->nice) : 0;
	if (err)
		snprintf(why, why_bytes, "nice=%d: %s; only root may go below 0", (int)c->nice,
			 strerror(-err));
	return err;
}
