/* SPDX-License-Identifier: MIT */
/* What lies between two looks at a latency: counts add up, extremes fall again. */
#include "t/test.h"

#include "core/latsum.h"
#include "core/periods.h"
#include "lib/rand.h"

static struct lat_stat worker;

static void forget(void)
{
	memset(&worker, 0, sizeof(worker));
	moments_reset(&worker.m);
}

/* The result of a worker's latency as it is now; latsum_free() it. */
static struct result_lat look(void)
{
	struct result_lat out;
	struct latsum sum;

	latsum_begin(&sum);
	latsum_add(&sum, &worker);
	latsum_end(&sum, &out);
	out.percentiles = true;
	return out;
}

static void add(uint64_t ns, unsigned times)
{
	while (times--)
		lat_add(&worker, ns);
}

TEST(maximum_falls_after_a_stall)
{
	struct result_lat none = { 0 }, a, b, c, p;

	forget();
	add(1000, 10);
	add(5000000000, 1);
	a = look();
	periods_lat(&none, &a, &p);
	T_EQ(p.n, 11);
	T_EQ(p.min, 1000);
	T_EQ(p.max, 5000000000);
	T_TRUE(p.percentiles);
	latsum_free(&p);

	add(2000, 5);
	b = look();
	T_EQ(b.max, 5000000000);
	periods_lat(&a, &b, &p);
	T_EQ(p.n, 5);
	T_EQ(p.max, hist_value(hist_index(2000)));
	T_EQ(p.min, hist_value(hist_index(2000)));
	T_NEAR(p.mean, 2000, 20);
	T_NEAR(p.stddev, 0, 0.001);
	latsum_free(&p);

	add(500, 1);
	add(6000000000, 1);
	c = look();
	periods_lat(&b, &c, &p);
	T_EQ(p.n, 2);
	T_EQ(p.min, 500);
	T_EQ(p.max, 6000000000);
	T_NEAR(p.mean, 3000000250, 1);
	latsum_free(&p);
	latsum_free(&a);
	latsum_free(&b);
	latsum_free(&c);
}

TEST(nothing_happened)
{
	struct result_lat none = { 0 }, a, p;

	forget();
	a = look();
	T_EQ(a.n, 0);
	periods_lat(&none, &a, &p);
	T_EQ(p.n, 0);
	T_TRUE(!p.bins);
	add(7, 3);
	a = look();
	periods_lat(&a, &a, &p);
	T_EQ(p.n, 0);
	T_TRUE(!p.bins);
	latsum_free(&a);
}

/* Of any samples, looked at anywhere: sums are exact, and each period keeps its own bounds. */
TEST(periods_add_up)
{
	static uint64_t bins[HIST_BINS];
	struct result_lat before = { 0 }, now, p;
	uint64_t n = 0;
	struct rand r;

	forget();
	rand_seed(&r, 1, 2);
	for (int look_at = 0; look_at < 50; look_at++) {
		unsigned samples = (unsigned)rand_below(&r, 200);

		while (samples--)
			add(rand_below(&r, 1ull << rand_below(&r, 40)), 1);
		now = look();
		periods_lat(&before, &now, &p);
		n += p.n;
		for (unsigned i = 0; p.n && i < HIST_BINS; i++)
			bins[i] += p.bins[i];
		T_TRUE(p.min <= p.max && p.max <= now.max && (!p.n || p.min >= now.min));
		T_TRUE(p.mean >= (double)p.min && p.mean <= (double)p.max);
		T_TRUE(p.stddev <= (double)(p.max - p.min));
		latsum_free(&p);
		latsum_free(&before);
		before = now;
	}
	T_EQ(n, now.n);
	T_TRUE(!memcmp(bins, now.bins, sizeof(bins)));
	latsum_free(&now);
}

