/* SPDX-License-Identifier: MIT */
/* Rates: their options, which I/O is due when, pauses; ramps by bytes; the least to be reached. */
#include "core/gate_minimum.h"
#include "core/gate_ramp.h"
#include "core/gate_rate.h"
#include "os/clock.h"
#include "t/test.h"

#define MS	1000000ull

static struct rate_conf rate;
static struct minimum_conf least;
static struct workload_conf workload = { .rw.bits = RW_READ | RW_WRITE };
static struct worker_block *block;
static char why[512];

static int set(const char *name, const char *value)
{
	const struct opt_units units = { .kb_base = 1024 };
	int i = opt_find(&rate_options, name);
	struct fl_opt row;

	if (i >= 0) {
		opt_row(&rate_options, (size_t)i, &row);
		return opt_set(&row, &rate, value, &units, why, sizeof(why));
	}
	i = opt_find(&minimum_options, name);
	T_TRUE(i >= 0);
	opt_row(&minimum_options, (size_t)i, &row);
	return opt_set(&row, &least, value, &units, why, sizeof(why));
}

/* "name=value name=value"; returns what the checks say. */
static int check(const char *text)
{
	char *words = strdup(text), *rest = words, *word;
	int ret;

	opt_defaults(&rate_options, &rate, sizeof(rate));
	opt_defaults(&minimum_options, &least, sizeof(least));
	while ((word = strsep(&rest, " "))) {
		char *value = strchr(word, '=');

		if (value)
			*value++ = '\0';
		if (*word)
			T_EQ(set(word, value), 0);
	}
	free(words);
	ret = rate_check(&rate, why, sizeof(why));
	return ret < 0 ? ret : minimum_check(&least, &rate, why, sizeof(why)) ? -EINVAL : ret;
}

TEST(what_goes_together)
{
	T_EQ(check(""), 0);
	T_EQ(rate_dirs(&rate), 0);
	T_EQ(check("rate=1m"), 0);
	T_EQ(rate.bytes.v[DIR_TRIM], 1 << 20);
	T_EQ(rate_dirs(&rate), GATE_DIRS_ALL);
	T_EQ(check("rate=500k,"), 0);
	T_EQ(rate_dirs(&rate), 1u << DIR_READ);
	T_EQ(check("rate=,500k"), 0);
	T_EQ(rate.bytes.v[DIR_WRITE], 500 << 10);
	T_TRUE(!(rate_dirs(&rate) & 1u << DIR_READ));
	T_EQ(check("rate=1m rate_iops=7"), -EINVAL);
	T_TRUE(strstr(why, "rate_iops") != NULL);
	T_EQ(check("rate_process=poisson"), 1);
	T_EQ(check("rate_ignore_thinktime=1"), 1);
	T_EQ(check("rate_process=poisson rate_iops=7"), 0);
	T_EQ(check("rate_iops=7 rate_iops_min=8"), -EINVAL);
	T_EQ(check("rate=7k rate_min=8k"), -EINVAL);
	T_EQ(check("rate=7k,9k rate_min=7k,8k"), 0);
	T_EQ(check("rate_iops_min=8"), 0);
	T_EQ(least.cycle_ms, 1000);
}

/* A gate with the rates of text, begun at 1000000 ticks. */
static struct gate *gate_of(const char *text)
{
	const struct rate_setup s = { .conf = &rate, .workload = &workload, .seed = 1 };
	struct gate *g = gate_new();

	T_EQ(clock_init(CLOCK_USE_AUTO), 0);
	T_TRUE(check(text) >= 0);
	for (int d = 0; d < DIRS; d++)
		workload.sizes.bs.v[d] = 4096;
	T_EQ(workload_block_range(&workload, DIR_READ).lo, 4096);
	T_TRUE(g != NULL);
	gate_add(g, gate_rate_new(&s));
	return g;
}

static uint64_t ns_from(uint64_t begun, uint64_t ticks)
{
	return clock_ns(ticks - begun);
}

/* Asks at once, and starts what is due. Returns when it was intended, ns; or when it will be. */
static uint64_t ask(struct gate *g, uint64_t begun, uint32_t op, enum gate_says *says)
{
	struct workload_io io = { .op = op, .len = 4096 };
	struct gate_ask a = { .io = &io };

	*says = gate_ask(g, &a);
	return ns_from(begun, *says == GATE_OPEN ? gate_start(g, &a) : a.until);
}

