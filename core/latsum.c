/* SPDX-License-Identifier: MIT */
/* Sums of latencies. */
#include "core/latsum.h"

#include <stdlib.h>
#include <string.h>

void latsum_begin(struct latsum *s)
{
	s->bins = NULL;
	moments_reset(&s->moments);
}

void latsum_add(struct latsum *s, const struct lat_stat *l)
{
	if (l->m.min == UINT64_MAX)
		return;			/* never used: nor were its pages ever touched */
	if (!s->bins)
		s->bins = calloc(1, sizeof(*s->bins));
	if (!s->bins)
		return;
	hist_merge(s->bins, (const struct hist *)l->bins);
	moments_merge(&s->moments, &l->m);
}

void latsum_end(struct latsum *s, struct result_lat *out)
{
	memset(out, 0, sizeof(*out));
	out->n = s->bins ? hist_count(s->bins) : 0;
	if (!out->n) {
		free(s->bins);
		return;
	}
	out->bins = s->bins->bins;
	out->moments = s->moments;
	out->min = moments_min(&s->moments, out->n);
	out->max = s->moments.max;
	out->mean = moments_mean(&s->moments, out->n);
	out->stddev = moments_stddev(&s->moments, out->n);
}

void latsum_free(struct result_lat *l)
{
	free((void *)l->bins);
	l->bins = NULL;
}
