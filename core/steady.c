/* SPDX-License-Identifier: MIT */
/* The options of steady state. */
#include "core/steady.h"
#include "lib/units.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

/* ---- Options --------------------------------------------------------------------------------- */

#define DEFAULT_CRITERION	"iops_slope:0.01%"
#define INTERVAL_MIN_NS		100000000ull	/* the parent looks no more often */
#define SAMPLES_MAX		1000000u

#define AT(member)	.offset = offsetof(struct steady_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "steadystate", .alias = "ss", .type = FL_OPT_STR, AT(text),
	  .unit = "criterion:limit, as in iops_slope:0.1%",
	  .help = "end when this is below the limit; default: " DEFAULT_CRITERION,
	  .more = "Criteria: iops, bw, lat (completion latency), by the largest deviation of a "
		  "sample from the mean; iops_slope, bw_slope, lat_slope, by the slope of the "
		  "line that fits the samples best, a sample's step. The limit is a share of the "
		  "mean (0.1%) or absolute, in I/Os, bytes (1m) or time (50us; without a unit ns). "
		  "Only the samples of the last steadystate_duration are looked at. With "
		  "group_reporting all jobs of the group are judged as one, and all of them end." },
	{ .name = "steadystate_duration", .alias = "ss_dur", .type = FL_OPT_TIME, AT(duration_ns),
	  .help = "how long the window is; without it nothing is judged" },
	{ .name = "steadystate_ramp_time", .alias = "ss_ramp", .type = FL_OPT_TIME, AT(ramp_ns),
	  .help = "run so long before the window begins; after ramp_time" },
	{ .name = "steadystate_check_interval", .alias = "ss_interval", .type = FL_OPT_TIME,
	  AT(interval_ns), .min = INTERVAL_MIN_NS, .max = UINT64_C(1) << 60, .def = "1s",
	  .help = "time between two samples" },
};

const struct opt_table steady_options = OPT_TABLE("Steady state", rows, 0);

static int settle(struct steady_conf *c, char *why, size_t why_bytes)
{
	if (c->interval_ns > c->duration_ns) {
		snprintf(why, why_bytes, "steadystate_duration is shorter than "
			 "steadystate_check_interval (%.3f s): no sample fits into the window",
			 (double)c->interval_ns / 1e9);
		return -EINVAL;
	}
	if (c->duration_ns / c->interval_ns > SAMPLES_MAX) {
		snprintf(why, why_bytes, "steadystate_duration holds more than %u samples; make "
			 "steadystate_check_interval longer", SAMPLES_MAX);
		return -EINVAL;
	}
	c->samples = (size_t)(c->duration_ns / c->interval_ns);
	if (c->samples > 1)
		return 0;
	snprintf(why, why_bytes, "steadystate_duration holds one sample, which is always steady");
	return 1;
}

int steady_check(struct steady_conf *c, int kb_base, bool timed, char *why, size_t why_bytes)
{
	const char *text = c->text ? c->text : DEFAULT_CRITERION;
	struct parse_err err;

	c->samples = 0;
	if (steady_parse(span_of(text), kb_base, &c->criterion, &err)) {
		snprintf(why, why_bytes, "steadystate=%s: %s", text, err.text);
		return -EINVAL;
	}
	if (c->duration_ns && c->criterion.of == STEADY_LAT && !timed) {
		snprintf(why, why_bytes, "steadystate=%s: no latency is measured with gtod_reduce "
			 "or all of disable_lat, disable_clat, disable_slat", text);
		return -EINVAL;
	}
	if (c->duration_ns)
		return settle(c, why, why_bytes);
	if (!c->text && !c->ramp_ns)
		return 0;
	snprintf(why, why_bytes, "%s has no effect without steadystate_duration",
		 c->text ? "steadystate" : "steadystate_ramp_time");
	return 1;
}
