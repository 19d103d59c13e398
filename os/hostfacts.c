/* SPDX-License-Identifier: MIT */
/* Kernel, CPUs, nodes, memory: from /proc and /sys. */
#define _GNU_SOURCE 1
#include "os/hostfacts.h"

#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "os/cpu.h"
#include "os/mem.h"
#include "os/slurp.h"
#include "os/sys.h"
#include "os/sysfacts.h"
#include "os/virt.h"

#define TABLE_BYTES	(1u << 20)	/* of cpuinfo: the first CPUs tell all that is asked for */

static char *slurp_below(const char *root, const char *path)
{
	char at[PATH_MAX], *text = NULL;
	size_t len;

	if (snprintf(at, sizeof(at), "%s/%s", root, path) >= PATH_MAX ||
	    slurp_head(at, TABLE_BYTES, &text, &len) < 0)
		return NULL;
	return text;
}

/* A list of numbers, as in "0-3,5". Returns whether there is one. */
fl_printf(3, 4) static bool read_list(const char *root, struct cpus *set, const char *path, ...)
{
	char at[PATH_MAX], text[4096];
	int n = snprintf(at, sizeof(at), "%s/", root);
	va_list ap;

	if (n >= PATH_MAX)
		return false;
	va_start(ap, path);
	vsnprintf(at + n, sizeof(at) - (size_t)n, path, ap);
	va_end(ap);
	return sys_read_text(at, text, sizeof(text)) > 0 && !cpus_read(set, text);
}

/* ---- Kernel ---------------------------------------------------------------------------------- */

static void kernel(const char *root, struct facts *f)
{
	struct utsname u;
	size_t mark = facts_enter(f, "kernel");

	sysfacts_text(f, "name", 0, root, "proc/sys/kernel/ostype");
	sysfacts_text(f, "release", 0, root, "proc/sys/kernel/osrelease");
	if (!uname(&u))
		facts_text(f, "machine", u.machine, 0);
	sysfacts_choice(f, "clock_source", 0, root, "sys/devices/system/clocksource/clocksource0/"
			"current_clocksource");
	sysfacts_text(f, "version", FACT_DETAIL, root, "proc/sys/kernel/version");
	sysfacts_text(f, "command_line", FACT_DETAIL | FACT_WORDS, root, "proc/cmdline");
	sysfacts_u64(f, "tainted", FACT_DETAIL, 1, root, "proc/sys/kernel/tainted");
	sysfacts_u64(f, "aio_max_nr", FACT_DETAIL, 1, root, "proc/sys/fs/aio-max-nr");
	sysfacts_u64(f, "io_uring_disabled", FACT_DETAIL, 1, root,
		     "proc/sys/kernel/io_uring_disabled");
	facts_leave(f, mark);
}

/* ---- CPUs ------------------------------------------------------------------------------------ */

/* What a CPU calls itself differs from architecture to architecture. */
static void model(const char *cpuinfo, struct facts *f)
{
	static const char *const keys[] = { "model name", "cpu model", "Processor", "cpu",
					    "Model Name", "uarch" };
	char text[160], part[32];

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!sysfacts_line(cpuinfo, keys[i], text, sizeof(text)))
			continue;
		facts_text(f, "model", text, 0);
		return;
	}
	if (sysfacts_line(cpuinfo, "CPU implementer", text, 32) &&
	    sysfacts_line(cpuinfo, "CPU part", part, sizeof(part))) {
		char both[80];

		snprintf(both, sizeof(both), "implementer %.30s part %s", text, part);
		facts_text(f, "model", both, 0);
	}
}

static bool is_in_list(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += n)
		if ((at == list || at[-1] == ' ') && (!at[n] || at[n] == ','))
			return true;
	return false;
}

