/* SPDX-License-Identifier: MIT */
/* The rarer things a worker does to its block. */
#include "core/stats.h"
#include "os/cpu.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void lat_reset(struct lat_stat *l)
{
	moments_reset(&l->m);
	memset(l->bins, 0, sizeof(l->bins));
}

void stats_init(struct worker_block *b)
{
	for (int d = 0; d < DIRS; d++) {
		moments_reset(&b->dir[d].clat.m);
		moments_reset(&b->dir[d].slat.m);
		moments_reset(&b->dir[d].lat.m);
		moments_reset(&b->dir[d].intended.m);
	}
	moments_reset(&b->sync.m);
	for (int i = 0; i < HOST_HISTOGRAMS_MAX; i++)
		moments_reset(&b->observed[i].m);
}

void stats_reset(struct worker_block *b)
{
	for (int d = 0; d < DIRS; d++) {
		struct dir_stats *s = &b->dir[d];

		s->ios = s->done_ios = s->bytes = s->short_ios = s->drop_ios = s->errors = 0;
		lat_reset(&s->clat);
		lat_reset(&s->slat);
		lat_reset(&s->lat);
		lat_reset(&s->intended);
		slow_reset(&b->slow[d]);
		s->slow_floor = 0;
	}
	lat_reset(&b->sync);
	b->sync_ios = 0;
	slow_reset(&b->slow_sync);
	b->sync_slow_floor = 0;
	b->errors = 0;
	b->trail_bytes = b->trail_ns = 0;
	memset(b->depth, 0, sizeof(b->depth));
	memset(b->submit, 0, sizeof(b->submit));
	memset(b->complete, 0, sizeof(b->complete));
	for (int i = 0; i < HOST_HISTOGRAMS_MAX; i++)
		lat_reset(&b->observed[i]);
	memcpy(b->counters_before, b->counters, sizeof(b->counters));
	for (uint32_t i = 0; i < b->nr_stacked; i++)
		memcpy(b->stacked[i].before, b->stacked[i].counters, sizeof(b->stacked[i].before));
	atomic_fetch_add(&b->epoch, 1);
}

void stats_slow(struct worker_block *b, uint32_t op, const struct slow_io *io)
{
	if (op < DIRS)
		b->dir[op].slow_floor = slow_add(&b->slow[op], io);
	else
		b->sync_slow_floor = slow_add(&b->slow_sync, io);
}

/* ---- Batches --------------------------------------------------------------------------------- */

/* What stands before it is in memory before, should the process end just here. */
static inline void in_order(void)
{
	atomic_signal_fence(memory_order_seq_cst);
}

/* in_bins: so many I/Os in a row are in the bins already. NULL: none. */
fl_inline void add(struct lat_stat *l, uint64_t ticks, uint64_t *in_bins)
{
	uint64_t ns = clock_ns(ticks);

	moments_add(&l->m, ns);
	if (in_bins && *in_bins)
		--*in_bins;
	else
		l->bins[hist_index(ns)]++;
}

static inline uint64_t *of_kind(uint64_t (*in_bins)[STATS_KINDS], uint32_t dir, enum stats_kind k)
{
	return in_bins ? &in_bins[dir][k] : NULL;
}

fl_inline void count_samples(struct worker_block *b, uint64_t (*in_bins)[STATS_KINDS])
{
	const struct stats_batch *bt = &b->batch;

	for (uint32_t i = 0; i < bt->n; i++) {
		const struct stats_sample *s = &bt->sample[i];
		struct dir_stats *d = &b->dir[s->dir];

		d->done_ios++;
		d->bytes += s->bytes;
		add(&d->slat, s->slat, of_kind(in_bins, s->dir, STATS_SLAT));
		add(&d->clat, s->clat, of_kind(in_bins, s->dir, STATS_CLAT));
		add(&d->lat, s->slat + s->clat, of_kind(in_bins, s->dir, STATS_LAT));
	}
}

/*
 * I/O i of the chain, of the plain loop: one file, one at a time. Who counts the batch of a dead
 * worker does not know its CPU.
 */
static __attribute__((noinline, cold)) void slow_of_chain(struct worker_block *b, uint32_t dir,
							  uint32_t i, bool with_prep, bool dead)
{
	const struct stats_batch *bt = &b->batch;
	const struct slow_io io = {
		.start = bt->start[i], .issue = with_prep ? bt->issue[i] : bt->start[i],
		.end = bt->start[i + 1], .offset = bt->offset[i], .len = bt->len, .depth = 1,
		.cpu = dead ? SLOW_CPU_UNKNOWN : cpu_current(),
	};

	stats_slow(b, dir, &io);
}

fl_inline void count_chain(struct worker_block *b, uint64_t (*in_bins)[STATS_KINDS],
			   const bool with_prep)
{
	const struct stats_batch *bt = &b->batch;
	uint32_t dir = (uint32_t)__builtin_ctz(bt->dirs), n = bt->n;
	struct dir_stats *d = &b->dir[dir];

	for (uint32_t i = 0; i < n; i++) {
		uint64_t start = bt->start[i], end = bt->start[i + 1];

		add(&d->clat, end - (with_prep ? bt->issue[i] : start),
		    of_kind(in_bins, dir, STATS_CLAT));
		if (with_prep)
			add(&d->lat, end - start, of_kind(in_bins, dir, STATS_LAT));
		if (unlikely(end - start > d->slow_floor))
			slow_of_chain(b, dir, i, with_prep, in_bins != NULL);
	}
	d->ios += n;
	d->done_ios += n;
	d->bytes += n * bt->len;
}

