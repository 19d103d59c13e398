/* SPDX-License-Identifier: MIT */
/*
 * A line of latencies takes the largest unit that loses nothing of interest (lib/numfmt.h decides).
 * Tables of percentiles are laid out in as many columns as fit a terminal of 80.
 */
#include "core/report_normal_lat.h"

#include "lib/hist.h"
#include "lib/interval.h"
#include "lib/numfmt.h"

#include <inttypes.h>

#define TABLE_COLUMNS		73	/* 80 less the margin */
#define DISTRIBUTION_PER_LINE	5

void normal_lat_line(const char *name, const struct result_lat *l, FILE *out)
{
	struct num_latency n;

	if (!l->n)
		return;
	n = num_latency(l->min, l->max, l->mean, l->stddev);
	fprintf(out, "    %4s (%s): min=%s, max=%s, avg=%5.2f, stdev=%5.2f\n", name, n.unit,
		num_latency_bound(n.min).s, num_latency_bound(n.max).s, n.mean, n.stddev);
}

/* Decimals that tell every percentile of the list exactly: 0 to 6. */
static int list_decimals(const double *list, size_t count)
{
	int most = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t millionths = (uint64_t)(list[i] * 1e6 + 0.5);
		int decimals = 6;

		while (decimals > most && millionths % 10 == 0) {
			millionths /= 10;
			decimals--;
		}
		most = decimals;
	}
	return most;
}

/* Too few samples lie beyond it to say where it is. A result without a confidence marks nothing. */
static bool is_weak(const struct result_job *j, const struct result_lat *l, size_t i)
{
	return j->confidence > 0 && !interval_carried(l->n, j->percentiles[i], j->confidence);
}

static size_t count_weak(const struct result_job *j, const struct result_lat *l, size_t count)
{
	size_t weak = 0;

	for (size_t i = 0; i < count; i++)
		weak += is_weak(j, l, i);
	return weak;
}

/*
 * The mark stands behind the bracket, where it is in nobody's way who looks for "99.99th=[ 1234]";
 * the blank that such a table has more in each bracket keeps the columns.
 */
void normal_lat_percentiles(const char *name, const struct result_job *j,
			    const struct result_lat *l, FILE *out)
{
	uint64_t values[RESULT_PERCENTILES_MAX];
	size_t count = reporter_percentiles(j, l, values);
	struct num_percentile_unit unit;
	int decimals, width, per_line;
	bool marks;

	if (!count)
		return;
	unit = num_percentile_unit(values[0], values[count - 1]);
	decimals = list_decimals(j->percentiles, count);
	marks = count_weak(j, l, count) > 0;
	width = snprintf(NULL, 0, "%" PRIu64, num_percentile(values[count - 1], unit));
	width = fl_max(width, 5) + marks;
	/* " 1.00" + "th=[" + value + "]" + ", " */
	per_line = TABLE_COLUMNS / (decimals + 3 + 4 + width + 1 + 2);
	per_line = fl_max(per_line, 1);

	fprintf(out, "    %s percentiles (%s):\n", name, unit.unit);
	for (size_t i = 0; i < count; i++) {
		bool first = i % (size_t)per_line == 0;
		bool last = i + 1 == count || (i + 1) % (size_t)per_line == 0;
		bool weak = is_weak(j, l, i);

		fprintf(out, "%s%*.*fth=[%*" PRIu64 "]%s%s%s", first ? "     | " : " ",
			decimals + 3, decimals, j->percentiles[i], width - weak,
			num_percentile(values[i], unit), weak ? "*" : "",
			i + 1 == count ? "" : ",", last ? "\n" : "");
	}
	if (marks)
		fprintf(out, "     * too few of the %" PRIu64 " samples lie beyond it to tell\n",
			l->n);
}

static void distribution_unit(const char *unit, const double *percent, size_t count, FILE *out)
{
	size_t on_line = 0;

	for (size_t i = 0; i < count; i++) {
		if (percent[i] <= 0)
			continue;
		if (on_line == DISTRIBUTION_PER_LINE) {
			fputc('\n', out);
			on_line = 0;
		}
		if (on_line++)
			fputs(", ", out);
		else
			fprintf(out, "  lat (%s)   : ", unit);
		fprintf(out, "%s=%3.2f%%", hist_lat_names[i], percent[i]);
	}
	if (on_line)
		fputc('\n', out);
}

void normal_lat_distribution(const struct result_job *j, FILE *out)
{
	distribution_unit("nsec", j->lat_ns_pct, ARRAY_SIZE(j->lat_ns_pct), out);
	distribution_unit("usec", j->lat_us_pct, ARRAY_SIZE(j->lat_us_pct), out);
	distribution_unit("msec", j->lat_ms_pct, ARRAY_SIZE(j->lat_ms_pct), out);
}
