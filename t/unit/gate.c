/* SPDX-License-Identifier: MIT */
/* The gate: who is asked when, how its answers add up, and waiting for them. */
#include "core/gate.h"
#include "os/clock.h"
#include "t/test.h"

#include <stdlib.h>

#define MS	1000000ull

/* A part that says what it is told to, and counts how often it was asked. */
struct part {
	struct gate_part part;
	enum gate_says says;
	uint64_t until;
	_Atomic uint32_t *word;
	uint32_t dirs;			/* that it leaves open */
	uint64_t intended;
	int begun, anew, asked, started, done, looked, freed;
	uint64_t paused;
};

static struct part a, b;

static struct part *of(struct gate_part *p)
{
	return container_of(p, struct part, part);
}

static void on_begin(struct gate_part *p, uint64_t now)
{
	T_TRUE(now > 0);
	of(p)->begun++;
}

static void on_anew(struct gate_part *p, uint64_t now)
{
	T_TRUE(now > 0);
	of(p)->anew++;
}

static uint32_t on_steer(struct gate_part *p, uint32_t dirs, uint64_t now)
{
	T_TRUE(now > 0);
	return dirs & of(p)->dirs;
}

static enum gate_says on_ask(struct gate_part *p, struct gate_ask *ask)
{
	of(p)->asked++;
	if (of(p)->says != GATE_SHUT)
		return of(p)->says;
	if (ask->now >= of(p)->until)
		return GATE_OPEN;
	ask->until = fl_min(ask->until, of(p)->until);
	ask->word = of(p)->word;
	ask->seen = 0;
	return GATE_SHUT;
}

static void on_start(struct gate_part *p, const struct workload_io *io, uint64_t now,
		     uint64_t *intended)
{
	T_TRUE(io && now > 0);
	of(p)->started++;
	if (of(p)->intended)
		*intended = of(p)->intended;
}

static void on_done(struct gate_part *p, const struct gate_done *d)
{
	T_TRUE(d->io != NULL);
	of(p)->done++;
}

static enum gate_says on_look(struct gate_part *p, uint64_t now)
{
	of(p)->looked++;
	p->look_at = now + clock_ns_to_ticks(3600 * 1000 * MS);
	return of(p)->says == GATE_END ? GATE_END : GATE_OPEN;
}

static void on_pause(struct gate_part *p, uint64_t now, uint64_t ticks, bool busy)
{
	T_TRUE(now > 0 && busy);
	of(p)->paused += ticks;
}

static void on_free(struct gate_part *p)
{
	of(p)->freed++;
}

static const struct gate_ops all_ops = {
	.begin = on_begin, .anew = on_anew, .steer = on_steer, .ask = on_ask, .start = on_start,
	.done = on_done, .look = on_look, .pause = on_pause, .free = on_free,
};
/* What is NULL lets pass. */
static const struct gate_ops few_ops = { .free = on_free };

static struct gate *two_parts(void)
{
	struct gate *g = gate_new();

	T_EQ(clock_init(CLOCK_USE_AUTO), 0);
	a = b = (struct part){ .part = { .ops = &all_ops, .look_at = UINT64_MAX },
			       .dirs = GATE_DIRS_ALL };
	b.part.ops = &few_ops;
	T_TRUE(g != NULL);
	gate_add(g, &a.part);
	gate_add(g, &b.part);
	return g;
}

TEST(hooks_of_all_parts)
{
	struct gate *g = two_parts();
	struct workload_io io = { .op = FL_OP_WRITE, .len = 4096 };
	const struct gate_done done = { .io = &io, .now = 1 };
	struct gate_ask ask = { .io = &io };

	gate_begin(g, clock_ticks());
	T_EQ(a.begun, 1);
	T_EQ(gate_steer(g, GATE_DIRS_ALL), GATE_DIRS_ALL);
	a.dirs = 1u << DIR_WRITE;
	T_EQ(gate_steer(g, GATE_DIRS_ALL), 1u << DIR_WRITE);
	T_EQ(gate_ask(g, &ask), GATE_OPEN);
	T_EQ(a.asked, 1);
	T_EQ(gate_start(g, &ask), 0);
	a.intended = 77;
	T_EQ(gate_start(g, &ask), 77);
	T_EQ(a.started, 2);
	gate_done(g, &done);
	T_EQ(a.done, 1);
	gate_pause(g, 5, true);
	T_EQ(a.paused, 5);
	gate_anew(g, clock_ticks());
	T_EQ(a.anew, 1);
	gate_free(g);
	T_EQ(a.freed + b.freed, 2);
	gate_free(NULL);
}

/* Who is over leaves with the ramp. */
TEST(parts_leave)
{
	struct gate *g = two_parts();

	b.part.over = true;
	gate_anew(g, clock_ticks());
	T_EQ(g->nr, 1);
	T_EQ(b.freed, 1);
	T_TRUE(g->parts[0] == &a.part);
	a.part.over = true;
	gate_anew(g, clock_ticks());
	T_EQ(g->nr, 0);
	T_EQ(g->look_at, UINT64_MAX);
	gate_free(g);
	T_EQ(a.freed + b.freed, 2);
}

