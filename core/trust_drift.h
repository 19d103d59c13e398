/* SPDX-License-Identifier: MIT */
/* Did a rate change while it was measured? Its last third is compared with its first. */
#ifndef CORE_TRUST_DRIFT_H
#define CORE_TRUST_DRIFT_H

#include "lib/base.h"

#define TRUST_DRIFT_SPAN_NS	6000000000ull	/* shorter than that nothing is said */

/* Per second. */
struct trust_drift {
	bool known;
	double first, last;		/* mean of the first and of the last third of the time */
	double noise;			/* standard error of their difference */
};

/*
 * trust_drift_of - of a counter that stood at count[i] at the time at_ns[i], both ascending.
 * known is false when the n points span less than TRUST_DRIFT_SPAN_NS, or are too few.
 */
struct trust_drift trust_drift_of(const uint64_t *at_ns, const uint64_t *count, size_t n);

#endif
