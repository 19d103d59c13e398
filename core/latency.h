/* SPDX-License-Identifier: MIT */
/*
 * latency_target=: how deep may the queue be for I/Os to be fast enough? These are the options;
 * latency_gate.h searches.
 */
#ifndef CORE_LATENCY_H
#define CORE_LATENCY_H

#include "core/opt.h"

struct latency_conf {
	uint64_t target_ns;		/* 0: nothing is searched */
	uint64_t window_ns;		/* how long each depth is tried */
	double percentile;		/* of the I/Os, 0 to 100, must be that fast */
	uint32_t run;			/* go on for ever, and follow what changes */
};

extern const struct opt_table latency_options;

/* latency_check - 0, -EINVAL with a sentence in why, or 1 with a note in why. */
int latency_check(const struct latency_conf *c, char *why, size_t why_bytes);

/* latency_searches - does the job end when it has found the depth? */
bool latency_searches(const struct latency_conf *c);

#endif
