/* SPDX-License-Identifier: MIT */
/* The options of measuring and reporting. */
#include "core/measure.h"
#include "lib/units.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int parse_list(void *member, const char *text, char *why, size_t why_bytes)
{
	struct percentile_list list = { 0 };
	struct span rest = span_of(text), one;
	struct parse_err err;

	while (span_next(&rest, ":", &one)) {
		if (list.count == MEASURE_PERCENTILES_MAX) {
			snprintf(why, why_bytes, "more than %d percentiles",
				 MEASURE_PERCENTILES_MAX);
			return -EINVAL;
		}
		if (units_double(one, 0, 100, &list.v[list.count], &err)) {
			snprintf(why, why_bytes, "'%s' is no percentile: numbers from 0 to 100, "
				 "separated by ':', as in 50:99:99.9", parse_show(one).text);
			return -EINVAL;
		}
		list.count++;
	}
	qsort(list.v, list.count, sizeof(list.v[0]), by_value);
	*(struct percentile_list *)member = list;
	return 0;
}

static const struct fl_opt_value unified_words[] = {
	{ "none", MEASURE_APART, "reads, writes and trims apart" },
	{ "mixed", MEASURE_MIXED, "all of them as one, in place of them" },
	{ "both", MEASURE_BOTH, "them, and all of them as one" },
	{ "0", MEASURE_APART, "none" },
	{ "1", MEASURE_MIXED, "mixed" },
	{ "2", MEASURE_BOTH, "both" },
	{ NULL, 0, NULL },
};

static const struct fl_opt_value unit_base_values[] = {
	{ "0", 0, "bytes" },
	{ "8", 8, "bytes" },
	{ "1", 1, "bits" },
	{ NULL, 0, NULL },
};

#define AT(member)	.offset = offsetof(struct measure_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "percentile_list", .type = OPT_CUSTOM, AT(list), .parse = parse_list,
	  .def = "1:5:10:20:30:40:50:60:70:80:90:95:99:99.5:99.9:99.95:99.99",
	  .unit = "numbers from 0 to 100, separated by ':'",
	  .help = "percentiles that are reported" },
	{ .name = "clat_percentiles", .type = FL_OPT_BOOL, AT(clat_percentiles), .def = "1",
	  .help = "report percentiles of completion latency" },
	{ .name = "lat_percentiles", .type = FL_OPT_BOOL, AT(lat_percentiles),
	  .help = "report percentiles of total latency" },
	{ .name = "slat_percentiles", .type = FL_OPT_BOOL, AT(slat_percentiles),
	  .help = "report percentiles of submission latency" },
	{ .name = "disable_lat", .type = FL_OPT_BOOL, AT(disable_lat),
	  .help = "leave total latency out of the report" },
	{ .name = "disable_clat", .type = FL_OPT_BOOL, AT(disable_clat),
	  .help = "leave completion latency out of the report" },
	{ .name = "disable_slat", .type = FL_OPT_BOOL, AT(disable_slat),
	  .help = "leave submission latency out of the report" },
	{ .name = "disable_bw_measurement", .alias = "disable_bw",
	  .type = FL_OPT_BOOL, AT(disable_bw), .help = "take no samples of bandwidth and IOPS" },
	{ .name = "gtod_reduce", .type = FL_OPT_BOOL, AT(gtod_reduce),
	  .help = "read no clock per I/O: sets the four disable_ options",
	  .more = "Where nothing needs a latency, the clock is only read now and "
		  "then to end in time." },
	{ .name = "disk_util", .type = FL_OPT_BOOL, AT(disk_util), .def = "1",
	  .help = "report what the disks below the files did" },
	{ .name = "cache_stats", .type = FL_OPT_BOOL, AT(cache_stats), .def = "1",
	  .help = "report what the job did to the page cache",
	  .more = "Its files are looked at just before the clock starts, after invalidate and "
		  "pre_read, and when it has ended; never while I/O is timed; of many files a "
		  "sample." },
	{ .name = "group_reporting", .type = FL_OPT_FLAG, AT(group_reporting),
	  .help = "report all jobs of a group as one" },
	{ .name = "block_error_percentiles", .type = FL_OPT_BOOL, AT(block_errors),
	  .help = "report how many trims blocks took, and how they ended",
	  .more = "For jobs that trim. A block is as large as the smallest trim; percentiles are "
		  "of the number of trims, over all blocks that were written or trimmed. What "
		  "has failed once stays so. At most 268435456 blocks." },
	{ .name = "unified_rw_reporting", .type = FL_OPT_ENUM, AT(unified), .def = "none",
	  .values = unified_words, .help = "report reads, writes and trims as one" },
	{ .name = "unit_base", .type = FL_OPT_ENUM, AT(unit_base), .def = "0",
	  .values = unit_base_values, .help = "what rates in normal output count" },
	{ .name = "significant_figures", .type = FL_OPT_U32, AT(figures), .min = 1, .max = 10,
	  .def = "4", .help = "digits of IOPS and bandwidth in normal output" },
	{ .name = "stats", .type = FL_OPT_BOOL, AT(stats), .def = "1",
	  .help = "0: run this job, but leave it out of the results" },
	{ .name = "bwavgtime", .type = FL_OPT_U64, AT(bw_interval_ms), .min = 1,
	  .max = 1ull << 31, .def = "500", .unit = "ms",
	  .help = "time between two samples of bandwidth" },
	{ .name = "iopsavgtime", .type = FL_OPT_U64, AT(iops_interval_ms), .min = 1,
	  .max = 1ull << 31, .def = "500", .unit = "ms",
	  .help = "time between two samples of IOPS" },
};

const struct opt_table measure_options = OPT_TABLE("Measuring", rows, 0);

int measure_check(struct measure_conf *c, char *why, size_t why_bytes)
{
	(void)why;
	(void)why_bytes;
	if (c->gtod_reduce)
		c->disable_lat = c->disable_clat = c->disable_slat = c->disable_bw = 1;
	return 0;
}

bool measure_timed(const struct measure_conf *c)
{
	return !(c->disable_lat && c->disable_clat && c->disable_slat);
}
