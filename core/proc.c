/* SPDX-License-Identifier: MIT */
/* The options of running, and placing a worker on the machine. */
#define _GNU_SOURCE
#include "core/proc.h"
#include "lib/units.h"
#include "os/clock_cpu.h"
#include "os/sig.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COMM_BYTES	15	/* TASK_COMM_LEN of the kernel less its end */

int proc_parse_cpus(void *member, const char *text, char *why, size_t why_bytes)
{
	struct cpus **set = member, cpus;
	int err = cpus_parse(&cpus, text, why, why_bytes);

	if (!err)
		*set = opt_keep_bytes(&cpus, sizeof(cpus));
	return err;
}

static int parse_mask(void *member, const char *text, char *why, size_t why_bytes)
{
	struct cpus **set = member, cpus;
	struct parse_err perr;
	uint64_t mask;
	int err;

	if (units_uint(span_of(text), 1024, 1, UINT64_MAX, &mask, NULL, &perr)) {
		snprintf(why, why_bytes, "cpumask=%s: %s; it is a number with a bit per CPU",
			 parse_show(span_of(text)).text, perr.text);
		return -EINVAL;
	}
	err = cpus_from_mask(&cpus, mask, why, why_bytes);
	if (!err)
		*set = opt_keep_bytes(&cpus, sizeof(cpus));
	return err;
}

static int parse_nodes(void *member, const char *text, char *why, size_t why_bytes)
{
	struct nodes **set = member, nodes;
	int err = nodes_parse(&nodes, text, why, why_bytes);

	if (!err)
		*set = opt_keep_bytes(&nodes, sizeof(nodes));
	return err;
}

static const struct fl_opt_value memory_names[] = {
	{ "default", NODES_DEFAULT, "as the system does" },
	{ "prefer", NODES_PREFER, "prefer:NODE, from that node while it has memory" },
	{ "bind", NODES_BIND, "bind:NODES, from these nodes only" },
	{ "interleave", NODES_INTERLEAVE, "interleave:NODES, page by page in turn" },
	{ "local", NODES_LOCAL, "from the node the job runs on" },
	{ NULL, 0, NULL },
};

static int parse_memory(void *member, const char *text, char *why, size_t why_bytes)
{
	struct numa_conf m = { 0 };
	size_t len = strcspn(text, ":");
	const struct fl_opt_value *v = memory_names;
	bool takes_nodes;
	int err;

	while (v->name && (strlen(v->name) != len || strncmp(v->name, text, len)))
		v++;
	if (!v->name) {
		snprintf(why, why_bytes, "numa_mem_policy=%s: it must be default, prefer:NODE, "
			 "bind:NODES, interleave:NODES or local", parse_show(span_of(text)).text);
		return -EINVAL;
	}
	m.policy = (uint32_t)v->value;
	takes_nodes = m.policy != NODES_DEFAULT && m.policy != NODES_LOCAL;
	if (takes_nodes != (text[len] == ':')) {
		snprintf(why, why_bytes, "numa_mem_policy=%s: %s", parse_show(span_of(text)).text,
			 takes_nodes ? "give the nodes after a colon" :
			 "this policy takes no nodes");
		return -EINVAL;
	}
	err = takes_nodes ? parse_nodes(&m.nodes, text + len + 1, why, why_bytes) : 0;
	if (!err && m.policy == NODES_PREFER && nodes_count(m.nodes) != 1) {
		snprintf(why, why_bytes, "numa_mem_policy=%s: prefer takes one node", text);
		return -EINVAL;
	}
	if (!err)
		*(struct numa_conf *)member = m;
	return err;
}

/* A number, or what the system knows by that name. */
static int parse_id(struct proc_id *id, bool known, uint32_t number, const char *what,
		    const char *text, char *why, size_t why_bytes)
{
	uint64_t n = number;

	if (!known && units_uint(span_of(text), 1024, 0, UINT32_MAX - 1, &n, NULL, NULL)) {
		snprintf(why, why_bytes, "'%s' is no %s of this system; give a name or a number",
			 parse_show(span_of(text)).text, what);
		return -EINVAL;
	}
	*id = (struct proc_id){ true, (uint32_t)n };
	return 0;
}

static int parse_uid(void *member, const char *text, char *why, size_t why_bytes)
{
	const struct passwd *pw = getpwnam(text);

	return parse_id(member, pw, pw ? pw->pw_uid : 0, "user", text, why, why_bytes);
}