TEST(what_is_read_back_passes_freely)
{
	struct gate *g = two_parts();
	struct workload_io io = { .op = FL_OP_READ, .len = 4096, .verify = true, .back = true };
	struct gate_ask ask = { .io = &io };

	a.says = GATE_SHUT;
	a.until = UINT64_MAX;
	a.intended = 77;
	gate_begin(g, clock_ticks());
	T_EQ(gate_ask(g, &ask), GATE_OPEN);
	T_EQ(gate_start(g, &ask), 0);
	T_EQ(a.asked + a.started, 0);
	/* What a job only reads to check is its workload. */
	io.back = false;
	T_EQ(gate_ask(g, &ask), GATE_SHUT);
	T_EQ(a.asked, 1);
	gate_free(g);
}

/* The first that does not let pass decides, and a look may end the job. */
TEST(answers)
{
	struct gate *g = two_parts();
	struct workload_io io = { .op = FL_OP_READ, .len = 4096 };
	struct gate_ask ask = { .io = &io };

	b.part.ops = &all_ops;
	b.part.look_at = clock_ticks() + clock_ns_to_ticks(3600 * 1000 * MS);
	gate_begin(g, clock_ticks());
	a.says = GATE_SHUT;
	a.until = UINT64_MAX;
	T_EQ(gate_ask(g, &ask), GATE_SHUT);
	T_EQ(b.asked, 0);
	T_EQ(ask.until, b.part.look_at);	/* no wait goes beyond a look */
	a.says = GATE_OPEN;
	b.says = GATE_END;
	T_EQ(gate_ask(g, &ask), GATE_END);
	T_EQ(a.asked + b.asked, 3);
	b.part.look_at = 1;
	gate_anew(g, clock_ticks());
	T_EQ(g->look_at, 1);
	T_EQ(gate_ask(g, &ask), GATE_END);	/* by the look: nobody was asked */
	T_EQ(b.looked, 1);
	T_EQ(a.asked + b.asked, 3);
	gate_free(g);
}

TEST(waits_until_it_is_time)
{
	struct gate *g = two_parts();
	struct workload_io io = { .op = FL_OP_READ, .len = 4096 };
	struct gate_ask ask = { .io = &io };
	_Atomic uint32_t stop = 0;

	gate_begin(g, clock_ticks());
	a.says = GATE_SHUT;
	for (int i = 0; i < 20; i++) {
		a.until = clock_ticks() + clock_ns_to_ticks(2 * MS);
		T_EQ(gate_wait(g, &ask, UINT64_MAX, &stop), GATE_OPEN);
		T_TRUE(ask.now >= a.until);
	}
	T_TRUE(a.asked <= 3 * 20);		/* it slept, and did not ask all the time */
	gate_free(g);
}

TEST(waits_no_longer_than_the_job_lasts)
{
	struct gate *g = two_parts();
	struct workload_io io = { .op = FL_OP_READ, .len = 4096 };
	struct gate_ask ask = { .io = &io };
	_Atomic uint32_t stop = 0, word = 1;
	uint64_t end = clock_ticks() + clock_ns_to_ticks(5 * MS);

	gate_begin(g, clock_ticks());
	a.says = GATE_SHUT;
	a.until = UINT64_MAX;
	T_EQ(gate_wait(g, &ask, end, &stop), GATE_SHUT);
	T_TRUE(ask.now >= end);
	stop = 1;
	T_EQ(gate_wait(g, &ask, UINT64_MAX, &stop), GATE_SHUT);
	/* A word that is another by now is a reason to ask again, not to wait. */
	stop = 0;
	T_EQ(gate_ask(g, &ask), GATE_SHUT);
	ask.word = &word;
	gate_sleep(g, &ask, UINT64_MAX, &stop);
	gate_free(g);
}

TEST(margin_is_learnt)
{
	struct gate *g = two_parts();
	const struct gate_ask ask = { .until = clock_ns_to_ticks(MS) };
	uint64_t first = g->margin_ns;

	gate_woke(g, 1000, 1000 + 80000);
	T_EQ(g->margin_ns, 80000);
	gate_woke(g, 1000, 1000 + 50 * MS);	/* somebody else had the CPU */
	T_EQ(g->margin_ns, 100000);
	for (int i = 0; i < 100; i++)
		gate_woke(g, 1000, 1000 + 5000);
	T_TRUE(g->margin_ns < 6000 && g->margin_ns >= 5000 && g->margin_ns < first);
	for (int i = 0; i < 100; i++)
		gate_woke(g, 1000, 0);
	T_TRUE(g->margin_ns >= 3000);
	T_NEAR((double)gate_patience(g, &ask, 0), (double)(MS - g->margin_ns), 2.0);
	T_EQ(gate_patience(g, &ask, ask.until), 0);
	gate_free(g);
}
