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

#define READ_TRIES	4

/*
 * A worker may be adding to it: bins and moments are to be of one moment. Where I/Os are so many
 * that something always comes between, what they differ by is little against the whole.
 */
static void read_lat(const struct lat_stat *l, struct hist *bins, struct moments *m)
{
	for (int i = 0; i < READ_TRIES; i++) {
		*m = l->m;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		memcpy(bins->bins, l->bins, sizeof(bins->bins));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		/* NOLINTNEXTLINE(bugprone-*): whether it was written meanwhile is about bytes */
		if (!memcmp(m, &l->m, sizeof(*m)))
			break;
	}
}

void latsum_add(struct latsum *s, const struct lat_stat *l)
{
	struct hist bins;
	struct moments m;

	if (l->m.min == UINT64_MAX)
		return;			/* never used: nor were its pages ever touched */
	if (s->bins) {
		read_lat(l, &bins, &m);
		hist_merge(s->bins, &bins);
	} else {
		s->bins = malloc(sizeof(*s->bins));
		if (!s->bins)
			return;
		read_lat(l, s->bins, &m);
	}
	moments_merge(&s->moments, &m);
}

void latsum_end(struct latsum *s, struct result_lat *out)
{
	memset(out, 0, sizeof(*out));
	out->n = s->bins ? hist_count(s->bins) : 0;
	if (!out->n) {
		free(s->bins);
		return;
	}
	moments_unwrap(&s->moments, s->bins, out->n);
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
