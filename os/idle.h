/* SPDX-License-Identifier: MIT */
/*
 * How idle are the CPUs? A process with a thread on each CPU does units of work whenever nobody
 * else wants the CPU (SCHED_IDLE), and counts them. How long a unit takes when nobody interferes is
 * measured first, so the count tells how much of the CPU was left over: less than the scheduler's
 * own account of idle time where threads of one core share its units.
 */
#ifndef OS_IDLE_H
#define OS_IDLE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct idle_cpu {
	uint64_t units;			/* done so far; written by its thread */
	double unit_ns;			/* what one takes */
	unsigned cpu;			/* its number */
} __attribute__((aligned(64)));

struct idle {
	size_t cpus;			/* that this process may run on */
	struct idle_cpu *cpu;		/* in memory shared with the process that counts */
	struct idle_shared *shared;
	size_t bytes;
	pid_t pid;
};

/*
 * idle_start - start the process and wait until it has measured its units, some milliseconds per
 * CPU. Main thread. Returns 0, then idle_stop() must follow, or -errno.
 */
int idle_start(struct idle *idle);
void idle_stop(struct idle *idle);

/* idle_unit - mean and standard deviation over the CPUs of what a unit takes, ns. */
void idle_unit(const struct idle *idle, double *mean_ns, double *stddev_ns);

#endif
