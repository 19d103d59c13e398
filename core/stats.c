/* SPDX-License-Identifier: MIT */
/* The rarer things a worker does to its block. */
#include "core/stats.h"

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
	}
	lat_reset(&b->sync);
	b->sync_ios = 0;
	b->errors = 0;
	memset(b->depth, 0, sizeof(b->depth));
	memset(b->submit, 0, sizeof(b->submit));
	memset(b->complete, 0, sizeof(b->complete));
	for (int i = 0; i < HOST_HISTOGRAMS_MAX; i++)
		lat_reset(&b->observed[i]);
	memcpy(b->counters_before, b->counters, sizeof(b->counters));
	atomic_fetch_add(&b->epoch, 1);
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
