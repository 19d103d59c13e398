/* SPDX-License-Identifier: MIT */
/* What a worker cost the machine: getrusage(2) and the I/O accounting of proc(5). */
#define _GNU_SOURCE 1
#include "os/usage.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "lib/base.h"
#include "lib/keyline.h"
#include "os/sys.h"

static const struct {
	const char *label;
	size_t at;
} io_rows[] = {
	{ "rchar", offsetof(struct usage, io_read_chars) },
	{ "wchar", offsetof(struct usage, io_write_chars) },
	{ "syscr", offsetof(struct usage, io_read_calls) },
	{ "syscw", offsetof(struct usage, io_write_calls) },
	{ "read_bytes", offsetof(struct usage, io_read_bytes) },
	{ "write_bytes", offsetof(struct usage, io_write_bytes) },
};

static uint64_t tv_us(struct timeval tv)
{
	return (uint64_t)tv.tv_sec * 1000000u + (uint64_t)tv.tv_usec;
}

static void io_take(enum usage_scope scope, struct usage *now)
{
	char text[512];
	size_t i;

	if (sys_read_text(scope == USAGE_THREAD ? "/proc/thread-self/io" : "/proc/self/io",
			  text, sizeof(text)) <= 0)
		return;
	for (i = 0; i < ARRAY_SIZE(io_rows); i++)
		keyline_u64(text, io_rows[i].label, ':',
			    (uint64_t *)((char *)now + io_rows[i].at));
	now->io_known = true;
}

/* Time on a CPU, time in the queue for one, turns: ns (kernel: Documentation/scheduler). */
static uint64_t waited_us(void)
{
	uint64_t on_cpu, waited;
	char text[96];

	if (sys_read_text("/proc/thread-self/schedstat", text, sizeof(text)) <= 0 ||
	    sscanf(text, "%" SCNu64 " %" SCNu64, &on_cpu, &waited) != 2)
		return 0;
	return waited / 1000;
}

void usage_take(enum usage_scope scope, struct usage *now)
{
	struct rusage r;

	memset(now, 0, sizeof(*now));
	if (getrusage(scope == USAGE_THREAD ? RUSAGE_THREAD : RUSAGE_SELF, &r) == 0) {
		now->user_us = tv_us(r.ru_utime);
		now->system_us = tv_us(r.ru_stime);
		now->switches_vol = (uint64_t)r.ru_nvcsw;
		now->switches_invol = (uint64_t)r.ru_nivcsw;
		now->faults_major = (uint64_t)r.ru_majflt;
		now->faults_minor = (uint64_t)r.ru_minflt;
	}
	now->wait_us = waited_us();
	io_take(scope, now);
}

struct usage usage_since(const struct usage *before, const struct usage *after)
{
	struct usage d = {
		.user_us = after->user_us - before->user_us,
		.system_us = after->system_us - before->system_us,
		.wait_us = after->wait_us - before->wait_us,
		.switches_vol = after->switches_vol - before->switches_vol,
		.switches_invol = after->switches_invol - before->switches_invol,
		.faults_major = after->faults_major - before->faults_major,
		.faults_minor = after->faults_minor - before->faults_minor,
		.io_known = after->io_known && before->io_known,
	};
	size_t i;

	for (i = 0; d.io_known && i < ARRAY_SIZE(io_rows); i++) {
		size_t at = io_rows[i].at;

		*(uint64_t *)((char *)&d + at) = *(const uint64_t *)((const char *)after + at) -
						 *(const uint64_t *)((const char *)before + at);
	}
	return d;
}

void usage_add(struct usage *sum, const struct usage *other)
{
	sum->user_us += other->user_us;
	sum->system_us += other->system_us;
	sum->wait_us += other->wait_us;
	sum->switches_vol += other->switches_vol;
	sum->switches_invol += other->switches_invol;
	sum->faults_major += other->faults_major;
	sum->faults_minor += other->faults_minor;
	sum->io_known = sum->io_known && other->io_known;
	sum->io_read_calls += other->io_read_calls;
	sum->io_write_calls += other->io_write_calls;
	sum->io_read_chars += other->io_read_chars;
	sum->io_write_chars += other->io_write_chars;
	sum->io_read_bytes += other->io_read_bytes;
	sum->io_write_bytes += other->io_write_bytes;
}
