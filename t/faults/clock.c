/* SPDX-License-Identifier: MIT */
/*
 * A wall clock that is stepped by FAULT_CLOCK_STEP seconds a second after the program began. To be
 * preloaded: the clock of the machine stays as it is.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t began;

static int real_time(clockid_t clock, struct timespec *ts)
{
	return (int)syscall(SYS_clock_gettime, clock, ts);
}

static time_t step(void)
{
	const char *seconds = getenv("FAULT_CLOCK_STEP");
	struct timespec now;

	real_time(CLOCK_MONOTONIC, &now);
	if (!began)
		began = now.tv_sec;
	return seconds && now.tv_sec > began ? atol(seconds) : 0;
}

__attribute__((constructor)) static void begin(void)
{
	step();
}

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	int ret = real_time(clock, ts);

	if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
		ts->tv_sec += step();
	return ret;
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
