/* SPDX-License-Identifier: MIT */
/* Sampling of bandwidth and IOPS. */
#include "core/rates.h"

#include <math.h>
#include <string.h>

void rates_init(struct rates *r, uint64_t bw_ms, uint64_t iops_ms)
{
	memset(r, 0, sizeof(*r));
	r->bw.interval_ns = bw_ms * 1000000;
	r->iops.interval_ns = iops_ms * 1000000;
}

static void series_add(struct rate_series *s, double v)
{
	s->min = s->n ? fl_min(s->min, v) : v;
	s->max = s->n ? fl_max(s->max, v) : v;
	s->sum += v;
	s->sumsq += v * v;
	s->n++;
}

static void begin(struct rate_watch *w, uint64_t now_ns, const uint64_t count[DIRS + 1],
		  uint32_t epoch)
{
	w->last_ns = now_ns;
	w->epoch = epoch;
	memcpy(w->last, count, sizeof(w->last));
}

static uint64_t look(struct rate_watch *w, const uint64_t count[DIRS + 1], double unit,
		     uint32_t epoch, uint64_t start_ns, uint64_t now_ns)
{
	static const uint64_t none[DIRS + 1];
	uint64_t due;

	if (!w->last_ns || w->epoch != epoch)
		begin(w, start_ns, none, epoch);
	due = w->last_ns + w->interval_ns;
	if (now_ns < due)
		return due;
	for (int d = 0; d <= DIRS; d++) {
		double seconds = (double)(now_ns - w->last_ns) / 1e9;

		if (count[d] || w->series[d].n)
			series_add(&w->series[d], (double)(count[d] - w->last[d]) / unit / seconds);
	}
	begin(w, now_ns, count, epoch);
	return now_ns + w->interval_ns;
}

uint64_t rates_look(struct rates *r, const struct worker_block *b, uint64_t now_ns)
{
	uint64_t bytes[DIRS + 1] = { 0 }, ios[DIRS + 1] = { 0 }, bw_due, iops_due;
	uint32_t epoch = atomic_load(&b->epoch);

	for (int d = 0; d < DIRS; d++) {
		bytes[d] = b->dir[d].bytes;
		ios[d] = b->dir[d].done_ios;
		bytes[DIRS] += bytes[d];
		ios[DIRS] += ios[d];
	}
	bw_due = look(&r->bw, bytes, 1024, epoch, b->start_ns, now_ns);
	iops_due = look(&r->iops, ios, 1, epoch, b->start_ns, now_ns);
	return fl_min(bw_due, iops_due);
}

double rate_mean(const struct rate_series *s)
{
	return s->n ? s->sum / (double)s->n : 0;
}

double rate_deviation(const struct rate_series *s)
{
	double mean = rate_mean(s), square;

	if (s->n < 2)
		return 0;
	square = (s->sumsq - mean * s->sum) / (double)(s->n - 1);
	return square > 0 ? sqrt(square) : 0;
}