static int parse_gid(void *member, const char *text, char *why, size_t why_bytes)
{
	const struct group *gr = getgrnam(text);

	return parse_id(member, gr, gr ? gr->gr_gid : 0, "group", text, why, why_bytes);
}

static const struct fl_opt_value policy_names[] = {
	{ "shared", PROC_CPUS_SHARED, "every clone may use the whole set" },
	{ "split", PROC_CPUS_SPLIT, "each clone has one CPU of the set, in turns" },
	{ NULL, 0, NULL },
};

static const struct fl_opt_value exit_names[] = {
	{ "group", PROC_EXIT_GROUP, "the jobs of the same group" },
	{ "stonewall", PROC_EXIT_STONEWALL,
	  "the jobs that run now; those behind a stonewall start" },
	{ "all", PROC_EXIT_ALL, "all jobs, those that have not started too" },
	{ NULL, 0, NULL },
};

#define AT(member)	.offset = offsetof(struct proc_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "name", .type = FL_OPT_STR, AT(name), .help = "name of the job in the report" },
	{ .name = "description", .type = FL_OPT_STR, AT(description),
	  .help = "a text for the report, no effect on the run" },
	{ .name = "comm", .type = FL_OPT_STR, AT(comm),
	  .help = "what ps and top call the job's process or thread; default: the job's name",
	  .more = "The kernel keeps 15 bytes of it." },
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
	{ .name = "exitall", .type = FL_OPT_FLAG, AT(exitall),
	  .help = "when a job ends, end the others that its exit_what names",
	  .more = "Whichever job that is: given for one, it holds for all of the run." },
	{ .name = "exitall_on_error", .type = FL_OPT_FLAG, AT(exitall_on_error),
	  .help = "when this job fails, end the others that exit_what names" },
	{ .name = "exit_what", .type = FL_OPT_ENUM, AT(exit_what), .def = "group",
	  .values = exit_names, .help = "which jobs exitall and exitall_on_error end" },
	{ .name = "nice", .type = FL_OPT_I64, AT(nice), .min = (uint64_t)-20, .max = 19,
	  .help = "nice value, -20 (first) to 19 (last)" },
	{ .name = "prio", .type = FL_OPT_U32, AT(prio), .max = CPU_IO_LEVEL_MAX,
	  .help = "I/O priority within its class, 0 (first) to 7" },
	{ .name = "prioclass", .type = FL_OPT_U32, AT(prioclass), .max = CPU_IO_IDLE,
	  .help = "class of I/O priority: 1 realtime, 2 best effort, 3 idle; 0 is the system's" },
	{ .name = "priohint", .type = FL_OPT_U32, AT(priohint), .max = CPU_IO_HINT_MAX,
	  .help = "hint bits of the I/O priority",
	  .more = "1 to 7 are the limits of a device with command duration limits (Linux 6.5)." },
	{ .name = "cpus_allowed", .type = OPT_CUSTOM, AT(cpus), .parse = proc_parse_cpus,
	  .unit = "list of CPUs, as in 0-3,5", .help = "CPUs the job may run on" },
	{ .name = "cpumask", .type = OPT_CUSTOM, AT(cpus), .parse = parse_mask,
	  .unit = "a number with a bit per CPU", .help = "the same for CPUs 0 to 63" },
	{ .name = "cpus_allowed_policy", .type = FL_OPT_ENUM, AT(cpus_policy), .def = "shared",
	  .values = policy_names, .help = "how clones share the CPUs of cpus_allowed" },
	{ .name = "numa_cpu_nodes", .type = OPT_CUSTOM, AT(cpu_nodes), .parse = parse_nodes,
	  .unit = "list of nodes, or all", .help = "NUMA nodes on whose CPUs the job runs" },
	{ .name = "numa_mem_policy", .type = OPT_CUSTOM, AT(memory), .parse = parse_memory,
	  .values = memory_names, .unit = "policy, or policy:nodes",
	  .help = "NUMA nodes the job's memory comes from" },
	{ .name = "uid", .type = OPT_CUSTOM, AT(uid), .parse = parse_uid,
	  .unit = "user name or number", .help = "run the job as this user" },
	{ .name = "gid", .type = OPT_CUSTOM, AT(gid), .parse = parse_gid,
	  .unit = "group name or number", .help = "run the job with this group" },
	{ .name = "lockmem", .type = FL_OPT_SIZE, AT(lockmem), .unit = "bytes",
	  .help = "lock this much memory away while the job runs, as if the machine had less" },
};

