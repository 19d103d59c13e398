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

static void count(const struct worker_block *b, enum rate_of of, uint64_t sum[DIRS + 1])
{
	sum[DIRS] = 0;
	for (int d = 0; d < DIRS; d++) {
		sum[d] = of == RATE_BYTES ? b->dir[d].bytes : b->dir[d].done_ios;
		sum[DIRS] += sum[d];
	}
}

/* Counting begins, anew after a ramp. */
static void follow_epoch(struct rate_watch *w, const struct worker_block *b)
{
	uint32_t epoch = atomic_load(&b->epoch);

	if (w->last_ns && w->epoch == epoch)
		return;
	w->epoch = epoch;
	w->last_ns = b->start_ns;
	w->due_ns = b->start_ns + w->interval_ns;
	memset(w->last, 0, sizeof(w->last));
}

/* Is there to be a sample now? What is left at the end has to be half an interval, or all. */
static bool is_due(const struct rate_watch *w, uint64_t start_ns, uint64_t now_ns, bool last)
{
	uint64_t since = now_ns > w->last_ns ? now_ns - w->last_ns : 0;
	bool first = w->due_ns == start_ns + w->interval_ns;

	if (!since || now_ns >= w->due_ns)
		return since;
	return last && (first || since >= w->interval_ns / 2);
}

bool rate_sample(struct rate_watch *w, enum rate_of of, const struct worker_block *b,
		 uint64_t now_ns, bool last, double per_second[DIRS + 1])
{
	uint64_t now[DIRS + 1];
	double seconds;

	follow_epoch(w, b);
	if (!is_due(w, b->start_ns, now_ns, last))
		return false;
	count(b, of, now);
	seconds = (double)(now_ns - w->last_ns) / 1e9;
	for (int d = 0; d <= DIRS; d++)
		per_second[d] = (double)(now[d] - w->last[d]) / seconds;
	memcpy(w->last, now, sizeof(w->last));
	w->last_ns = now_ns;
	/* Late samples do not move those to come. */
	while (w->due_ns <= now_ns)
		w->due_ns += w->interval_ns;
	return true;
}

static void look(struct rate_watch *w, enum rate_of of, const struct worker_block *b,
		 uint64_t now_ns, double unit)
{
	double per_second[DIRS + 1];

	if (!rate_sample(w, of, b, now_ns, false, per_second))
		return;
	for (int d = 0; d <= DIRS; d++)
		if (w->last[d] || w->series[d].n)
			series_add(&w->series[d], per_second[d] / unit);
}

uint64_t rates_look(struct rates *r, const struct worker_block *b, uint64_t now_ns)
{
	look(&r->bw, RATE_BYTES, b, now_ns, 1024);
	look(&r->iops, RATE_IOS, b, now_ns, 1);
	return fl_min(r->bw.due_ns, r->iops.due_ns);
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