/* One file of every frequency policy: its values, each once, ", " between them. */
static bool policies(const char *root, const char *file, char *text, size_t bytes)
{
	char path[PATH_MAX], at[PATH_MAX + NAME_MAX + 64], one[64];
	struct dirent *e;
	DIR *d;

	text[0] = '\0';
	if (snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpufreq", root) >= PATH_MAX)
		return false;
	d = opendir(path);
	if (!d)
		return false;
	while ((e = readdir(d))) {
		size_t len = strlen(text);

		if (strncmp(e->d_name, "policy", 6))
			continue;
		snprintf(at, sizeof(at), "%s/%s/%s", path, e->d_name, file);
		if (sys_read_text(at, one, sizeof(one)) > 0 && !is_in_list(text, one))
			snprintf(text + len, bytes - len, "%s%s", len ? ", " : "", one);
	}
	closedir(d);
	return text[0];
}

/* The lowest and the highest of several numbers in a list, kHz, as MHz. */
static void mhz(const char *root, const char *file, const char *name, bool highest,
		unsigned int flags, struct facts *f)
{
	char text[1024], *at = text, *end;
	uint64_t best = 0, v;

	if (!policies(root, file, text, sizeof(text)))
		return;
	for (; (v = strtoull(at, &end, 10)), end != at; at = end + strspn(end, ", "))
		best = !best || (v > best) == highest ? v : best;
	facts_u64(f, name, best / 1000, flags);
}

static void frequency(const char *root, struct facts *f)
{
	char text[1024];

	if (policies(root, "scaling_governor", text, sizeof(text)))
		facts_text(f, "governor", text, 0);
	if (policies(root, "scaling_driver", text, sizeof(text)))
		facts_text(f, "frequency_driver", text, 0);
	mhz(root, "scaling_min_freq", "mhz_min", false, 0, f);
	mhz(root, "scaling_max_freq", "mhz_max", true, 0, f);
	mhz(root, "cpuinfo_max_freq", "mhz_possible", true, 0, f);
	if (!sysfacts_bool(f, "boost", 0, root, "sys/devices/system/cpu/cpufreq/boost"))
		sysfacts_bool(f, "no_turbo", 0, root,
			      "sys/devices/system/cpu/intel_pstate/no_turbo");
	if (policies(root, "energy_performance_preference", text, sizeof(text)))
		facts_text(f, "energy_preference", text, FACT_DETAIL);
}

/* The fastest of all CPUs, as far as the kernel lists them. */
static void clock_rate(const char *cpuinfo, struct facts *f)
{
	double fastest = 0;
	char text[64];

	for (const char *at = cpuinfo; (at = strstr(at, "cpu MHz")); at++)
		if (sysfacts_line(at, "cpu MHz", text, sizeof(text)))
			fastest = fl_max(fastest, strtod(text, NULL));
	if (fastest > 0)
		facts_real(f, "mhz_now", fastest, FACT_ROUGH);
}

/* How many different numbers the CPUs have in one file of their topology. */
static unsigned int count_different(const char *root, const struct cpus *online, const char *file)
{
	struct cpus seen = { { 0 } };
	uint64_t v;

	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++) {
		char at[PATH_MAX];

		if (!cpus_has(online, cpu))
			continue;
		snprintf(at, sizeof(at), "%.3000s/sys/devices/system/cpu/cpu%u/topology/%s", root,
			 cpu, file);
		if (!sys_read_u64(at, &v) && v < CPUS_MAX)
			cpus_add(&seen, (unsigned int)v);
	}
	return cpus_count(&seen);
}

static void vulnerabilities(const char *root, struct facts *f)
{
	char path[PATH_MAX];
	size_t mark = facts_enter(f, "vulnerabilities");
	struct dirent **names = NULL;
	int n = 0;

	snprintf(path, sizeof(path), "%.3000s/sys/devices/system/cpu/vulnerabilities", root);
	if (!(f->without & FACT_DETAIL))
		n = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		if (names[i]->d_name[0] != '.')
			sysfacts_text(f, names[i]->d_name, FACT_DETAIL, root,
				      "sys/devices/system/cpu/vulnerabilities/%s",
				      names[i]->d_name);
		free(names[i]);
	}
	free(names);
	facts_leave(f, mark);
}

static void cpu(const char *root, const char *cpuinfo, struct facts *f)
{
	size_t mark = facts_enter(f, "cpu");
	struct cpus online = { { 0 } };
	char text[1024];
	unsigned int sockets;

	model(cpuinfo, f);
	if (read_list(root, &online, "sys/devices/system/cpu/online")) {
		facts_u64(f, "count", cpus_count(&online), 0);
		facts_text(f, "online", cpus_format(&online, text, sizeof(text)), 0);
		sockets = count_different(root, &online, "physical_package_id");
		if (sockets)
			facts_u64(f, "sockets", sockets, 0);
	}
	sysfacts_text(f, "isolated", 0, root, "sys/devices/system/cpu/isolated");
	sysfacts_bool(f, "smt", 0, root, "sys/devices/system/cpu/smt/active");
	frequency(root, f);
	clock_rate(cpuinfo, f);
	if (sysfacts_line(cpuinfo, "microcode", text, sizeof(text)))
		facts_text(f, "microcode", text, FACT_DETAIL);
	sysfacts_text(f, "idle_driver", FACT_DETAIL, root,
		      "sys/devices/system/cpu/cpuidle/current_driver");
	sysfacts_text(f, "idle_governor", FACT_DETAIL, root,
		      "sys/devices/system/cpu/cpuidle/current_governor_ro");
	vulnerabilities(root, f);
	facts_leave(f, mark);
}

/* ---- NUMA ------------------------------------------------------------------------------------ */