TEST(linear)
{
	struct gate *g = gate_of("rate_iops=10,20");
	uint64_t now = clock_ticks(), begun = now - clock_ns_to_ticks(250 * MS);
	enum gate_says says;

	gate_begin(g, begun);
	/* Due by now: reads at 0, 100, 200 ms, writes at 0, 50, ... 250 ms. */
	for (int i = 0; i < 3; i++) {
		T_NEAR((double)ask(g, begun, FL_OP_READ, &says), i * 100e6, 2.0);
		T_EQ(says, GATE_OPEN);
	}
	T_NEAR((double)ask(g, begun, FL_OP_READ, &says), 300e6, 2.0);
	T_EQ(says, GATE_SHUT);
	T_EQ(gate_steer(g, RW_READ | RW_WRITE), RW_WRITE);
	for (int i = 0; i < 6; i++) {
		T_NEAR((double)ask(g, begun, FL_OP_WRITE, &says), i * 50e6, 2.0);
		T_EQ(says, GATE_OPEN);
	}
	/* Who has no rate, and what is no read, write or trim, starts when it likes. */
	T_EQ(ask(g, 0, FL_OP_SYNC, &says), 0);
	T_EQ(says, GATE_OPEN);
	gate_free(g);
}

TEST(the_earliest_comes_next)
{
	struct gate *g = gate_of("rate_iops=10,4");
	uint64_t begun = clock_ticks();
	enum gate_says says;

	gate_begin(g, begun);
	T_EQ(gate_steer(g, RW_READ | RW_WRITE), RW_READ | RW_WRITE);
	ask(g, begun, FL_OP_READ, &says);
	T_EQ(says, GATE_OPEN);
	T_EQ(gate_steer(g, RW_READ | RW_WRITE), RW_WRITE);
	ask(g, begun, FL_OP_WRITE, &says);
	T_EQ(says, GATE_OPEN);
	T_EQ(gate_steer(g, RW_READ | RW_WRITE), RW_READ);	/* at 100, not at 250 ms */
	gate_free(g);
	g = gate_of("rate_iops=,4");
	gate_begin(g, clock_ticks());
	T_EQ(ask(g, 0, FL_OP_READ, &says), 0);
	T_EQ(says, GATE_OPEN);
	ask(g, begun, FL_OP_WRITE, &says);
	T_EQ(gate_steer(g, RW_READ | RW_WRITE), RW_READ);
	gate_free(g);
}

/* 100 ms of a pause: the schedule goes on, or it stands still and nothing is due twice. */
TEST(pauses)
{
	const uint64_t pause = clock_ns_to_ticks(100 * MS);
	struct gate *g = gate_of("rate_iops=1000");
	uint64_t begun = clock_ticks() - clock_ns_to_ticks(100 * MS);
	enum gate_says says;
	uint64_t first;

	gate_begin(g, begun);
	gate_pause(g, clock_ns_to_ticks(100 * MS), false);
	T_NEAR((double)ask(g, begun, FL_OP_READ, &says), 0, 2.0);
	gate_pause(g, clock_ns_to_ticks(100 * MS), true);
	first = ask(g, begun, FL_OP_READ, &says);
	T_EQ(says, GATE_OPEN);
	T_TRUE(first >= 100 * MS);
	gate_free(g);
	g = gate_of("rate_iops=1000 rate_ignore_thinktime=1");
	begun = clock_ticks() - clock_ns_to_ticks(150 * MS);
	gate_begin(g, begun);
	/* 50 ms behind before it: that is caught up with. */
	gate_pause(g, clock_ns_to_ticks(100 * MS), false);
	T_NEAR((double)ask(g, begun, FL_OP_READ, &says), 100e6, 10.0);
	T_TRUE(pause <= clock_ns_to_ticks(100 * MS));
	gate_free(g);
}

TEST(poisson_begins_with_a_gap)
{
	struct gate *g = gate_of("rate_iops=1000 rate_process=poisson");
	uint64_t begun = clock_ticks() - clock_ns_to_ticks(1000 * MS), at, before = 0;
	enum gate_says says = GATE_OPEN;
	int n = 0;

	gate_begin(g, begun);
	for (; says == GATE_OPEN; n++, before = at) {
		at = ask(g, begun, FL_OP_READ, &says);
		T_TRUE(at > before);
	}
	T_TRUE(n > 800 && n < 1200);
	gate_free(g);
}

/* ---- ramp_size ------------------------------------------------------------------------------- */

static _Atomic uint64_t ramp_sum;	/* of the group */
static uint64_t ramp_deadline;

static struct gate *gate_of_ramp(const struct pace_conf *c)
{
	struct gate *g = gate_new();

	T_EQ(clock_init(CLOCK_USE_AUTO), 0);
	ramp_sum = 0;
	ramp_deadline = UINT64_MAX;
	gate_add(g, gate_ramp_new(c, &ramp_sum, &ramp_deadline));
	gate_begin(g, 4000);
	return g;
}

