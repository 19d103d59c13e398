/* SPDX-License-Identifier: MIT */
/* The comparison of thirds. */
#include "core/trust_drift.h"

#include <math.h>

#define INTERVALS_MIN	3u		/* in a third, for its noise */

struct third {
	size_t n;
	double events, seconds, square;
};

static void add(struct third *t, double events, double seconds)
{
	t->n++;
	t->events += events;
	t->seconds += seconds;
	t->square += events * events / seconds;
}

/* Of the mean rate, by how much the intervals differ. */
static double variance(const struct third *t, double mean)
{
	return fl_max(t->square / t->seconds - mean * mean, 0.0) / (double)(t->n - 1);
}

struct trust_drift trust_drift_of(const uint64_t *at_ns, const uint64_t *count, size_t n)
{
	struct third thirds[3] = { { .n = 0 } };
	struct trust_drift d = { .known = false };
	double span;

	if (n < 2 || at_ns[n - 1] - at_ns[0] < TRUST_DRIFT_SPAN_NS)
		return d;
	span = (double)(at_ns[n - 1] - at_ns[0]);
	for (size_t i = 1; i < n; i++) {
		double from = (double)(at_ns[i - 1] - at_ns[0]), to = (double)(at_ns[i] - at_ns[0]);
		/* An interval belongs to the third that holds its middle. */
		int which = (int)(3 * (from + to) / 2 / span);

		if (to > from)
			add(&thirds[fl_min(which, 2)], (double)(count[i] - count[i - 1]),
			    (to - from) / 1e9);
	}
	if (thirds[0].n < INTERVALS_MIN || thirds[2].n < INTERVALS_MIN)
		return d;
	d.known = true;
	d.first = thirds[0].events / thirds[0].seconds;
	d.last = thirds[2].events / thirds[2].seconds;
	d.noise = sqrt(variance(&thirds[0], d.first) + variance(&thirds[2], d.last));
	return d;
}
