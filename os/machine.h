/* SPDX-License-Identifier: MIT */
/*
 * What a machine does to everybody who measures on it: a hypervisor that takes CPU time away, CPUs
 * that slow down because they are hot, a clock that cannot be relied on.
 *
 * root: the folder that /proc and /sys lie in; "" in earnest, tests have trees of their own.
 */
#ifndef OS_MACHINE_H
#define OS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* Counters since boot. */
struct machine_load {
	bool cpu_known;
	uint64_t steal_ticks;		/* ran somebody else's machine while we could have run */
	uint64_t all_ticks;		/* of all CPUs */
	bool thermal_known;		/* only some CPUs (Intel's) count it */
	uint64_t thermal_events;	/* a core or a package began to slow down for heat */
};

/*
 * machine_load - read /proc/stat (proc(5)) and the thermal_throttle counters of every CPU
 * (kernel: Documentation/ABI/testing/sysfs-devices-system-cpu). Cannot fail: the flags say what is
 * known. Packages are counted once per CPU of theirs; whether a number grew is what matters.
 */
void machine_load(const char *root, struct machine_load *now);

/*
 * machine_cpu - the CPU part alone: one small file, for looks every second. The rest is as it was.
 */
void machine_cpu(const char *root, struct machine_load *now);

struct machine_clock {
	char source[32];		/* of the kernel: "tsc", "kvm-clock", "hpet"; "" unknown */
	bool is_x86;			/* the next means something */
	bool invariant;			/* the TSC runs at one rate, in sleep too */
};

/* machine_clock - what the kernel says of its clock and of the CPU's counter. */
void machine_clock(const char *root, struct machine_clock *clock);

#endif
