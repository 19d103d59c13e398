/* SPDX-License-Identifier: MIT */
/*
 * A CPU that does nothing but tell the time: a process on it writes CLOCK_MONOTONIC to shared
 * memory again and again, and all others read it from there without a system call and without
 * waiting for a counter. How fine that is depends on how long a cache line takes from CPU to CPU.
 * There is one such process at most.
 */
#ifndef OS_CLOCK_CPU_H
#define OS_CLOCK_CPU_H

#include <stdint.h>

/*
 * clock_cpu_start - start the process on that CPU and wait until it has told the time once; the
 * calling thread, and what it starts later, leaves the CPU to it. *now: (out) where the time is,
 * ns; 0 means that nobody tells. Main thread. Returns 0 or -errno: -EBUSY when the caller may run
 * on no other CPU.
 */
int clock_cpu_start(unsigned cpu, const uint64_t **now);

/*
 * clock_cpu_check - has it told the time lately? If not for two seconds, it has been killed or gets
 * no CPU: then 0 stands there, until it does. To be called now and then by who started it.
 */
void clock_cpu_check(void);

/* clock_cpu_number - the CPU, or -1: there is none. In processes forked later, too. */
int clock_cpu_number(void);

/* clock_cpu_stop - end it, if there is one. What it told last stays readable. */
void clock_cpu_stop(void);

#endif
