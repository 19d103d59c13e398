/* SPDX-License-Identifier: MIT */
/* The clock: it keeps time, it converts without loss, it is quick to start, and it is ordered. */
#define _GNU_SOURCE 1
#include "t/test.h"

#include <pthread.h>

#include "os/clock.h"

static void started(enum clock_source source)
{
	int err = clock_init(source);

	if (err == -ENOTSUP)
		SKIP(clock_facts()->why);
	T_EQ(err, 0);
}

TEST(auto_gives_a_clock_with_facts)
{
	const struct clock_facts *f = clock_facts();

	started(CLOCK_USE_AUTO);
	T_TRUE(f->name != NULL);
	T_TRUE(f->ghz > 0);
	T_TRUE(f->cost_ns > 0 && f->cost_ns < 10000);
	T_TRUE(f->step_ns > 0);
	T_TRUE(f->error_ppm >= 0 && f->error_ppm <= 1000);
	printf("# %s, %.6f ticks/ns, read %.1f ns, step %.2f ns, halves differ by %.2f ppm\n",
	       f->name, f->ghz, f->cost_ns, f->step_ns, f->error_ppm);
}

TEST(start_takes_milliseconds)
{
	uint64_t best = UINT64_MAX;
	int i;

	for (i = 0; i < 5; i++) {
		uint64_t begin = clock_gettime_ns(), took;

		clock_init(CLOCK_USE_AUTO);
		took = clock_gettime_ns() - begin;
		best = fl_min(best, took);
	}
	T_TRUE(best < 6000000);
}

TEST(gettime_can_be_asked_for)
{
	started(CLOCK_USE_GETTIME);
	T_STR(clock_facts()->name, "clock_gettime");
	T_TRUE(clock_facts()->why != NULL);
	T_EQ(clock_ns(1234567), 1234567);
	T_EQ(clock_ns_to_ticks(1234567), 1234567);
	T_NEAR(clock_recalibrate(), 0, 0);
}

/* 100 ms by both clocks, at 200 ppm: generous, a busy machine can part the two reads. */
TEST(keeps_time)
{
	uint64_t fast, kernel;

	if (t_emulated())
		SKIP("the counter of valgrind's processor is another one");
	started(CLOCK_USE_COUNTER);
	kernel = clock_gettime_ns();
	fast = clock_now_ns();
	clock_sleep_ns(100000000);
	fast = clock_now_ns() - fast;
	kernel = clock_gettime_ns() - kernel;
	T_NEAR(fast, kernel, 0.0002 * (double)kernel);
	T_NEAR(clock_recalibrate(), 0, 200);
	printf("# off by %.2f ppm over 100 ms\n", clock_facts()->error_ppm);
}

TEST(converts_without_loss)
{
	uint64_t year = 365ull * 86400 * 1000000000;

	started(CLOCK_USE_AUTO);
	T_EQ(clock_ns(0), 0);
	T_NEAR(clock_ns(clock_ns_to_ticks(1000)), 1000, 1);
	T_NEAR(clock_ns(clock_ns_to_ticks(1000000000)), 1000000000, 2);
	T_NEAR(clock_ns(clock_ns_to_ticks(year)), year, (double)year * 1e-9);
	T_TRUE(clock_now_ns() < 1000000000);
}

TEST(never_goes_back)
{
	uint64_t last = 0;
	int i;

	started(CLOCK_USE_AUTO);
	for (i = 0; i < 200000; i++) {
		uint64_t now = clock_now_ns();

		T_TRUE(now >= last);
		last = now;
	}
}

static _Atomic uint64_t baton;

/* Two threads pass a time stamp to and fro; the receiver's clock must not be behind it. */
static void *pass(void *arg)
{
	uint64_t mine = (uintptr_t)arg, i;

	for (i = 0; i < 2000; i++) {
		uint64_t seen;

		while (((seen = baton) & 1) != mine)
			;
		T_TRUE(clock_ticks() >= seen >> 1);
		baton = clock_ticks() << 1 | !mine;
	}
	return NULL;
}

TEST(threads_agree)
{
	pthread_t other;

	started(CLOCK_USE_AUTO);
	pthread_create(&other, NULL, pass, (void *)1);
	pass((void *)0);
	pthread_join(other, NULL);
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * A chain of dependent loads from memory, timed without its result being used: a clock that runs
 * ahead of the loads shows next to nothing.
 */
TEST(waits_for_earlier_loads)
{
	enum { SLOTS = 1 << 22, ROUNDS = 301, CHAIN = 8 };
	uint32_t *next = malloc(SLOTS * sizeof(*next)), at = 0, i;
	uint64_t took[ROUNDS], ns;

	started(CLOCK_USE_COUNTER);
	for (i = 0; i < SLOTS; i++)
		next[i] = (i * 2654435761u + 12345) % SLOTS;
	for (i = 0; i < ROUNDS; i++) {
		uint64_t begin = clock_ticks();
		uint32_t j;

		for (j = 0; j < CHAIN; j++)
			at = next[at];
		took[i] = clock_ticks() - begin;
		__asm__ volatile("" : : "r"(at));
	}
	qsort(took, ROUNDS, sizeof(took[0]), by_size);
	ns = clock_ns(took[ROUNDS / 2]);
	printf("# %d dependent loads: %llu ns\n", CHAIN, (unsigned long long)ns);
	T_TRUE(ns > CHAIN * 5);
	free(next);
}

TEST(other_clocks)
{
	uint64_t ns = 7, now = clock_wall_ms();

	T_EQ(clock_read_ns(CLOCK_REALTIME, &ns), 0);
	T_NEAR(ns / 1000000, now, 1000);
	T_EQ(clock_read_ns(9999, &ns), -EINVAL);
	T_EQ(clock_sleep_ns(1000), 0);
}
