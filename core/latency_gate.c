/* SPDX-License-Identifier: MIT */
/* Windows, their verdicts, and what follows from them. */
#include "core/latency_gate.h"
#include "lib/depthsearch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define CONFIRMED	2		/* windows in a row, until a depth is found */

struct latency_gate {
	struct gate_part part;		/* look_at: the end of the window */
	const struct latency_conf *conf;
	struct worker_block *b;
	struct depth_search search;
	uint64_t target, window;	/* ticks */
	uint64_t began;			/* the window */
	uint64_t ios, fast;		/* begun and ended in it; of them, fast enough */
	uint64_t worst;			/* ticks */
	bool ramping;			/* the search has not begun */
	bool draining;			/* nothing counts until nothing is in flight */
};

static struct latency_gate *of(struct gate_part *p)
{
	return container_of(p, struct latency_gate, part);
}

static void begin_window(struct latency_gate *l, uint64_t now)
{
	l->ios = l->fast = l->worst = 0;
	l->began = now;
	l->part.look_at = now + l->window;
	l->b->latency_depth = l->ramping ? l->search.max : l->search.depth;
}

static void begin(struct gate_part *p, uint64_t now)
{
	begin_window(of(p), now);
}

static void anew(struct gate_part *p, uint64_t now)
{
	of(p)->ramping = false;
	of(p)->draining = true;
	begin_window(of(p), now);
}

static double percent_fast(const struct latency_gate *l)
{
	return 100 * (double)l->fast / (double)l->ios;
}

static enum gate_says fail(struct latency_gate *l)
{
	if (l->search.depth == 1 && l->conf->percentile >= 100) {
		stats_fail(l->b, ETIMEDOUT, "an I/O took %" PRIu64 " ns with one in flight at a "
			   "time, more than latency_target allows (%" PRIu64 " ns)",
			   clock_ns(l->worst), l->conf->target_ns);
		return GATE_END;
	}
	l->draining = l->search.depth > 1;
	depth_search_failed(&l->search);
	return GATE_OPEN;
}

/* Twice in a row it must have been the largest: then the window that counts may begin. */
static enum gate_says hold(struct latency_gate *l)
{
	if (!depth_search_held(&l->search))
		return GATE_OPEN;
	if (l->conf->run)
		depth_search_again(&l->search);
	else if (l->search.settled >= CONFIRMED)
		l->b->latency_phase = LATENCY_FOUND;
	return l->b->latency_phase == LATENCY_FOUND ? GATE_END : GATE_OPEN;
}

/* The window that counts is over, and so is the job. */
static enum gate_says finish(struct latency_gate *l)
{
	l->b->latency_phase = LATENCY_OVER;
	if (percent_fast(l) < l->conf->percentile)
		stats_note(l->b, "latency_target: at the depth that was found, %u, only %.3f%% of "
			   "the I/Os were fast enough in the window that counts",
			   l->search.depth, percent_fast(l));
	return GATE_END;
}

static enum gate_says look(struct gate_part *p, uint64_t now)
{
	struct latency_gate *l = of(p);
	enum gate_says says;

	if (l->b->latency_phase == LATENCY_OVER) {
		p->look_at = UINT64_MAX;
		return GATE_OPEN;
	}
	if (l->ramping || l->draining || !l->ios) {
		p->look_at = now + l->window;
		return GATE_OPEN;
	}
	if (l->b->latency_phase == LATENCY_COUNTS)
		says = finish(l);
	else
		says = percent_fast(l) >= l->conf->percentile ? hold(l) : fail(l);
	begin_window(l, now);
	return says;
}

/* One I/O that was too slow, where all must be fast enough, decides before the window is over. */
static bool is_hopeless(const struct latency_gate *l)
{
	return l->conf->percentile >= 100 && l->fast < l->ios &&
	       l->b->latency_phase == LATENCY_SEARCHES;
}

static enum gate_says ask(struct gate_part *p, struct gate_ask *a)
{
	struct latency_gate *l = of(p);

	if (l->ramping)
		return GATE_OPEN;
	if (unlikely(is_hopeless(l))) {
		if (fail(l) == GATE_END)
			return GATE_END;
		begin_window(l, a->now);
	}
	if (unlikely(l->draining) && !a->in_flight) {
		l->draining = false;
		begin_window(l, a->now);
	}
	return l->draining || a->in_flight >= l->search.depth ? GATE_SHUT : GATE_OPEN;
}

static void done(struct gate_part *p, const struct gate_done *d)
{
	struct latency_gate *l = of(p);

	if (l->ramping || l->draining || d->err || d->io->op >= DIRS)
		return;
	if (d->now - d->lat < l->began)
		return;		/* in the queue of another depth */
	l->ios++;
	l->fast += d->lat <= l->target;
	l->worst = fl_max(l->worst, d->lat);
}

static void release(struct gate_part *p)
{
	struct latency_gate *l = of(p);

	if (l->b->latency_phase == LATENCY_SEARCHES && !l->conf->run)
		stats_note(l->b, "latency_target: the job ended before the depth was found: %u %s, "
			   "%u is the next to try; all that it did is reported",
			   l->search.good ? l->search.good : 1, l->search.good ? "held" :
			   "was too slow", l->search.depth);
	free(l);
}

static const struct gate_ops ops = {
	.begin = begin, .anew = anew, .ask = ask, .done = done, .look = look, .free = release,
};

struct gate_part *latency_gate_new(struct worker *w, int *err)
{
	const struct latency_conf *c = &w->job->latency;
	struct latency_gate *l;

	if (!c->target_ns)
		return NULL;
	l = calloc(1, sizeof(*l));
	if (!l) {
		*err = -ENOMEM;
		return NULL;
	}
	l->part = (struct gate_part){ .ops = &ops, .look_at = UINT64_MAX };
	l->conf = c;
	l->b = w->b;
	l->b->latency_phase = LATENCY_SEARCHES;
	l->ramping = pace_ramps(&w->job->pace);
	l->target = clock_ns_to_ticks(c->target_ns);
	l->window = clock_ns_to_ticks(c->window_ns);
	depth_search_begin(&l->search, w->slots);
	return &l->part;
}
