/* SPDX-License-Identifier: MIT */
/* From counters to the live line. */
#include "core/live.h"

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

/* How much of a job is done, 0 to 1, and how many seconds are left (below 0: not known). */
static double job_done(const struct crew_job *j, double *left_s)
{
	const struct pace_conf *p = &j->plan->job->pace;
	const struct worker_block *b = j->block;
	double elapsed = (double)crew_elapsed_ns(j) / 1e9, done = 0;
	uint64_t bytes = 0;

	*left_s = -1;
	if (j->ended) {
		*left_s = 0;
		return 1;
	}
	for (int d = 0; d < DIRS; d++)
		bytes += b->dir[d].bytes;
	if (b->bytes_target && !p->time_based)
		done = fl_min((double)bytes / (double)b->bytes_target, 1.0);
	if (done > 0)
		*left_s = elapsed / done - elapsed;
	if (p->runtime_ns) {
		double limit = (double)p->runtime_ns / 1e9;
		double by_time = fl_min(elapsed / limit, 1.0);

		if (*left_s < 0 || limit - elapsed < *left_s)
			*left_s = fl_max(limit - elapsed, 0.0);
		done = fl_max(done, by_time);
	}
	return done;
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
		v->percent += job_done(j, &left) * 100.0 / (double)crew->count;
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
