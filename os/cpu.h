/* SPDX-License-Identifier: MIT */
/*
 * Where a worker runs and how important it is: sets of CPUs, pinning, nice, I/O priority, and the
 * name that ps and top show.
 */
#ifndef OS_CPU_H
#define OS_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPUS_MAX 4096

/* A set of CPUs by the kernel's numbers. All zeros is the empty set. */
struct cpus {
	uint64_t bits[CPUS_MAX / 64];
};

/* cpu_relax - tell the CPU that it is in a loop that waits for another one. */
static inline void cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static inline bool cpus_has(const struct cpus *set, unsigned int cpu)
{
	return cpu < CPUS_MAX && (set->bits[cpu / 64] >> cpu % 64 & 1);
}

/* cpus_add, cpus_drop - put one CPU in, take it out. Numbers from CPUS_MAX up are a bug. */
void cpus_add(struct cpus *set, unsigned int cpu);
void cpus_drop(struct cpus *set, unsigned int cpu);

/* cpus_count - how many CPUs the set has. */
unsigned int cpus_count(const struct cpus *set);

/*
 * cpus_nth - the number of the set's nth CPU, from 0, going round: n is taken modulo the count.
 * That is how jobs that split a set share it out. Returns -ENOENT for the empty set.
 */
int cpus_nth(const struct cpus *set, unsigned int n);

/*
 * cpus_parse - read a list as in "0-3,5". Blanks around numbers and commas are fine.
 * Returns 0, or -EINVAL with the reason in error (a sentence without full stop, cut off to
 * error_size; set is then unspecified). CPUs that are not online are an error that names them.
 */
int cpus_parse(struct cpus *set, const char *text, char *error, size_t error_size);

/*
 * cpus_read - the same for a list that the kernel wrote: any CPU number, and nodes likewise. Blanks
 * and a newline behind it are fine. Returns 0 or -EINVAL.
 */
int cpus_read(struct cpus *set, const char *text);

/*
 * cpus_from_mask - CPUs 0 to 63 from a bit mask. Returns 0, or -EINVAL with the reason in error as
 * cpus_parse does, when the mask is 0 or has a CPU that is not online.
 */
int cpus_from_mask(struct cpus *set, uint64_t mask, char *error, size_t error_size);

/* cpus_format - the set as list text, "0-3,5"; cut off when it doesn't fit. Returns text. */
const char *cpus_format(const struct cpus *set, char *text, size_t size);

/* cpus_online - the CPUs the kernel runs on now. Returns their number, at least 1. */
unsigned int cpus_online(struct cpus *set);

/* cpus_allowed - those the calling thread may run on. Returns their number or -errno. */
int cpus_allowed(struct cpus *set);

/*
 * cpus_apply - confine the calling thread (and what it starts later) to the set.
 * Returns 0 or -errno: -EINVAL when none of the set's CPUs is online and permitted.
 */
int cpus_apply(const struct cpus *set);

/*
 * cpu_nice - give the calling thread a nice value, -20 (first) to 19 (last).
 * Returns 0 or -errno; -EACCES without the privilege to go below the present value.
 */
int cpu_nice(int nice);

enum cpu_ioclass { CPU_IO_NONE, CPU_IO_REALTIME, CPU_IO_BEST_EFFORT, CPU_IO_IDLE };

#define CPU_IO_LEVEL_MAX 7
#define CPU_IO_HINT_MAX 1023

/*
 * cpu_ioprio - the kernel's number for an I/O priority: class, level 0 (first) to 7, and a hint
 * (0 to 1023, 0 for none) for the device. Used for a thread and for single requests alike.
 */
uint16_t cpu_ioprio(enum cpu_ioclass ioclass, unsigned int level, unsigned int hint);

/* cpu_ioprio_apply - give the calling thread that I/O priority. Returns 0 or -errno. */
int cpu_ioprio_apply(uint16_t ioprio);

/* cpu_current - the CPU that the calling thread runs on just now, or -1: a hint, soon outdated. */
int cpu_current(void);

/* cpu_name - name the calling thread in ps and top; the kernel keeps the first 15 bytes. */
void cpu_name(const char *name);

#endif
