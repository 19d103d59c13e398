/* SPDX-License-Identifier: MIT */
/* Asking whether one is ahead, and waking those who wait. */
#include "core/flow_gate.h"
#include "os/futex.h"

#include <stdlib.h>

#define ASK_NS		1000000ull	/* whoever waits asks again after so long, woken or not */
#define WAKE_IOS	16		/* who waits is woken after so many I/Os of another */

struct flow_gate {
	struct gate_part part;
	struct flow_member *member;
	uint64_t sleep_ticks;		/* flow_sleep; 0: until woken */
	uint32_t untold;		/* I/Os since those who wait were woken */
};

static struct flow_gate *of(struct gate_part *p)
{
	return container_of(p, struct flow_gate, part);
}

static bool may(const struct flow_member *m)
{
	return atomic_load(&m->in) && flow_may(m);
}

/*
 * Who waits says so before he looks for the last time, and who counts an I/O counts before he looks
 * whether somebody waits: one of them sees the other.
 */
static enum gate_says ask(struct gate_part *p, struct gate_ask *a)
{
	struct flow_gate *f = of(p);
	struct flow_group *g = f->member->group;
	uint32_t seen;

	if (may(f->member))
		return GATE_OPEN;
	if (f->untold)
		flow_wake(g);
	f->untold = 0;
	seen = atomic_load(&g->turn);
	atomic_store(&g->waiting, 1);
	if (may(f->member))
		return GATE_OPEN;
	if (f->sleep_ticks && atomic_load(&f->member->in)) {
		a->until = fl_min(a->until, a->now + f->sleep_ticks);
		return GATE_SHUT;
	}
	a->until = fl_min(a->until, a->now + clock_ns_to_ticks(ASK_NS));
	a->word = &g->turn;
	a->seen = seen;
	return GATE_SHUT;
}

static void start(struct gate_part *p, const struct workload_io *io, uint64_t now,
		  uint64_t *intended)
{
	struct flow_gate *f = of(p);

	(void)io;
	(void)now;
	(void)intended;
	flow_count(f->member);
	if (++f->untold < WAKE_IOS)
		return;
	f->untold = 0;
	flow_wake(f->member->group);
}

static void release(struct gate_part *p)
{
	free(of(p));
}

static const struct gate_ops ops = { .ask = ask, .start = start, .free = release };

struct gate_part *flow_gate_new(struct worker *w, int *err)
{
	struct flow_gate *f;

	if (!w->setup->flow)
		return NULL;
	f = calloc(1, sizeof(*f));
	if (!f) {
		*err = -ENOMEM;
		return NULL;
	}
	f->part = (struct gate_part){ .ops = &ops, .look_at = UINT64_MAX };
	f->member = w->setup->flow;
	f->sleep_ticks = clock_ns_to_ticks(w->job->flow.sleep_ns);
	return &f->part;
}

void flow_gate_rest(const struct worker *w, bool rest)
{
	struct run_control *c = w->setup->control;

	if (!w->setup->flow)
		return;
	atomic_store(&w->setup->flow->resting, rest);
	atomic_fetch_add(&c->events, 1);
	futex_wake(&c->events);
}
