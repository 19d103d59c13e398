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
	uint64_t due_ns;		/* of the next sample */
	uint64_t last[DIRS + 1];
	uint32_t epoch;			/* of the counters seen last */
	struct rate_series series[DIRS + 1];	/* the last: of all directions together */
};

/* What of a worker's block is counted. */
enum rate_of { RATE_BYTES, RATE_IOS };

struct rates {
	struct rate_watch bw;		/* KiB/s */
	struct rate_watch iops;
};

void rates_init(struct rates *r, uint64_t bw_ms, uint64_t iops_ms);

/*
 * rate_sample - the sample that is due at now_ns: counts per second since the last one, by
 * direction, and of all. last: the job has ended at now_ns, and what is left is a sample if it is
 * half an interval long or there was none. Returns whether there is one. The next is due at
 * w->due_ns.
 */
bool rate_sample(struct rate_watch *w, enum rate_of of, const struct worker_block *b,
		 uint64_t now_ns, bool last, double per_second[DIRS + 1]);

/* rates_look - take the samples that are due at now_ns. Returns when the next one is due. */
uint64_t rates_look(struct rates *r, const struct worker_block *b, uint64_t now_ns);

double rate_mean(const struct rate_series *s);
double rate_deviation(const struct rate_series *s);

#endif
