/* SPDX-License-Identifier: MIT */
/*
 * What is measured and reported of a job, and what is left out.
 */
#ifndef CORE_MEASURE_H
#define CORE_MEASURE_H

#include "core/opt.h"

#define MEASURE_PERCENTILES_MAX	20

struct percentile_list {
	double v[MEASURE_PERCENTILES_MAX];	/* ascending */
	uint32_t count;
};

/* unified_rw_reporting: are the directions reported one by one, as one, or both? */
enum measure_unified { MEASURE_APART, MEASURE_MIXED, MEASURE_BOTH };

struct measure_conf {
	struct percentile_list list;
	uint32_t clat_percentiles, lat_percentiles, slat_percentiles;
	uint32_t disable_lat, disable_clat, disable_slat, disable_bw;
	uint32_t gtod_reduce;
	uint32_t disk_util;
	uint32_t cache_stats;
	uint32_t group_reporting;
	uint32_t stats;
	uint32_t block_errors;		/* block_error_percentiles */
	uint32_t unified;		/* enum measure_unified */
	uint32_t figures;		/* significant_figures */
	uint32_t unit_base;		/* 1: rates in bits; else bytes */
	uint64_t bw_interval_ms, iops_interval_ms;
};

extern const struct opt_table measure_options;

/* measure_check - 0, or -EINVAL with a sentence in why. Resolves gtod_reduce. */
int measure_check(struct measure_conf *c, char *why, size_t why_bytes);

/* measure_timed - does anything of this job need a clock read per I/O? */
bool measure_timed(const struct measure_conf *c);

#endif
