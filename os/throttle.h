/* SPDX-License-Identifier: MIT */
/*
 * What control groups allow this process: CPU time they held back, bounds on a device's I/O.
 *
 * Both versions of control groups are asked (kernel: Documentation/admin-guide/cgroup-v1 and
 * cgroup-v2.rst), in the process's own group and in all above it: each has bounds of its own.
 * root: the folder that /proc and /sys lie in; "" in earnest, tests have trees of their own.
 */
#ifndef OS_THROTTLE_H
#define OS_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Counters since the groups were made. */
struct throttle_cpu {
	bool known;
	uint64_t periods;		/* in which one of the groups had a bound and was active */
	uint64_t throttled;		/* of those, in which it used up its time and had to wait */
	uint64_t throttled_us;		/* waited so long; of several CPUs each counts */
};

/* throttle_cpu - the sum over the groups. Cannot fail: known says whether any group told. */
void throttle_cpu(const char *root, struct throttle_cpu *now);

/* Bounds per second; UINT64_MAX: none. */
struct throttle_io {
	uint64_t read_bytes, write_bytes;
	uint64_t read_ios, write_ios;
};

/* throttle_io - the lowest bounds of all groups on a whole disk. Cannot fail. */
void throttle_io(const char *root, dev_t disk, struct throttle_io *bounds);

/* throttle_io_any - is there any bound? */
bool throttle_io_any(const struct throttle_io *bounds);

#endif