TEST(a_ramp_of_bytes)
{
	const struct pace_conf c = { .ramp_bytes = 8192 };
	const struct workload_io io = { .op = FL_OP_WRITE, .len = 4096 }, sync = { .op = FL_OP_SYNC };
	struct gate_done done = { .io = &sync, .now = 5000 };
	struct gate *g = gate_of_ramp(&c);

	gate_done(g, &done);
	done.io = &io;
	done.err = -EIO;
	gate_done(g, &done);		/* neither has moved anything */
	done.err = 0;
	gate_done(g, &done);
	T_EQ(ramp_sum, 4096);
	T_EQ(gate_look(g, 5500), GATE_OPEN);
	T_EQ(ramp_deadline, UINT64_MAX);
	T_TRUE(!gate_ramp_reached(&c, &ramp_sum));
	ramp_sum += 4096;		/* by another job of the group */
	T_EQ(gate_look(g, g->look_at), GATE_OPEN);
	T_TRUE(ramp_deadline != UINT64_MAX && gate_ramp_reached(&c, &ramp_sum));
	gate_anew(g, 6000);
	T_EQ(g->nr, 0);
	gate_free(g);
}

/* With ramp_time, too, what comes last counts. */
TEST(a_ramp_of_both)
{
	const struct pace_conf c = { .ramp_bytes = 4096, .ramp_ns = 1000 * MS };
	const struct workload_io io = { .op = FL_OP_READ, .len = 4096 };
	const struct gate_done done = { .io = &io, .now = 5000 };
	struct gate *g = gate_of_ramp(&c);

	gate_done(g, &done);
	T_EQ(ramp_deadline, 4000 + clock_ns_to_ticks(1000 * MS));
	gate_free(g);
}

/* ---- rate_min, rate_iops_min ----------------------------------------------------------------- */

static struct gate *gate_of_least(const char *text, bool ramp)
{
	struct gate *g = gate_new();

	T_EQ(clock_init(CLOCK_USE_AUTO), 0);
	T_TRUE(check(text) >= 0);
	free(block);
	block = calloc(1, sizeof(*block));
	T_TRUE(g && block);
	stats_init(block);
	gate_add(g, gate_minimum_new(&least, block, RW_READ, ramp));
	return g;
}

static enum gate_says look(struct gate *g, uint64_t begun, uint64_t ms, uint64_t reads)
{
	block->dir[DIR_READ].done_ios = reads;
	block->dir[DIR_READ].bytes = reads * 4096;
	return gate_look(g, begun + clock_ns_to_ticks(ms * MS));
}

TEST(below_the_least)
{
	struct gate *g = gate_of_least("rate_iops_min=100 rate_cycle=500", false);

	gate_begin(g, 1000);
	T_EQ(look(g, 1000, 1999, 0), GATE_OPEN);	/* two seconds to get going */
	T_EQ(look(g, 1000, 2001, 0), GATE_OPEN);
	T_EQ(look(g, 1000, 2400, 0), GATE_OPEN);	/* the cycle is not over */
	T_EQ(look(g, 1000, 2502, 49), GATE_END);
	T_EQ(block->error, EIO);
	T_TRUE(strstr(block->error_text, "rate_iops_min=100 not met: got ") != NULL);
	gate_free(g);
	g = gate_of_least("rate_min=400k", false);
	gate_begin(g, 1000);
	T_EQ(look(g, 1000, 2000, 7), GATE_OPEN);
	T_EQ(look(g, 1000, 3000, 7 + 100), GATE_OPEN);
	T_EQ(look(g, 1000, 4000, 7 + 100 + 100), GATE_OPEN);
	T_EQ(look(g, 1000, 5000, 7 + 100 + 100 + 99), GATE_END);
	T_TRUE(strstr(block->error_text, "rate_min=409600 not met: got 405504 bytes/s") != NULL);
	gate_free(g);
}

TEST(only_what_counts)
{
	struct gate *g = gate_of_least("rate_iops_min=100", true);

	/* Nothing is looked at in a ramp. */
	gate_begin(g, 1000);
	T_EQ(g->look_at, UINT64_MAX);
	gate_anew(g, 1000);
	T_EQ(look(g, 1000, 2000, 0), GATE_OPEN);
	/* Nor while the job reads back what it has written: it gets going once more. */
	gate_rest(g);
	T_EQ(g->look_at, UINT64_MAX);
	gate_pause(g, 5, true);
	T_TRUE(g->look_at == g->parts[0]->look_at && g->look_at != UINT64_MAX);
	gate_free(g);
}
