/* SPDX-License-Identifier: MIT */
/*
 * Latencies put together: the samples of several workers, or of several directions, as one. N,
 * minimum, maximum, mean, deviation and bins are those of all samples.
 */
#ifndef CORE_LATSUM_H
#define CORE_LATSUM_H

#include "core/result.h"

struct latsum {
	struct hist *bins;		/* NULL: nothing has been added */
	struct moments moments;
};

/* latsum_begin - nothing. */
void latsum_begin(struct latsum *s);

/* latsum_add - the samples of a worker's latency too, also while it adds to them. */
void latsum_add(struct latsum *s, const struct lat_stat *l);

/* latsum_end - the result of all that was added; its bins belong to *out: latsum_free(). */
void latsum_end(struct latsum *s, struct result_lat *out);
void latsum_free(struct result_lat *l);

#endif
