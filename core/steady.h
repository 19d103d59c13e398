/* SPDX-License-Identifier: MIT */
/*
 * steadystate=: jobs that end when their rate has become steady. These are the options;
 * steady_watch.h does it.
 */
#ifndef CORE_STEADY_H
#define CORE_STEADY_H

#include "core/opt.h"
#include "lib/steady.h"

struct steady_conf {
	const char *text;		/* as given; NULL: it was not */
	uint64_t duration_ns;		/* of the window; 0: nothing is judged */
	uint64_t ramp_ns;		/* until it begins */
	uint64_t interval_ns;		/* between two samples */
	struct steady_criterion criterion;	/* steady_check() makes it */
	size_t samples;			/* of a full window; 0: nothing is judged */
};

extern const struct opt_table steady_options;

/*
 * steady_check - read the criterion and settle how many samples the window has. timed: latencies
 * are measured. Returns 0, -EINVAL with a sentence in why, or 1 with a note in why.
 */
int steady_check(struct steady_conf *c, int kb_base, bool timed, char *why, size_t why_bytes);

#endif
