/* SPDX-License-Identifier: MIT */
/*
 * Rates over time: the parent looks at a worker's counters at regular times and keeps minimum,
 * maximum, mean and deviation of what it saw. Nothing of it is on the I/O path.
 */
#ifndef CORE_RATES_H
#define CORE_RATES_H

#include "core/stats.h"

struct rate_series {
	uint64_t n;
	double min, max, sum, sumsq;
};

/* One quantity (bandwidth or IOPS) of one worker. */
struct rate_watch {
	uint64_t interval_ns;
	uint64_t last_ns;		/* 0: not begun */
	uint64_t last[DIRS + 1];
	uint32_t epoch;			/* of the counters seen last */
	struct rate_series series[DIRS + 1];	/* the last: of all directions together */
};

struct rates {
	struct rate_watch bw;		/* KiB/s */
	struct rate_watch iops;
};

void rates_init(struct rates *r, uint64_t bw_ms, uint64_t iops_ms);

/* rates_look - take the samples that are due at now_ns. Returns when the next one is due. */
uint64_t rates_look(struct rates *r, const struct worker_block *b, uint64_t now_ns);

double rate_mean(const struct rate_series *s);
double rate_deviation(const struct rate_series *s);

#endif