static void save(struct worker_block *b)
{
	struct stats_batch *bt = &b->batch;

	for (uint32_t dirs = bt->dirs; dirs; dirs &= dirs - 1) {
		uint32_t dir = (uint32_t)__builtin_ctz(dirs);
		const struct dir_stats *d = &b->dir[dir];
		struct stats_before *before = &bt->before[dir];

		before->ios = d->ios;
		before->done_ios = d->done_ios;
		before->bytes = d->bytes;
		for (int k = 0; k < STATS_KINDS; k++) {
			before->kind[k].sum = d->kind[k].m.sum;
			before->kind[k].sumsq = d->kind[k].m.sumsq;
		}
	}
	in_order();
	bt->counting = bt->dirs;
	in_order();
}

static void empty(struct stats_batch *bt)
{
	in_order();
	bt->n = 0;
	in_order();
	bt->counting = 0;
	if (bt->form == STATS_SAMPLES)
		bt->dirs = 0;
}

void stats_count(struct worker_block *b)
{
	struct stats_batch *bt = &b->batch;

	if (!bt->n)
		return;
	save(b);
	if (bt->form == STATS_SAMPLES)
		count_samples(b, NULL);
	else if (bt->form == STATS_CHAIN)
		count_chain(b, NULL, false);
	else
		count_chain(b, NULL, true);
	empty(bt);
}

/*
 * Back to where counting began, but for the bins: they hold one I/O more for each that was counted,
 * in the order of the batch. Minimum and maximum can be taken in twice.
 */
static void undo(struct worker_block *b, uint64_t (*in_bins)[STATS_KINDS])
{
	const struct stats_batch *bt = &b->batch;

	for (uint32_t dirs = bt->counting; dirs; dirs &= dirs - 1) {
		uint32_t dir = (uint32_t)__builtin_ctz(dirs);
		struct dir_stats *d = &b->dir[dir];
		const struct stats_before *before = &bt->before[dir];

		d->ios = before->ios;
		d->done_ios = before->done_ios;
		d->bytes = before->bytes;
		for (int k = 0; k < STATS_KINDS; k++) {
			uint64_t all = hist_count((const struct hist *)d->kind[k].bins);

			d->kind[k].m.sum = before->kind[k].sum;
			d->kind[k].m.sumsq = before->kind[k].sumsq;
			in_bins[dir][k] = all > before->done_ios ? all - before->done_ios : 0;
		}
	}
}

void stats_rescue(struct worker_block *b)
{
	uint64_t in_bins[DIRS][STATS_KINDS] = { 0 };
	struct stats_batch *bt = &b->batch;

	if (!bt->n)
		return;
	undo(b, in_bins);
	if (bt->form == STATS_SAMPLES)
		count_samples(b, in_bins);
	else
		count_chain(b, in_bins, bt->form == STATS_CHAIN_PREP);
	empty(bt);
}

/* ---- Logging a batch ------------------------------------------------------------------------- */

void stats_log(const struct worker_block *b, struct log_ring *r)
{
	const struct stats_batch *bt = &b->batch;
	const uint64_t what = log_what(bt->len, (uint32_t)__builtin_ctz(bt->dirs), r->prio);
	uint32_t n = bt->n;

	for (uint32_t i = 0; i < n; i++) {
		const struct log_io io = {
			.end = bt->start[i + 1], .start = bt->start[i],
			.issue = bt->form == STATS_CHAIN ? bt->start[i] : bt->issue[i],
			.offset = bt->offset[i], .what = what,
		};

		log_ring_put(r, i, &io);
	}
	log_ring_publish(r, n);
}

void stats_log_dead(const struct worker_block *b, struct log_ring *r)
{
	const struct stats_batch *bt = &b->batch;

	/* Samples have been logged one by one. */
	if (bt->n && bt->form != STATS_SAMPLES && bt->log_head == atomic_load(&r->head) &&
	    log_ring_inherit(r, bt->n))
		stats_log(b, r);
}

/* ---- Errors and notes ------------------------------------------------------------------------ */

uint64_t *stats_stacked(struct worker_block *b, const struct engine *e)
{
	uint32_t n = b->nr_stacked;
	struct stacked_counters *s = &b->stacked[n];

	if (n == HOST_STACK_MAX)
		return NULL;
	snprintf(s->engine, sizeof(s->engine), "%s", e->ops.name);
	s->nr = fl_min(e->ops.nr_counters, (uint32_t)HOST_COUNTERS_MAX);
	for (uint32_t i = 0; i < s->nr; i++) {
		struct fl_counter row;

		engine_counter(e, i, &row);
		snprintf(s->row[i].name, sizeof(s->row[i].name), "%s", row.name);
		s->row[i].merge = row.merge;
	}
	atomic_store(&b->nr_stacked, n + 1);
	return s->counters;
}

static void note_error(struct worker_block *b, int err, const char *fmt, va_list ap)
{
	vsnprintf(b->error_text, sizeof(b->error_text), fmt, ap);
	b->error = err;
}

void stats_fail(struct worker_block *b, int err, const char *fmt, ...)
{
	va_list ap;

	if (b->fatal)
		return;
	va_start(ap, fmt);
	note_error(b, err, fmt, ap);
	va_end(ap);
	b->fatal = 1;
}

void stats_error(struct worker_block *b, int err, const char *fmt, ...)
{
	va_list ap;

	if (b->error)
		return;
	va_start(ap, fmt);
	note_error(b, err, fmt, ap);
	va_end(ap);
}

void stats_note(struct worker_block *b, const char *fmt, ...)
{
	uint32_t n = atomic_load(&b->nr_notes);
	char text[WORKER_TEXT_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(b->notes[i], text))
			return;
	if (n == WORKER_NOTES)
		return;
	memcpy(b->notes[n], text, sizeof(text));
	atomic_store(&b->nr_notes, n + 1);
}
