/* SPDX-License-Identifier: MIT */
/*
 * rate_min, rate_iops_min: a job that comes below them has failed, and ends.
 */
#ifndef CORE_GATE_MINIMUM_H
#define CORE_GATE_MINIMUM_H

#include "core/gate_rate.h"
#include "core/stats.h"

struct minimum_conf {
	struct per_dir bytes;		/* per second; 0: none */
	struct per_dir ios;		/* likewise */
	uint64_t cycle_ms;		/* over which they are looked at */
};

extern const struct opt_table minimum_options;

/* minimum_check - 0, or -EINVAL with a sentence: no job can stay above what it must stay below. */
int minimum_check(const struct minimum_conf *c, const struct rate_conf *rate, char *why,
		  size_t why_bytes);

/* minimum_dirs - the directions that have a minimum, a bit each. */
uint32_t minimum_dirs(const struct minimum_conf *c);

/*
 * gate_minimum_new - the part that looks at what b has counted, in these directions. ramp: counting
 * begins with gate_anew(). All pointers outlive it. NULL: no memory.
 */
struct gate_part *gate_minimum_new(const struct minimum_conf *c, struct worker_block *b,
				   uint32_t dirs, bool ramp);

#endif
