/* SPDX-License-Identifier: MIT */
/* Where a worker runs and how important it is. */
#define _GNU_SOURCE 1
#include "os/cpu.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base.h"
#include "os/sys.h"

#define IOPRIO_WHO_PROCESS	1
#define IOPRIO_CLASS_SHIFT	13
#define IOPRIO_HINT_SHIFT	3

void cpus_add(struct cpus *set, unsigned int cpu)
{
	fl_assert(cpu < CPUS_MAX);
	set->bits[cpu / 64] |= 1ull << cpu % 64;
}

void cpus_drop(struct cpus *set, unsigned int cpu)
{
	fl_assert(cpu < CPUS_MAX);
	set->bits[cpu / 64] &= ~(1ull << cpu % 64);
}

unsigned int cpus_count(const struct cpus *set)
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(set->bits); i++)
		n += (unsigned int)__builtin_popcountll(set->bits[i]);
	return n;
}

int cpus_nth(const struct cpus *set, unsigned int n)
{
	unsigned int count = cpus_count(set), cpu;

	if (!count)
		return -ENOENT;
	n %= count;
	for (cpu = 0; cpu < CPUS_MAX; cpu++)
		if (cpus_has(set, cpu) && n-- == 0)
			return (int)cpu;
	fl_assert(!"the count and the bits of a CPU set agree");
	return -ENOENT;
}

static int fl_printf(3, 4) refuse(char *error, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, size, format, args);
	va_end(args);
	return -EINVAL;
}

static const char *blanks_skip(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

/* Move *p over a CPU number and the blanks around it. Returns false when there is none. */
static bool number_read(const char **p, unsigned int *cpu)
{
	const char *at = blanks_skip(*p);

	if (*at < '0' || *at > '9')
		return false;
	for (*cpu = 0; *at >= '0' && *at <= '9'; at++)
		if (*cpu < CPUS_MAX)
			*cpu = *cpu * 10 + (unsigned int)(*at - '0');
	*p = blanks_skip(at);
	return true;
}

/* The grammar alone, so that it also reads the kernel's own lists. */
static int list_read(struct cpus *set, const char *text, char *error, size_t size)
{
	const char *p = text;

	memset(set, 0, sizeof(*set));
	do {
		unsigned int first, last;

		if (!number_read(&p, &first))
			return refuse(error, size, "a CPU number is missing in \"%s\"", text);
		last = first;
		if (*p == '-') {
			p++;
			if (!number_read(&p, &last))
				return refuse(error, size, "a CPU range in \"%s\" has no end",
					      text);
		}
		if (last < first)
			return refuse(error, size, "CPU range %u-%u runs backwards", first, last);
		if (last >= CPUS_MAX)
			return refuse(error, size, "CPU numbers end at %u", CPUS_MAX - 1);
		for (; first <= last; first++)
			cpus_add(set, first);
	} while (*p++ == ',');
	if (p[-1])
		return refuse(error, size, "'%c' doesn't belong in the CPU list \"%s\"",
			      p[-1], text);
	return 0;
}

static int online_check(const struct cpus *set, char *error, size_t size)
{
	struct cpus online, missing = *set;
	char names[128], have[128];
	size_t i;

	cpus_online(&online);
	for (i = 0; i < ARRAY_SIZE(missing.bits); i++)
		missing.bits[i] &= ~online.bits[i];
	if (!cpus_count(&missing))
		return 0;
	return refuse(error, size, "CPU %s is not online here (online: %s)",
		      cpus_format(&missing, names, sizeof(names)),
		      cpus_format(&online, have, sizeof(have)));
}

int cpus_read(struct cpus *set, const char *text)
{
	char error[128], line[4096];

	snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
	return list_read(set, line, error, sizeof(error));
}

int cpus_parse(struct cpus *set, const char *text, char *error, size_t error_size)
{
	int err = list_read(set, text, error, error_size);

	return err ? err : online_check(set, error, error_size);
}

int cpus_from_mask(struct cpus *set, uint64_t mask, char *error, size_t error_size)
{
	memset(set, 0, sizeof(*set));
	set->bits[0] = mask;
	if (!mask)
		return refuse(error, error_size, "a CPU mask of 0 leaves no CPU to run on");
	return online_check(set, error, error_size);
}

const char *cpus_format(const struct cpus *set, char *text, size_t size)
{
	unsigned int cpu = 0, last;
	size_t at = 0;

	text[0] = '\0';
	while (cpu < CPUS_MAX && at < size) {
		const char *comma = at ? "," : "";

		if (!cpus_has(set, cpu)) {
			cpu++;
			continue;
		}
		for (last = cpu; cpus_has(set, last + 1); last++)
			;
		if (last > cpu)
			at += (size_t)snprintf(text + at, size - at, "%s%u-%u", comma, cpu, last);
		else
			at += (size_t)snprintf(text + at, size - at, "%s%u", comma, cpu);
		cpu = last + 1;
	}
	return text;
}

unsigned int cpus_online(struct cpus *set)
{
	char text[4096], error[16];
	long n, cpu;

	if (sys_read_text("/sys/devices/system/cpu/online", text, sizeof(text)) > 0 &&
	    list_read(set, text, error, sizeof(error)) == 0)
		return cpus_count(set);

	/* Without /sys only their number is known. */
	memset(set, 0, sizeof(*set));
	n = sysconf(_SC_NPROCESSORS_ONLN);
	n = n < 1 ? 1 : fl_min(n, CPUS_MAX);
	for (cpu = 0; cpu < n; cpu++)
		cpus_add(set, (unsigned int)cpu);
	return (unsigned int)n;
}

/*
 * The system calls rather than glibc's wrappers: they take a set of any size, and the kernel's
 * words are longs, which on a little-endian machine and on any 64-bit one lie in memory as ours
 * do.
 */
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
_Static_assert(sizeof(long) == 8, "CPU sets need 64-bit longs on big-endian machines");
#endif

int cpus_allowed(struct cpus *set)
{
	memset(set, 0, sizeof(*set));
	if (syscall(SYS_sched_getaffinity, 0, sizeof(set->bits), set->bits) < 0)
		return -errno;
	return (int)cpus_count(set);
}

int cpus_apply(const struct cpus *set)
{
	if (syscall(SYS_sched_setaffinity, 0, sizeof(set->bits), set->bits) < 0)
		return -errno;
	return 0;
}

int cpu_nice(int nice)
{
	/* On Linux 0 is the calling thread, not the process. */
	return setpriority(PRIO_PROCESS, 0, nice) < 0 ? -errno : 0;
}

uint16_t cpu_ioprio(enum cpu_ioclass ioclass, unsigned int level, unsigned int hint)
{
	fl_assert(level <= CPU_IO_LEVEL_MAX && hint <= CPU_IO_HINT_MAX);
	return (uint16_t)((unsigned int)ioclass << IOPRIO_CLASS_SHIFT |
			  hint << IOPRIO_HINT_SHIFT | level);
}

int cpu_ioprio_apply(uint16_t ioprio)
{
	return syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, (int)ioprio) < 0 ? -errno : 0;
}

void cpu_name(const char *name)
{
	prctl(PR_SET_NAME, name, 0, 0, 0);
}

int cpu_current(void)
{
	return sched_getcpu();
}
