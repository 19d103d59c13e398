/* SPDX-License-Identifier: MIT */
/* Running a job: CPUs, nodes, users and priorities, and what is refused. */
#define _GNU_SOURCE
#include "core/proc.h"
#include "t/test.h"

#include <sched.h>
#include <sys/resource.h>

static struct proc_conf conf;
static char why[512];

static int set(const char *name, const char *value)
{
	const struct opt_units units = { .kb_base = 1024 };
	int i = opt_find(&proc_options, name);
	struct fl_opt row;

	T_TRUE(i >= 0);
	opt_row(&proc_options, (size_t)i, &row);
	why[0] = '\0';
	return opt_set(&row, &conf, value, &units, why, sizeof(why));
}

static int only(const char *name, const char *value)
{
	opt_defaults(&proc_options, &conf, sizeof(conf));
	return set(name, value);
}

static void refuses(const char *name, const char *value, const char *word)
{
	T_TRUE(only(name, value) < 0);
	if (!strstr(why, word) || !*why)
		T_FAIL("%s=%s: no '%s' in: %s", name, value, word, why);
}

TEST(users_and_groups)
{
	T_TRUE(only("uid", "root") >= 0);
	T_TRUE(conf.uid.set);
	T_EQ(conf.uid.id, 0);
	T_TRUE(only("uid", "65534") >= 0);
	T_EQ(conf.uid.id, 65534);
	T_TRUE(only("gid", "root") >= 0);
	T_EQ(conf.gid.id, 0);
	T_TRUE(!conf.uid.set);
	refuses("uid", "no-such-user", "'no-such-user' is no user of this system");
	refuses("gid", "no-such-group", "'no-such-group' is no group of this system");
	refuses("uid", "-1", "is no user");
	refuses("uid", "4294967295", "is no user");
	refuses("uid", "", "");
	refuses("gid", "", "");
}

TEST(cpus)
{
	refuses("cpumask", "0", "cpumask");
	refuses("cpumask", "x", "a bit per CPU");
	refuses("cpumask", "-1", "");
	refuses("cpumask", "0x8000000000000000", "");
	refuses("cpus_allowed", "9999", "9999");
	refuses("cpus_allowed", "1-", "");
	refuses("cpus_allowed", "1-0", "");
	refuses("cpus_allowed", "0,,1", "");
}

TEST(nodes)
{
	if (only("numa_cpu_nodes", "0") < 0)
		SKIP(why);
	T_TRUE(conf.cpu_nodes != NULL);
	T_TRUE(only("numa_cpu_nodes", "all") >= 0);
	refuses("numa_cpu_nodes", "999", "999");
	refuses("numa_cpu_nodes", "x", "x");
	refuses("numa_cpu_nodes", "", "");
	refuses("numa_cpu_nodes", "0-", "");
	refuses("numa_cpu_nodes", "-1", "");
}

TEST(memory_of_nodes)
{
	T_TRUE(only("numa_mem_policy", "default") >= 0);
	T_TRUE(only("numa_mem_policy", "local") >= 0);
	T_EQ(conf.memory.policy, NODES_LOCAL);
	T_TRUE(!conf.memory.nodes);
	refuses("numa_mem_policy", "bind", "give the nodes");
	refuses("numa_mem_policy", "prefer", "give the nodes");
	refuses("numa_mem_policy", "local:0", "takes no nodes");
	refuses("numa_mem_policy", "default:0", "takes no nodes");
	refuses("numa_mem_policy", "bond:0", "it must be default");
	refuses("numa_mem_policy", "", "the value is missing; write ");
	if (only("numa_mem_policy", "bind:0") < 0)
		SKIP(why);
	T_EQ(conf.memory.policy, NODES_BIND);
	T_TRUE(only("numa_mem_policy", "interleave:0") >= 0);
	T_TRUE(only("numa_mem_policy", "prefer:0") >= 0);
	refuses("numa_mem_policy", "bind:", "");
	refuses("numa_mem_policy", "bind:99", "99");
	refuses("numa_mem_policy", "interleave:0,x", "");
}

TEST(priorities)
{
	T_TRUE(only("prio", "7") >= 0);
	T_TRUE(only("prioclass", "3") >= 0);
	refuses("prio", "8", "7");
	refuses("prioclass", "4", "3");
	refuses("nice", "20", "19");
	refuses("nice", "-21", "-20");
	T_TRUE(only("nice", "-20") >= 0);
	T_EQ(conf.nice, -20);
}

TEST(what_does_not_go_together)
{
	T_TRUE(only("uid", "0") >= 0);
	T_TRUE(set("thread", "1") >= 0);
	T_EQ(proc_check(&conf, why, sizeof(why)), -EINVAL);
	T_TRUE(strstr(why, "leave thread out"));
	T_TRUE(only("cpus_allowed", "0") >= 0);
	T_EQ(proc_check(&conf, why, sizeof(why)), 0);
	if (set("numa_cpu_nodes", "0") < 0)
		SKIP(why);
	T_EQ(proc_check(&conf, why, sizeof(why)), -EINVAL);
	T_TRUE(strstr(why, "give one of them"));
}

TEST(placing)
{
	cpu_set_t may, now;
	char first[16];
	int cpu = 0;

	T_EQ(sched_getaffinity(0, sizeof(may), &may), 0);
	while (!CPU_ISSET(cpu, &may))
		cpu++;
	snprintf(first, sizeof(first), "%d", cpu);
	T_TRUE(only("cpus_allowed", first) >= 0);
	T_TRUE(set("nice", "3") >= 0);
	T_TRUE(set("prioclass", "2") >= 0);
	T_TRUE(set("prio", "6") >= 0);
	T_EQ(proc_place(&conf, 5, why, sizeof(why)), 0);
	T_EQ(sched_getaffinity(0, sizeof(now), &now), 0);
	T_EQ(CPU_COUNT(&now), 1);
	T_TRUE(CPU_ISSET(cpu, &now));
	T_EQ(getpriority(PRIO_PROCESS, 0), 3);
}

TEST(becoming_another)
{
	if (getuid())
		SKIP("only root may become another user");
	T_TRUE(only("uid", "65534") >= 0);
	T_TRUE(set("gid", "65533") >= 0);
	T_EQ(proc_become(&conf, why, sizeof(why)), 0);
	T_EQ(geteuid(), 65534);
	T_EQ(getegid(), 65533);
	T_TRUE(only("uid", "0") >= 0);
	T_EQ(proc_become(&conf, why, sizeof(why)), -EPERM);
	T_TRUE(strstr(why, "only root"));
}