/* A line of meminfo: kB, or a plain number. */
static void meminfo_line(const char *meminfo, const char *key, const char *name,
			 unsigned int flags, struct facts *f)
{
	uint64_t v;

	if (mem_info_line(meminfo, key, &v))
		facts_u64(f, name, v, flags);
}

static void numa(const char *root, struct facts *f)
{
	size_t mark = facts_enter(f, "numa"), list;
	struct cpus nodes = { { 0 } };
	char text[1024], *meminfo;

	if (!read_list(root, &nodes, "sys/devices/system/node/online")) {
		facts_leave(f, mark);
		return;
	}
	facts_u64(f, "count", cpus_count(&nodes), 0);
	sysfacts_bool(f, "balancing", FACT_DETAIL, root, "proc/sys/kernel/numa_balancing");
	for (unsigned int i = 0, at = 0; i < CPUS_MAX; i++) {
		if (!cpus_has(&nodes, i))
			continue;
		list = facts_enter(f, "nodes.%u", at++);
		facts_u64(f, "node", i, 0);
		sysfacts_text(f, "cpus", 0, root, "sys/devices/system/node/node%u/cpulist", i);
		snprintf(text, sizeof(text), "sys/devices/system/node/node%u/meminfo", i);
		meminfo = slurp_below(root, text);
		snprintf(text, sizeof(text), "Node %u MemTotal", i);
		if (meminfo)
			meminfo_line(meminfo, text, "memory_bytes", 0, f);
		free(meminfo);
		sysfacts_text(f, "distance", FACT_DETAIL, root,
			      "sys/devices/system/node/node%u/distance", i);
		facts_leave(f, list);
	}
	facts_leave(f, mark);
}

const char *hostfacts_nodes(const char *root, const char *cpus, char *nodes, size_t bytes)
{
	struct cpus wanted = { { 0 } }, all = { { 0 } }, of = { { 0 } }, found = { { 0 } };

	nodes[0] = '\0';
	if (cpus_read(&wanted, cpus) || !read_list(root, &all, "sys/devices/system/node/online"))
		return nodes;
	for (unsigned int i = 0; i < CPUS_MAX; i++) {
		if (!cpus_has(&all, i) ||
		    !read_list(root, &of, "sys/devices/system/node/node%u/cpulist", i))
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(of.bits); k++)
			if (of.bits[k] & wanted.bits[k]) {
				cpus_add(&found, i);
				break;
			}
	}
	return cpus_format(&found, nodes, bytes);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void memory(const char *root, struct facts *f)
{
	size_t mark = facts_enter(f, "memory");
	char *meminfo = slurp_below(root, "proc/meminfo");

	if (meminfo) {
		meminfo_line(meminfo, "MemTotal", "total_bytes", 0, f);
		meminfo_line(meminfo, "MemAvailable", "available_bytes", FACT_VARIES, f);
		meminfo_line(meminfo, "Dirty", "dirty_bytes", FACT_VARIES | FACT_DETAIL, f);
		meminfo_line(meminfo, "SwapTotal", "swap_bytes", 0, f);
		meminfo_line(meminfo, "HugePages_Total", "huge_pages", FACT_DETAIL, f);
		meminfo_line(meminfo, "Hugepagesize", "huge_page_bytes", FACT_DETAIL, f);
		free(meminfo);
	}
	sysfacts_choice(f, "transparent_huge_pages", 0, root,
			"sys/kernel/mm/transparent_hugepage/enabled");
	sysfacts_u64(f, "dirty_ratio", 0, 1, root, "proc/sys/vm/dirty_ratio");
	sysfacts_u64(f, "dirty_background_ratio", 0, 1, root,
		     "proc/sys/vm/dirty_background_ratio");
	sysfacts_u64(f, "dirty_limit_bytes", FACT_DETAIL, 1, root, "proc/sys/vm/dirty_bytes");
	sysfacts_u64(f, "dirty_expire_ms", FACT_DETAIL, 10, root,
		     "proc/sys/vm/dirty_expire_centisecs");
	sysfacts_u64(f, "dirty_writeback_ms", FACT_DETAIL, 10, root,
		     "proc/sys/vm/dirty_writeback_centisecs");
	sysfacts_u64(f, "swappiness", FACT_DETAIL, 1, root, "proc/sys/vm/swappiness");
	facts_leave(f, mark);
}

void hostfacts_add(const char *root, struct facts *f)
{
	char *cpuinfo = slurp_below(root, "proc/cpuinfo");
	size_t mark = facts_enter(f, "host");

	sysfacts_text(f, "name", FACT_ID, root, "proc/sys/kernel/hostname");
	facts_leave(f, mark);
	kernel(root, f);
	virt_facts(root, cpuinfo ? cpuinfo : "", f);
	cpu(root, cpuinfo ? cpuinfo : "", f);
	numa(root, f);
	memory(root, f);
	free(cpuinfo);
}
