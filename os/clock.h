/* SPDX-License-Identifier: MIT */
/*
 * The clock every latency is measured with.
 *
 * A clock read is part of every I/O, so it must be cheap, and it must be ORDERED: a bare rdtsc may
 * run before the loads in front of it have their data, and then a mapped read of a few cache lines
 * appears to take a tenth of its time. clock_ticks() therefore waits until everything before it is
 * done. Time is counted in ticks of the counter while measuring and turned into nanoseconds by
 * one multiplication and a shift, never a division.
 *
 * The constants are found once, by clock_init(), before any worker exists. Workers inherit them by
 * fork or share them as threads, so time stamps of different workers can be compared.
 */
#ifndef OS_CLOCK_H
#define OS_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "lib/base.h"

enum clock_source {
	CLOCK_USE_AUTO,		/* the CPU's counter where it can be trusted, else gettime */
	CLOCK_USE_COUNTER,	/* x86: TSC; arm64: cntvct_el0 */
	CLOCK_USE_GETTIME,	/* CLOCK_MONOTONIC: always there, a tick is 1 ns */
	CLOCK_USE_TIMEOFDAY,	/* gettimeofday(2): a tick is 1 ns, the steps are 1000 */
};

/*
 * What a report says about the clock. Filled by clock_init(), error_ppm again by
 * clock_recalibrate().
 */
struct clock_facts {
	const char *name;	/* "tsc", "cntvct", "clock_gettime", "gettimeofday", "gtod_cpu" */
	double ghz;		/* ticks per nanosecond */
	double cost_ns;		/* what one clock_ticks() costs */
	double step_ns;		/* smallest step the counter was seen to make */
	double error_ppm;	/* how far it ran from CLOCK_MONOTONIC, parts per million */
	const char *why;	/* why the counter isn't used, in words; NULL when it is */
};

/* The constants behind the inline functions. Read-only once clock_init() has returned. */
struct clock_scale {
	uint64_t base_ticks;	/* clock_ticks() a microsecond before clock_init() ended */
	uint64_t ns_mult;	/* nanoseconds per tick, times 2^CLOCK_SHIFT */
	uint64_t tick_mult;	/* ticks per nanosecond, times 2^CLOCK_SHIFT */
	bool counter;		/* false: one of these */
	bool kernel;		/* clock_gettime; false: clock_ticks_odd() */
	const uint64_t *shared;	/* where somebody writes what time it is, or NULL */
};

#define CLOCK_SHIFT 32

extern struct clock_scale clock_scale;

/*
 * clock_init - choose and calibrate the clock. Takes about 4 ms. Call it once, before any fork or
 * thread; calling it again chooses afresh (only tests do).
 *
 * Returns 0, or -ENOTSUP when CLOCK_USE_COUNTER was asked for and no counter of this machine can be
 * trusted. Either way the clock works afterwards, and clock_facts() says how and why.
 */
int clock_init(enum clock_source prefer);

/*
 * clock_init_shared - take the time from memory, where another process keeps CLOCK_MONOTONIC in ns
 * up to date (os/clock_cpu.h). While it is 0 there the kernel is asked. As clock_init() else.
 */
void clock_init_shared(const uint64_t *ns);

/* clock_facts - what clock_init() found. The pointer stays valid for the life of the process. */
const struct clock_facts *clock_facts(void);

/*
 * clock_recalibrate - compare the whole time since clock_init() with CLOCK_MONOTONIC and store
 * the difference in clock_facts()->error_ppm. The longer the run, the finer the answer. The scale
 * itself is left alone: workers already hold a copy. Returns the error in parts per million
 * (signed: positive when this clock ran fast).
 */
double clock_recalibrate(void);

/* clock_wall_ms - milliseconds since 1970 by CLOCK_REALTIME. */
uint64_t clock_wall_ms(void);

/*
 * clock_read_ns - read any kernel clock by its number (CLOCK_MONOTONIC, CLOCK_BOOTTIME ...) in
 * nanoseconds. Returns 0, or -EINVAL for a clock this kernel doesn't have (*ns is untouched).
 */
int clock_read_ns(clockid_t id, uint64_t *ns);

/*
 * clock_sleep_ns - sleep that long, or until a signal. Returns the nanoseconds that were left: 0
 * when it slept through.
 */
uint64_t clock_sleep_ns(uint64_t ns);

/*
 * clock_sharp_sleeps - from now on sleeps of the calling thread end when they are to, and not up to
 * 50 us later so that the kernel can wake several threads at once (timer slack, prctl(2)).
 */
void clock_sharp_sleeps(void);

/* clock_gettime_ns - CLOCK_MONOTONIC in nanoseconds since boot. Cannot fail. */
fl_inline uint64_t clock_gettime_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/*
 * clock_counter_read - the CPU's counter, read after every earlier load has its data.
 *
 * x86: lfence starts nothing younger before all that is older has completed (Intel SDM volume 2,
 * AMD APM volume 3; the kernel makes it so on AMD). rdtscp waits for older instructions just the
 * same, but lets younger ones start meanwhile, needs a CPUID test and clobbers a register; both
 * cost the same (18.5 and 18.9 ns measured on a Zen 4; a bare rdtsc 9.6). A second lfence behind
 * would cost 5 ns more and changed no measured latency of a 4 KiB copy by more than 1%. Stores
 * may still sit in the store buffer: that is what the application that issued them sees, too.
 *
 * arm64: isb keeps the counter read from moving up, dsb ld waits for the loads.
 */
fl_inline uint64_t clock_counter_read(void)
{
#if defined(__x86_64__)
	uint32_t lo, hi;

	__asm__ volatile("lfence\n\trdtsc" : "=a"(lo), "=d"(hi) : : "memory");
	return (uint64_t)hi << 32 | lo;
#elif defined(__aarch64__)
	uint64_t v;

	__asm__ volatile("dsb ld\n\tisb\n\tmrs %0, cntvct_el0" : "=r"(v) : : "memory");
	return v;
#else
	return clock_gettime_ns();
#endif
}

/* clock_ticks_odd - clock_ticks() of the clocks that are rarely asked for. */
uint64_t clock_ticks_odd(void);

/*
 * clock_ticks - now, in ticks; ordered as described above. Only differences of ticks mean
 * something.
 */
fl_inline uint64_t clock_ticks(void)
{
	if (likely(clock_scale.counter))
		return clock_counter_read();
	return likely(clock_scale.kernel) ? clock_gettime_ns() : clock_ticks_odd();
}

/* clock_ns - a difference of ticks in nanoseconds, rounded down; good for centuries. */
fl_inline uint64_t clock_ns(uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)ticks * clock_scale.ns_mult >> CLOCK_SHIFT);
}

/*
 * clock_ns_to_ticks - the other way round, for deadlines that a loop compares with clock_ticks().
 */
fl_inline uint64_t clock_ns_to_ticks(uint64_t ns)
{
	return (uint64_t)((unsigned __int128)ns * clock_scale.tick_mult >> CLOCK_SHIFT);
}

/* clock_ns_at - a time stamp from clock_ticks() as nanoseconds since clock_init(); never 0. */
fl_inline uint64_t clock_ns_at(uint64_t ticks)
{
	return clock_ns(ticks - clock_scale.base_ticks);
}

/* clock_now_ns - nanoseconds since clock_init(). */
fl_inline uint64_t clock_now_ns(void)
{
	return clock_ns_at(clock_ticks());
}

#endif
