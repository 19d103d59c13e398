/* SPDX-License-Identifier: MIT */
/* Derived numbers: computed here once, so that no two formats can disagree about them. */
#include "core/reporter.h"

#include "core/lifetimes.h"
#include "lib/hist.h"
#include "lib/printable.h"

#include <string.h>
#include <time.h>

const char *const reporter_dirs[DIRS] = {
	[DIR_READ] = "read", [DIR_WRITE] = "write", [DIR_TRIM] = "trim",
};

const struct result_dir *reporter_dir(const struct result_job *j, size_t i, const char **name)
{
	size_t first = j->unified == MEASURE_MIXED ? RESULT_MIXED : 0;
	size_t end = j->unified == MEASURE_APART ? DIRS : DIRS + 1;

	if (first + i >= end)
		return NULL;
	*name = first + i == RESULT_MIXED ? "mixed" : reporter_dirs[first + i];
	return &j->dir[first + i];
}

void reporter_text(const char *text, FILE *out)
{
	if (text)
		printable_put(text, strlen(text), "", out);
}

uint64_t reporter_bandwidth(const struct result_dir *d)
{
	if (!d->runtime_ms)
		return 0;
	return (uint64_t)((unsigned __int128)d->bytes * 1000 / d->runtime_ms);
}

double reporter_iops(const struct result_dir *d)
{
	return d->runtime_ms ? 1000.0 * (double)d->ios / (double)d->runtime_ms : 0;
}

void reporter_shares(const uint64_t counts[DEPTH_BUCKETS], double percent[DEPTH_BUCKETS])
{
	uint64_t total = 0;

	for (size_t i = 0; i < DEPTH_BUCKETS; i++)
		total += counts[i];
	for (size_t i = 0; i < DEPTH_BUCKETS; i++) {
		percent[i] = total ? 100.0 * (double)counts[i] / (double)total : 0;
		if (counts[i] && percent[i] < 0.1)
			percent[i] = 0.1;
	}
}

uint64_t reporter_ios(const struct result_job *j)
{
	return j->dir[DIR_READ].ios + j->dir[DIR_WRITE].ios + j->dir[DIR_TRIM].ios;
}

struct reporter_fault_rates reporter_fault_rates(const struct result_job *j)
{
	uint64_t ios = reporter_ios(j);

	return (struct reporter_fault_rates){
		.per_second = j->wall_ms ? 1000.0 * (double)j->minf / (double)j->wall_ms : 0,
		.per_io = ios ? (double)j->minf / (double)ios : 0,
		.per_pass = j->passes ? (double)j->minf / (double)j->passes : 0,
	};
}

size_t reporter_percentiles(const struct result_job *j, const struct result_lat *l,
			    uint64_t out[RESULT_PERCENTILES_MAX])
{
	_Static_assert(sizeof(struct hist) == HIST_BINS * sizeof(l->bins[0]), "hist is its bins");

	if (!l->percentiles || !l->n || !j->nr_percentiles)
		return 0;
	fl_assert(j->nr_percentiles <= RESULT_PERCENTILES_MAX);
	hist_percentiles((const struct hist *)l->bins, j->percentiles, (unsigned)j->nr_percentiles,
			 l->min, l->max, out);
	return j->nr_percentiles;
}

size_t reporter_lifetimes(const struct result_job *j, uint64_t out[RESULT_PERCENTILES_MAX])
{
	if (!j->lives || !j->nr_percentiles)
		return 0;
	if (!hist_percentiles(&j->lives->trims, j->percentiles, (unsigned)j->nr_percentiles,
			      j->lives->least, j->lives->most, out))
		return 0;
	return j->nr_percentiles;
}

double reporter_latency_percentile(const struct result_job *j)
{
	return j->latency_percentile > 0 ? j->latency_percentile : 100;
}

const char *reporter_time(uint64_t wall_ms, char buf[REPORTER_TIME_BYTES])
{
	time_t seconds = (time_t)(wall_ms / 1000);
	struct tm tm;

	buf[0] = '\0';
	if (localtime_r(&seconds, &tm))
		strftime(buf, REPORTER_TIME_BYTES, "%a %b %e %H:%M:%S %Y", &tm);
	return buf;
}
