/* SPDX-License-Identifier: MIT */
/* Asking all parts, and waiting precisely. */
#include "core/gate.h"
#include "os/clock.h"
#include "os/cpu.h"
#include "os/futex.h"

#include <stdlib.h>

#define NAP_NS		100000000ull	/* longest sleep without a look at the stop flag */
#define WORD_NAP_NS	10000000ull	/* ... where it is not what is slept on */
/*
 * A sleep ends late by what the kernel takes to wake a thread up. How much that is depends on the
 * machine and on how deep its CPUs sleep, so it is learnt: from more at once, from less slowly. Who
 * is woken later than MARGIN_MAX is on a machine with other things to do, and no spinning helps.
 */
#define MARGIN_FIRST	50000ull
#define MARGIN_LEAST	3000ull
#define MARGIN_MAX	100000ull

struct gate *gate_new(void)
{
	struct gate *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->look_at = UINT64_MAX;
	g->margin_ns = MARGIN_FIRST;
	return g;
}

void gate_free(struct gate *g)
{
	for (uint32_t i = 0; g && i < g->nr; i++)
		g->parts[i]->ops->free(g->parts[i]);
	free(g);
}

void gate_add(struct gate *g, struct gate_part *p)
{
	fl_assert(g->nr < GATE_PARTS);
	g->parts[g->nr++] = p;
}

/* ---- The hooks of all parts ------------------------------------------------------------------ */

static void find_look(struct gate *g)
{
	g->look_at = UINT64_MAX;
	for (uint32_t i = 0; i < g->nr && !g->resting; i++)
		if (g->parts[i]->ops->look)
			g->look_at = fl_min(g->look_at, g->parts[i]->look_at);
}

void gate_begin(struct gate *g, uint64_t now)
{
	clock_sharp_sleeps();
	for (uint32_t i = 0; i < g->nr; i++)
		if (g->parts[i]->ops->begin)
			g->parts[i]->ops->begin(g->parts[i], now);
	find_look(g);
}

void gate_anew(struct gate *g, uint64_t now)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < g->nr; i++) {
		struct gate_part *p = g->parts[i];

		if (p->ops->anew)
			p->ops->anew(p, now);
		if (p->over)
			p->ops->free(p);
		else
			g->parts[kept++] = p;
	}
	g->nr = kept;
	find_look(g);
}

void gate_pause(struct gate *g, uint64_t ticks, bool busy)
{
	uint64_t now = clock_ticks();

	for (uint32_t i = 0; i < g->nr; i++)
		if (g->parts[i]->ops->pause)
			g->parts[i]->ops->pause(g->parts[i], now, ticks, busy);
	g->resting = false;
	find_look(g);
}

void gate_rest(struct gate *g)
{
	g->resting = true;
	find_look(g);
}

enum gate_says gate_look(struct gate *g, uint64_t now)
{
	enum gate_says says = GATE_OPEN;

	for (uint32_t i = 0; i < g->nr && says == GATE_OPEN; i++) {
		struct gate_part *p = g->parts[i];

		if (p->ops->look && now >= p->look_at)
			says = p->ops->look(p, now);
	}
	find_look(g);
	return says;
}

uint32_t gate_steer(struct gate *g, uint32_t dirs)
{
	uint64_t now = clock_ticks();

	for (uint32_t i = 0; i < g->nr; i++)
		if (g->parts[i]->ops->steer)
			dirs = g->parts[i]->ops->steer(g->parts[i], dirs, now);
	return dirs;
}

static bool concerns(const struct gate_part *p, const struct workload_io *io)
{
	return !io->back || p->ops->reads_back;
}

enum gate_says gate_ask(struct gate *g, struct gate_ask *a)
{
	enum gate_says says = GATE_OPEN;

	a->now = clock_ticks();
	a->until = UINT64_MAX;
	a->word = NULL;
	if (unlikely(a->now >= g->look_at))
		says = gate_look(g, a->now);
	for (uint32_t i = 0; i < g->nr && says == GATE_OPEN; i++)
		if (g->parts[i]->ops->ask && concerns(g->parts[i], a->io))
			says = g->parts[i]->ops->ask(g->parts[i], a);
	if (says == GATE_SHUT)
		a->until = fl_min(a->until, g->look_at);
	return says;
}

uint64_t gate_start(struct gate *g, const struct gate_ask *a)
{
	uint64_t intended = 0;

	for (uint32_t i = 0; i < g->nr; i++)
		if (g->parts[i]->ops->start && concerns(g->parts[i], a->io))
			g->parts[i]->ops->start(g->parts[i], a->io, a->now, &intended);
	return intended;
}

void gate_done(struct gate *g, const struct gate_done *d)
{
	for (uint32_t i = 0; i < g->nr; i++)
		if (g->parts[i]->ops->done)
			g->parts[i]->ops->done(g->parts[i], d);
}

/* ---- Waiting --------------------------------------------------------------------------------- */

void gate_woke(struct gate *g, uint64_t asked, uint64_t took)
{
	uint64_t late = took > asked ? took - asked : 0;

	if (late > g->margin_ns)
		g->margin_ns = fl_min(late, MARGIN_MAX);
	else
		g->margin_ns -= (g->margin_ns - fl_max(late, MARGIN_LEAST)) / 8;
	g->margin_ns = fl_max(g->margin_ns, MARGIN_LEAST);
}

uint64_t gate_patience(const struct gate *g, const struct gate_ask *a, uint64_t now)
{
	uint64_t left = a->until > now ? clock_ns(a->until - now) : 0;

	return left > g->margin_ns ? fl_min(left - g->margin_ns, NAP_NS) : 0;
}

/* One sleep. Returns whether the word has changed that is waited for. */
static bool nap(struct gate *g, const struct gate_ask *a, uint64_t ns, _Atomic uint32_t *stop)
{
	uint64_t before = clock_ticks(), took;

	if (a->word) {
		futex_wait(a->word, a->seen, fl_min(ns, WORD_NAP_NS));
		return atomic_load(a->word) != a->seen;
	}
	futex_wait(stop, 0, ns);
	took = clock_ns(clock_ticks() - before);
	if (took >= ns)		/* else something has woken us */
		gate_woke(g, ns, took);
	return false;
}

void gate_sleep(struct gate *g, const struct gate_ask *a, uint64_t end, _Atomic uint32_t *stop)
{
	struct gate_ask wait = *a;
	uint64_t now = clock_ticks();

	wait.until = fl_min(a->until, end);
	while (now < wait.until && !atomic_load_explicit(stop, memory_order_relaxed)) {
		uint64_t ns = gate_patience(g, &wait, now);

		if (!ns)
			cpu_relax();
		else if (nap(g, &wait, ns, stop))
			return;
		now = clock_ticks();
	}
}

enum gate_says gate_wait(struct gate *g, struct gate_ask *a, uint64_t end, _Atomic uint32_t *stop)
{
	enum gate_says says = gate_ask(g, a);

	while (says == GATE_SHUT && a->now < end &&
	       !atomic_load_explicit(stop, memory_order_relaxed)) {
		gate_sleep(g, a, end, stop);
		says = gate_ask(g, a);
	}
	return says;
}