const struct opt_table proc_options = OPT_TABLE("Running", rows, 0);

int proc_check(struct proc_conf *c, char *why, size_t why_bytes)
{
	if (c->cpu_nodes && c->cpus) {
		snprintf(why, why_bytes, "cpus_allowed and numa_cpu_nodes both say where the job "
			 "runs; give one of them");
		return -EINVAL;
	}
	if (c->thread && (c->uid.set || c->gid.set)) {
		snprintf(why, why_bytes, "uid and gid need a process of their own; leave "
			 "thread out");
		return -EINVAL;
	}
	if (c->comm && strlen(c->comm) > COMM_BYTES) {
		snprintf(why, why_bytes, "comm=%.64s: the name of a process has at most %d bytes; "
			 "it is cut to '%.*s'", c->comm, COMM_BYTES, COMM_BYTES, c->comm);
		return 1;
	}
	return 0;
}

static int place_cpus(const struct proc_conf *c, uint32_t clone)
{
	int taken = clock_cpu_number();
	struct cpus usable, one;

	if (!c->cpus)
		return 0;
	usable = *c->cpus;
	if (taken >= 0)
		cpus_drop(&usable, (unsigned)taken);
	if (c->cpus_policy != PROC_CPUS_SPLIT || !cpus_count(&usable))
		return cpus_apply(&usable);
	memset(&one, 0, sizeof(one));
	cpus_add(&one, (unsigned)cpus_nth(&usable, clone));
	return cpus_apply(&one);
}

/* A set that the kernel made of nodes has the CPU of gtod_cpu, too. */
static int run_on_nodes(const struct nodes *nodes)
{
	int taken = clock_cpu_number(), err = nodes_run_on(nodes);
	struct cpus usable;

	if (err || taken < 0)
		return err;
	err = cpus_allowed(&usable);
	if (err < 0)
		return err;
	cpus_drop(&usable, (unsigned)taken);
	return cpus_apply(&usable);
}

uint16_t proc_ioprio(const struct proc_conf *c)
{
	if (!c->prio && !c->prioclass && !c->priohint)
		return 0;
	return cpu_ioprio(c->prioclass ? c->prioclass : CPU_IO_BEST_EFFORT, c->prio, c->priohint);
}

int proc_place(const struct proc_conf *c, uint32_t clone, char *why, size_t why_bytes)
{
	int err = place_cpus(c, clone);

	if (err) {
		snprintf(why, why_bytes, "cpus_allowed: %s; this process may not run on any of "
			 "them", strerror(-err));
		return err;
	}
	err = c->cpu_nodes ? run_on_nodes(c->cpu_nodes) : 0;
	if (!err && (c->memory.nodes || c->memory.policy))
		err = nodes_memory(c->memory.policy, c->memory.nodes);
	if (err) {
		snprintf(why, why_bytes, "NUMA placement: %s", strerror(-err));
		return err;
	}
	err = c->nice ? cpu_nice((int)c->nice) : 0;
	if (err) {
		snprintf(why, why_bytes, "nice=%d: %s; only root may go below 0", (int)c->nice,
			 strerror(-err));
		return err;
	}
	err = proc_ioprio(c) ? cpu_ioprio_apply(proc_ioprio(c)) : 0;
	if (err)
		snprintf(why, why_bytes, "prio=%u, prioclass=%u, priohint=%u: %s; only root may "
			 "use the realtime class", c->prio, c->prioclass, c->priohint,
			 strerror(-err));
	return err;
}

int proc_become(const struct proc_conf *c, char *why, size_t why_bytes)
{
	pid_t parent = getppid();

	/* The raw calls concern one thread; the C library's would reach for all of the process. */
	if (c->gid.set && syscall(SYS_setresgid, c->gid.id, c->gid.id, c->gid.id)) {
		snprintf(why, why_bytes, "gid=%u: %s", c->gid.id, strerror(errno));
		return -errno;
	}
	if (c->uid.set && syscall(SYS_setresuid, c->uid.id, c->uid.id, c->uid.id)) {
		snprintf(why, why_bytes, "uid=%u: %s; only root may become another user",
			 c->uid.id, strerror(errno));
		return -errno;
	}
	/* With another identity the kernel forgets that this process was to end with its parent. */
	if ((c->uid.set || c->gid.set) && sig_die_with_parent(parent))
		_exit(1);
	return 0;
}
