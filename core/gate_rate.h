/* SPDX-License-Identifier: MIT */
/*
 * rate, rate_iops: I/Os start when a schedule wants them, not before; and each one that has such a
 * time is measured from it, too.
 *
 * A stalled device also stalls who submits to it. The I/Os that were not submitted meanwhile have
 * no latency to speak of, while those that a user would have sent wait with all others
 * ("coordinated omission": G. Tene, "How NOT to measure latency"). Latency from the intended start
 * tells what these would have seen.
 */
#ifndef CORE_GATE_RATE_H
#define CORE_GATE_RATE_H

#include "core/gate.h"

struct rate_conf {
	struct per_dir bytes;		/* per second; 0: as fast as it can */
	struct per_dir ios;		/* likewise */
	uint32_t poisson;
	uint32_t ignore_thinktime;	/* what was not started in a pause is not caught up with */
};

extern const struct opt_table rate_options;

/* rate_check - 0, or -EINVAL with a sentence; 1 with a note in why. */
int rate_check(const struct rate_conf *c, char *why, size_t why_bytes);

/* rate_dirs - the directions that have a rate, a bit each. */
uint32_t rate_dirs(const struct rate_conf *c);

/* rate_bytes - the rate of a direction in bytes per second, with these blocks; 0: it has none. */
uint64_t rate_bytes(const struct rate_conf *c, const struct workload_conf *workload, int dir);

/* What the schedule is told. */
struct rate_setup {
	const struct rate_conf *conf;	/* outlives it */
	const struct workload_conf *workload;
	uint64_t seed;
	uint32_t number;		/* of the job in the run: jobs draw numbers of their own */
};

/* gate_rate_new - the part for the schedule. NULL: no memory. For jobs with rate_dirs(). */
struct gate_part *gate_rate_new(const struct rate_setup *s);

#endif
