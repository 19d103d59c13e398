/* SPDX-License-Identifier: MIT */
/* The options of latency targets. */
#include "core/latency.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#define AT(member)	.offset = offsetof(struct latency_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "latency_target", .type = FL_OPT_TIME, AT(target_ns), .def_unit_ns = 1000,
	  .help = "find the largest depth at which I/Os take no longer than this",
	  .more = "Depths up to iodepth are tried for a latency_window each: 1, 2, 4 and so on, "
		  "then between the last one that was fast enough and the first one that was "
		  "not. When the largest is found it runs for one more window, the job ends, and "
		  "that window is what is reported, with the depth as latency_depth. A job that "
		  "ends before reports all it did. The latency is the total one, from start to "
		  "completion." },
	{ .name = "latency_window", .type = FL_OPT_TIME, AT(window_ns), .def_unit_ns = 1000,
	  .help = "how long each depth is tried",
	  .more = "A window goes on until an I/O that began in it has come back." },
	{ .name = "latency_percentile", .type = FL_OPT_DOUBLE, AT(percentile), .def = "100",
	  .max = 100, .help = "percentage of the I/Os that must be as fast as latency_target",
	  .more = "With 100 one I/O that is slower fails its depth at once; at depth 1 the job "
		  "then ends with an error (ETIMEDOUT). With less, a job whose I/Os are too slow "
		  "even at depth 1 goes on there." },
	{ .name = "latency_run", .type = FL_OPT_BOOL, AT(run),
	  .help = "1: do not end when the depth is found, but follow what changes" },
};

const struct opt_table latency_options = OPT_TABLE("Latency target", rows, 0);

int latency_check(const struct latency_conf *c, char *why, size_t why_bytes)
{
	if (c->target_ns && !c->window_ns) {
		snprintf(why, why_bytes, "latency_target needs latency_window, the time for which "
			 "a depth is tried, as in latency_window=500ms");
		return -EINVAL;
	}
	if (c->target_ns || (!c->window_ns && c->percentile >= 100 && !c->run))
		return 0;
	snprintf(why, why_bytes, "%s has no effect without latency_target",
		 c->window_ns ? "latency_window" : c->run ? "latency_run" : "latency_percentile");
	return 1;
}

bool latency_searches(const struct latency_conf *c)
{
	return c->target_ns && !c->run;
}
