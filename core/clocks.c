/* SPDX-License-Identifier: MIT */
/* The options of clocks. */
#include "core/clocks.h"
#include "os/clock.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

static const struct fl_opt_value sources[] = {
	{ "auto", CLOCK_USE_AUTO, "the counter of the CPU where it can be trusted" },
	{ "cpu", CLOCK_USE_COUNTER, "the counter of the CPU" },
	{ "clock_gettime", CLOCK_USE_GETTIME, "CLOCK_MONOTONIC of the kernel" },
	{ "gettimeofday", CLOCK_USE_TIMEOFDAY, "the time of day, in steps of a microsecond" },
	{ NULL, 0, NULL },
};

#define AT(member)	.offset = offsetof(struct clocks_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "clocksource", .type = FL_OPT_ENUM, AT(source), .values = sources, .def = "auto",
	  .help = "the clock that latencies are measured with, of the whole run",
	  .more = "The result tells what a reading of it costs. Of several that are given the "
		  "last one counts." },
	{ .name = "gtod_cpu", .type = FL_OPT_I64, AT(gtod_cpu), .max = 4095, .def = "-1",
	  .min = (uint64_t)-1,
	  .help = "leave this CPU to a process that tells the others what time it is",
	  .more = "They read it from memory. No job runs on that CPU, also where cpus_allowed "
		  "has it; -1: none." },
	{ .name = "job_start_clock_id", .type = FL_OPT_U32, AT(start_clock), .max = INT32_MAX,
	  .help = "clock of job_start in JSON, by its number in clock_gettime(2)",
	  .more = "0 is CLOCK_REALTIME, 1 CLOCK_MONOTONIC. In milliseconds, whatever its origin." },
};

const struct opt_table clocks_options = OPT_TABLE("Clocks", rows, 0);

int clocks_check(const struct clocks_conf *c, char *why, size_t why_bytes)
{
	uint64_t ns;

	if (clock_read_ns((clockid_t)c->start_clock, &ns)) {
		snprintf(why, why_bytes, "job_start_clock_id=%u: this kernel has no clock of that "
			 "number", c->start_clock);
		return -EINVAL;
	}
	if (c->source && c->gtod_cpu >= 0) {
		snprintf(why, why_bytes, "clocksource has no effect with gtod_cpu");
		return 1;
	}
	return 0;
}
