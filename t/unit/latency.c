/* SPDX-License-Identifier: MIT */
/* latency_target: the search on made-up devices, in made-up time. */
#include "core/latency_gate.h"
#include "os/clock.h"
#include "t/test.h"

#include <stdlib.h>

#define US	1000ull
#define DEPTH	64

/* One I/O after the other, each for so long: with n in flight each takes n times that. */
static struct device {
	uint64_t now;			/* ns */
	uint64_t service_ns;
	uint64_t slow_one_in;		/* takes ten times as long; 0: none */
	uint64_t ios;
	uint64_t started[DEPTH];	/* when; the oldest first */
	uint32_t in_flight, most;
} dev;

static struct job job;
static struct worker_block block;
static struct worker worker;
static struct gate_part *part;
static struct workload_io io = { .op = FL_OP_READ, .len = 4096 };

static uint64_t ticks(uint64_t ns)
{
	return clock_ns_to_ticks(ns + 1000000000);
}

static void begin(const struct latency_conf *c, uint32_t depth, uint64_t service_ns)
{
	int err = 0;

	T_EQ(clock_init(CLOCK_USE_AUTO), 0);
	job = (struct job){ .latency = *c };
	memset(&block, 0, sizeof(block));
	worker = (struct worker){ .job = &job, .b = &block, .slots = depth };
	dev = (struct device){ .service_ns = service_ns };
	part = latency_gate_new(&worker, &err);
	T_TRUE(part != NULL);
	part->ops->begin(part, ticks(0));
}

static void complete(void)
{
	uint64_t took = dev.service_ns;

	dev.ios++;
	if (dev.slow_one_in && dev.ios % dev.slow_one_in == 0)
		took *= 10;
	dev.now += took;
	part->ops->done(part, &(struct gate_done){
		.io = &io, .now = ticks(dev.now),
		.lat = clock_ns_to_ticks(dev.now - dev.started[0]),
	});
	dev.in_flight--;
	memmove(dev.started, dev.started + 1, dev.in_flight * sizeof(dev.started[0]));
}

/* Runs until the part ends the loop, or the time is up. */
static enum gate_says run_until(uint64_t end_ns)
{
	while (dev.now < end_ns) {
		struct gate_ask ask = { .io = &io };
		enum gate_says says = GATE_OPEN;

		if (ticks(dev.now) >= part->look_at)
			says = part->ops->look(part, ticks(dev.now));
		while (says == GATE_OPEN && dev.in_flight < DEPTH) {
			ask.now = ticks(dev.now);
			ask.in_flight = dev.in_flight;
			says = part->ops->ask(part, &ask);
			if (says == GATE_OPEN)
				dev.started[dev.in_flight++] = dev.now;
		}
		dev.most = fl_max(dev.most, dev.in_flight);
		if (says == GATE_END)
			return says;
		complete();
	}
	return GATE_SHUT;
}

/* The search, then as the life of a worker goes on: the window that counts. */
static uint32_t find(void)
{
	T_EQ(run_until(60000000 * US), GATE_END);
	T_EQ(block.fatal, 0);
	T_EQ(block.latency_phase, LATENCY_FOUND);
	while (dev.in_flight)
		complete();
	block.latency_phase = LATENCY_COUNTS;
	dev.ios = 0;
	T_EQ(run_until(120000000 * US), GATE_END);
	T_EQ(block.latency_phase, LATENCY_OVER);
	return block.latency_depth;
}

static struct latency_conf conf = {
	.target_ns = 1000 * US, .window_ns = 100000 * US, .percentile = 100,
};

TEST(the_depth_is_found)
{
	for (uint32_t right = 1; right <= 40; right++) {
		begin(&conf, DEPTH, 1000 * US / right);
		T_EQ(find(), right);
		T_EQ(block.nr_notes, 0);
		T_TRUE(dev.most <= 2 * right);
		T_NEAR(dev.ios, 100000 * US / (1000 * US / right), right + 1);	/* one window */
		part->ops->free(part);
	}
}

