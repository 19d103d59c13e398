/* SPDX-License-Identifier: MIT */
/*
 * A clock that lies, to be preloaded: the clock of the machine stays as it is.
 *
 *	FAULT_CLOCK_STEP=SECONDS	the wall clock is stepped by so much, a second after the
 *					program began
 *	FAULT_CLOCK_RATE=N		all clocks run N times as fast from the beginning of the
 *					program on, and what waits for them waits so much less
 *
 * The counter of the CPU cannot be told to: for a rate, ask for clocksource=clock_gettime.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NSEC 1000000000ll

enum { CLOCKS = 12 };

static long (*next_syscall)(long nr, ...);
static int64_t began[CLOCKS];	/* by the number of the clock, ns; 0: there is none */
static int64_t step_ns, rate = 1;

static int64_t to_ns(const struct timespec *ts)
{
	return ts->tv_sec * NSEC + ts->tv_nsec;
}

static struct timespec from_ns(int64_t ns)
{
	return (struct timespec){ .tv_sec = ns / NSEC, .tv_nsec = ns % NSEC };
}

static int64_t real_ns(clockid_t clock)
{
	struct timespec ts;

	return next_syscall(SYS_clock_gettime, clock, &ts) ? 0 : to_ns(&ts);
}

static int runs_with_time(clockid_t clock)
{
	return clock >= 0 && clock < CLOCKS && clock != CLOCK_PROCESS_CPUTIME_ID &&
	       clock != CLOCK_THREAD_CPUTIME_ID;
}

__attribute__((constructor)) static void begin(void)
{
	const char *text;

	*(void **)&next_syscall = dlsym(RTLD_NEXT, "syscall");
	for (clockid_t clock = 0; clock < CLOCKS; clock++)
		began[clock] = real_ns(clock);
	text = getenv("FAULT_CLOCK_STEP");
	step_ns = text ? atol(text) * NSEC : 0;
	text = getenv("FAULT_CLOCK_RATE");
	rate = text && atol(text) > 0 ? atol(text) : 1;
}

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	int64_t ns;
	int ret;

	if (!next_syscall)
		begin();
	ret = (int)next_syscall(SYS_clock_gettime, clock, ts);
	if (ret || !runs_with_time(clock))
		return ret;
	ns = began[clock] + (to_ns(ts) - began[clock]) * rate;
	if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
		ns += real_ns(CLOCK_MONOTONIC) - began[CLOCK_MONOTONIC] > NSEC ? step_ns : 0;
	*ts = from_ns(ns);
	return 0;
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
	struct timespec ts;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &ts);
	tv->tv_sec = ts.tv_sec;
	tv->tv_usec = ts.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *out)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	if (out)
		*out = ts.tv_sec;
	return ts.tv_sec;
}

/* ---- What waits ------------------------------------------------------------------------------ */

int nanosleep(const struct timespec *want, struct timespec *left)
{
	struct timespec real = from_ns(to_ns(want) / rate), rest;
	int ret = (int)next_syscall(SYS_nanosleep, &real, &rest);

	if (ret && left)
		*left = from_ns(to_ns(&rest) * rate);
	return ret;
}

int ppoll(struct pollfd *fds, nfds_t nr, const struct timespec *timeout, const sigset_t *mask)
{
	struct timespec real;

	if (timeout)
		real = from_ns(to_ns(timeout) / rate);
	return (int)next_syscall(SYS_ppoll, fds, nr, timeout ? &real : NULL, mask, _NSIG / 8);
}

int poll(struct pollfd *fds, nfds_t nr, int ms)
{
	struct timespec timeout = from_ns(ms * 1000000ll);

	return ppoll(fds, nr, ms < 0 ? NULL : &timeout, NULL);
}

/* futex(2) has no function of its own. All other calls go through as they are. */
long syscall(long nr, ...)
{
	long arg[6];
	struct timespec real;
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	if (!next_syscall)
		begin();
	if (nr == SYS_futex && arg[3] && (arg[1] & FUTEX_CMD_MASK) == FUTEX_WAIT) {
		real = from_ns(to_ns((const struct timespec *)arg[3]) / rate);
		arg[3] = (long)&real;
	}
	return next_syscall(nr, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}
