/* SPDX-License-Identifier: MIT */
/* From counters to the live line. */
#include "core/live.h"
#include "core/eta.h"

#include <stdlib.h>
#include <string.h>

void live_init(struct live *l, struct progress *p, uint64_t newline_ns)
{
	memset(l, 0, sizeof(*l));
	l->progress = p;
	l->newline_ns = newline_ns;
}

void live_free(struct live *l)
{
	free(l->states);
	free(l->last_lat);
	l->last_lat = NULL;
	l->states = NULL;
}

/*
 * A letter for what a job is doing: P not started, I setting up, C waiting, / ramp,
 * F finishing, _ gone.
 */
static char letter(const struct crew_job *j)
{
	static const char kinds[] = "?RWMDDDD";	/* by direction bits: read, write, both, trim */
	uint32_t rw = j->plan->job->workload.rw.bits;
	char c;

	if (!j->started)
		return 'P';
	if (j->ended)
		return '_';
	switch (atomic_load(&j->block->state)) {
	case WORKER_IDLE:
	case WORKER_SETUP:
		return 'I';
	case WORKER_READY:
		return 'C';
	case WORKER_RAMP:
		return '/';
	case WORKER_FINISH:
		return 'F';
	case WORKER_DONE:
		return '_';
	default:
		c = kinds[rw & RW_DIRS];
		return rw & RW_RANDOM && c != '?' ? (char)(c + 'a' - 'A') : c;
	}
}

/*
 * The 99th percentile of what was completed since the last look. Bins fall at the end of a ramp:
 * nothing is known of that moment.
 */
static uint64_t p99_since(struct hist *last, const struct hist *now)
{
	static const double percent = 99;
	struct hist since;
	uint64_t out = 0;
	bool fell = false;

	for (unsigned i = 0; i < HIST_BINS; i++) {
		fell |= now->bins[i] < last->bins[i];
		since.bins[i] = now->bins[i] - last->bins[i];
	}
	if (!fell)
		hist_percentiles(&since, &percent, 1, 0, UINT64_MAX, &out);
	*last = *now;
	return out;
}

static void look_at_latencies(struct live *l, const struct crew *crew, uint64_t p99_ns[DIRS])
{
	if (!l->last_lat)
		l->last_lat = calloc(DIRS, sizeof(*l->last_lat));
	for (int d = 0; l->last_lat && d < DIRS; d++) {
		struct hist now = { 0 };

		for (size_t i = 0; i < crew->count; i++) {
			const struct lat_stat *lat = &crew->jobs[i].block->dir[d].clat;

			if (lat->m.min != UINT64_MAX)	/* else its pages were never touched */
				hist_merge(&now, (const struct hist *)lat->bins);
		}
		p99_ns[d] = p99_since(&l->last_lat[d], &now);
	}
}

static void look(struct live *l, const struct crew *crew, uint64_t now_ns, struct progress_view *v)
{
	uint64_t bytes[DIRS] = { 0 }, ios[DIRS] = { 0 };
	double seconds = (double)(now_ns - l->last_ns) / 1e9, left, most = 0;
	bool known = true;

	for (size_t i = 0; i < crew->count; i++) {
		const struct crew_job *j = &crew->jobs[i];

		l->states[i] = letter(j);
		v->running += crew_running(j);
		v->open_files += crew_running(j) ? j->setup.files_open_max : 0;
		v->percent += eta_job(j, &left) * 100.0 / (double)crew->count;
		if (crew_running(j) && left < 0)
			known = false;
		most = fl_max(most, left);
		for (int d = 0; d < DIRS; d++) {
			bytes[d] += j->block->dir[d].bytes;
			ios[d] += j->block->dir[d].done_ios;
		}
	}
	for (int d = 0; d < DIRS; d++) {
		/* Counters fall at the end of a ramp: nothing is known of that moment. */
		if (l->last_ns && bytes[d] >= l->last_bytes[d]) {
			v->bytes_per_second[d] =
				(uint64_t)((double)(bytes[d] - l->last_bytes[d]) / seconds);
			v->iops[d] = (uint64_t)((double)(ios[d] - l->last_ios[d]) / seconds);
		}
		l->last_bytes[d] = bytes[d];
		l->last_ios[d] = ios[d];
	}
	l->last_ns = now_ns;
	look_at_latencies(l, crew, v->p99_ns);
	v->eta_s = known ? (int64_t)(most + 0.5) : -1;
}

void live_show(struct live *l, const struct crew *crew, uint64_t now_ns)
{
	struct progress_view v = { .style = { .figures = NUM_FIGURES_DEFAULT } };
	bool newline = l->newline_ns && now_ns >= l->next_newline;

	if (!l->states)
		l->states = calloc(crew->count + 1, 1);
	if (!l->states)
		return;
	look(l, crew, now_ns, &v);
	v.states = l->states;
	if (newline)
		l->next_newline = now_ns + l->newline_ns;
	progress_update(l->progress, &v, newline);
}