TEST(iodepth_is_the_limit)
{
	begin(&conf, 5, 10 * US);
	T_EQ(find(), 5);
	T_EQ(dev.most, 5);
	part->ops->free(part);
	begin(&conf, 1, 10 * US);
	T_EQ(find(), 1);
	part->ops->free(part);
}

/* One in 50 is slow: nothing holds for all I/Os, but some depth does for 80% of them. */
TEST(a_percentage)
{
	struct latency_conf c = conf;

	c.percentile = 80;
	begin(&c, DEPTH, 100 * US);
	dev.slow_one_in = 50;
	T_TRUE(find() >= 6);
	part->ops->free(part);
	c.percentile = 100;
	begin(&c, DEPTH, 150 * US);
	dev.slow_one_in = 50;
	T_EQ(run_until(60000000 * US), GATE_END);
	T_TRUE(block.fatal);
	T_EQ(block.error, ETIMEDOUT);
	T_TRUE(strstr(block.error_text, "latency_target"));
	part->ops->free(part);
}

TEST(too_slow_at_depth_1)
{
	struct latency_conf c = conf;

	begin(&c, DEPTH, 1100 * US);
	T_EQ(run_until(60000000 * US), GATE_END);
	T_EQ(block.error, ETIMEDOUT);
	T_TRUE(dev.now < 100000 * US);		/* before the window is over */
	part->ops->free(part);
	c.percentile = 99;
	begin(&c, DEPTH, 1100 * US);
	T_EQ(run_until(2000000 * US), GATE_SHUT);	/* it goes on */
	T_EQ(block.fatal, 0);
	T_EQ(block.latency_depth, 1);
	part->ops->free(part);
	T_EQ(block.nr_notes, 1);
	T_TRUE(strstr(block.notes[0], "1 was too slow"));
}

TEST(following_changes)
{
	struct latency_conf c = conf;

	c.run = 1;
	begin(&c, DEPTH, 50 * US);
	T_EQ(run_until(5000000 * US), GATE_SHUT);
	T_NEAR(block.latency_depth, 20, 1);
	dev.service_ns = 250 * US;
	T_EQ(run_until(10000000 * US), GATE_SHUT);
	T_NEAR(block.latency_depth, 4, 1);
	dev.service_ns = 100 * US;
	T_EQ(run_until(20000000 * US), GATE_SHUT);
	T_NEAR(block.latency_depth, 10, 1);
	part->ops->free(part);
	T_EQ(block.nr_notes, 0);
}

/* A window without a completion is no verdict. */
TEST(slower_than_a_window)
{
	struct latency_conf c = conf;

	c.target_ns = 1000000 * US;
	begin(&c, DEPTH, 250000 * US);
	T_EQ(find(), 4);
	part->ops->free(part);
}

TEST(the_search_begins_after_the_ramp)
{
	begin(&conf, 32, 100 * US);
	part->ops->free(part);
	job.pace.ramp_ns = 1;
	part = latency_gate_new(&worker, &(int){ 0 });
	part->ops->begin(part, ticks(0));
	T_EQ(run_until(1000000 * US), GATE_SHUT);
	T_EQ(block.latency_phase, LATENCY_SEARCHES);
	dev.most = 0;
	part->ops->anew(part, ticks(dev.now));
	T_EQ(find(), 10);
	part->ops->free(part);
}

TEST(options)
{
	struct latency_conf c;
	char why[256];

	opt_defaults(&latency_options, &c, sizeof(c));
	T_NEAR(c.percentile, 100, 0);
	T_EQ(latency_check(&c, why, sizeof(why)), 0);
	T_TRUE(!latency_searches(&c));
	c.target_ns = 5;
	T_EQ(latency_check(&c, why, sizeof(why)), -EINVAL);
	T_TRUE(strstr(why, "latency_window"));
	c.window_ns = 5;
	T_EQ(latency_check(&c, why, sizeof(why)), 0);
	T_TRUE(latency_searches(&c));
	c.target_ns = 0;
	T_EQ(latency_check(&c, why, sizeof(why)), 1);
	T_TRUE(strstr(why, "latency_window has no effect"));
}
