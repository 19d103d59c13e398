/* SPDX-License-Identifier: MIT */
/* What holds of any latency of any result, and no schema can say. */
#ifndef T_SOUND_H
#define T_SOUND_H

#include "t/json.h"

#include <inttypes.h>

/* A whole number, or 0 where there is none. */
static inline uint64_t s_whole(const struct j_node *n)
{
	return n && n->type == J_INT ? strtoull(n->from, NULL, 10) : 0;
}

/* A number, or 0 where there is none. */
static inline double s_real(const struct j_node *n)
{
	return n && (n->type == J_INT || n->type == J_FLOAT) ? strtod(n->from, NULL) : 0;
}

/* s_is_lat - does it look like one? */
static inline bool s_is_lat(const struct j_node *n)
{
	return j_member(n, "N") && j_member(n, "min") && j_member(n, "max") && j_member(n, "mean");
}

/*
 * s_latency - extremes, mean and percentiles are in order, bins ascend and sum to N. Returns NULL,
 * or what is wrong, in memory that the next call uses again.
 */
static inline const char *s_latency(const struct j_node *lat)
{
	static char why[256];
	double min = s_real(j_member(lat, "min")), max = s_real(j_member(lat, "max"));
	double mean = s_real(j_member(lat, "mean")), before = min;
	const struct j_node *bins = j_member(lat, "bins"), *percent = j_member(lat, "percentile");
	uint64_t n = s_whole(j_member(lat, "N")), sum = 0, last = 0;

	/* A mean is written with six decimals. */
	if (n && (min > mean + 1e-6 || mean > max + 1e-6)) {
		snprintf(why, sizeof(why), "min %g, mean %g, max %g", min, mean, max);
		return why;
	}
	for (const struct j_node *b = bins ? bins->child : NULL; b; b = b->next) {
		uint64_t value = strtoull(b->key, NULL, 10);

		if (b != bins->child && value <= last) {
			snprintf(why, sizeof(why), "bin %s behind %" PRIu64, b->key, last);
			return why;
		}
		last = value;
		sum += s_whole(b);
	}
	if (bins && sum != n) {
		snprintf(why, sizeof(why), "%" PRIu64 " samples in the bins of %" PRIu64, sum, n);
		return why;
	}
	for (const struct j_node *p = percent ? percent->child : NULL; p; p = p->next) {
		if (s_real(p) < before || s_real(p) > max) {
			snprintf(why, sizeof(why), "percentile %s is %g, not in %g to %g", p->key,
				 s_real(p), before, max);
			return why;
		}
		before = s_real(p);
	}
	return NULL;
}

#endif
