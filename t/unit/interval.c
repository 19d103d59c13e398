/* SPDX-License-Identifier: MIT */
/*
 * Intervals must hold what they are said to hold as often as they say: that is tried on samples
 * whose true percentiles and means are known. Chance comes from a fixed seed.
 */
#include "lib/interval.h"
#include "lib/hist.h"
#include "lib/rand.h"

#include "t/test.h"

/* Tables of distribution-free intervals print these (Hahn and Meeker, table A.15a). */
TEST(ranks_are_those_of_the_tables)
{
	struct interval_ranks r = interval_ranks(100, 50, 0.95);

	T_EQ(r.low, 40);
	T_EQ(r.high, 61);
	r = interval_ranks(10, 50, 0.95);
	T_EQ(r.low, 2);
	T_EQ(r.high, 9);
	r = interval_ranks(6, 50, 0.95);
	T_EQ(r.low, 1);
	T_EQ(r.high, 6);
}

TEST(few_samples_bound_nothing)
{
	struct interval_ranks r = interval_ranks(5, 50, 0.95);

	T_EQ(r.low, 0);
	T_EQ(r.high, 6);
	r = interval_ranks(0, 99, 0.95);
	T_EQ(r.low, 0);
	T_EQ(r.high, 1);
	r = interval_ranks(1024, 99.99, 0.95);
	T_EQ(r.high, 1025);
	T_TRUE(r.low >= 1 && r.low <= 1024);
}

/* p to the power of n is what all n samples lie below with: the number it takes is known exactly. */
TEST(a_percentile_is_carried_from_the_very_sample_on)
{
	static const struct { double percent, level; uint64_t n; } want[] = {
		{ 50, 0.95, 6 }, { 90, 0.95, 36 }, { 95, 0.95, 72 }, { 99, 0.95, 368 },
		{ 99.9, 0.95, 3688 }, { 99.99, 0.95, 36887 }, { 99.999, 0.95, 368887 },
		{ 1, 0.95, 368 }, { 99, 0.99, 528 }, { 99, 0.5, 138 },
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		T_TRUE(interval_carried(want[i].n, want[i].percent, want[i].level));
		T_TRUE(!interval_carried(want[i].n - 1, want[i].percent, want[i].level));
	}
	T_TRUE(interval_carried(1, 100, 0.95) && interval_carried(1, 0, 0.95));
	T_TRUE(!interval_carried(0, 100, 0.95) && !interval_carried(0, 50, 0.95));
}

/* Of uniform samples the true percentile p is p. */
TEST(percentile_intervals_hold_as_often_as_they_say)
{
	static const struct { double percent; unsigned n; } cases[] = {
		{ 50, 30 }, { 90, 100 }, { 99, 1000 }, { 99, 400 }, { 5, 200 },
	};
	enum { TRIALS = 4000 };
	struct rand r;

	rand_seed(&r, 1, 0);
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct interval_ranks at = interval_ranks(cases[c].n, cases[c].percent, 0.95);
		unsigned held = 0;

		for (int trial = 0; trial < TRIALS; trial++) {
			unsigned below = 0;

			for (unsigned i = 0; i < cases[c].n; i++)
				below += rand_below(&r, 1000000) < cases[c].percent * 10000;
			held += at.low <= below && below < at.high;
		}
		/* The ranks are whole numbers: it may be more often, but not less. */
		T_TRUE(held >= TRIALS * 94 / 100);
		T_TRUE(held <= TRIALS * 995 / 1000);
	}
}

static double noise(struct rand *r)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += (double)rand_below(r, 1u << 30) / (1u << 30);
	return sum - 6;
}

/* Each value remembers so much of the one before. Returns how many of 1000 intervals held. */
static unsigned coverage(double memory, unsigned n, unsigned *alike)
{
	unsigned held = 0;
	struct rand r;

	*alike = 0;
	rand_seed(&r, 7, 0);
	for (int trial = 0; trial < 1000; trial++) {
		struct interval_mean out;
		double v[256], x = noise(&r);

		for (unsigned i = 0; i < n; i++) {
			x = memory * x + sqrt(1 - memory * memory) * noise(&r);
			v[i] = 100 + x;
		}
		T_TRUE(interval_of_mean(v, n, 0.95, &out));
		T_TRUE(out.low <= out.mean && out.mean <= out.high);
		T_TRUE(out.batches * out.per_batch <= n);
		T_TRUE(out.batches >= INTERVAL_BATCHES_LEFT || out.batches == n);
		held += out.low <= 100 && out.high >= 100;
		*alike += out.alike;
	}
	return held;
}

TEST(mean_intervals_hold_as_often_as_they_say)
{
	unsigned alike, held = coverage(0, 200, &alike);

	T_TRUE(held >= 930 && held <= 970);
	held = coverage(0, 10, &alike);
	T_TRUE(held >= 930 && held <= 975);
	/* Where values of a row depend on each other that is harder, but close. */
	held = coverage(0.5, 250, &alike);
	T_TRUE(held >= 900);
	held = coverage(0.8, 250, &alike);
	T_TRUE(held >= 880);
	T_TRUE(alike < 260);
	/* And where it cannot be had, it is said. */
	coverage(0.99, 250, &alike);
	T_TRUE(alike >= 600);
}

TEST(mean_of_equal_values_has_no_width)
{
	double v[50];
	struct interval_mean out;

	for (int i = 0; i < 50; i++)
		v[i] = 12.5;
	T_TRUE(interval_of_mean(v, 50, 0.95, &out));
	T_NEAR(out.low, 12.5, 1e-12);
	T_NEAR(out.high, 12.5, 1e-12);
	T_EQ(out.batches, 50);
	T_TRUE(!out.alike);
}

TEST(too_few_values_make_no_interval)
{
	double v[3] = { 1, 2, 3 };
	struct interval_mean out = { .mean = 5 };

	T_TRUE(!interval_of_mean(v, 3, 0.95, &out));
	T_NEAR(out.mean, 0, 0);
	T_TRUE(!interval_of_mean(NULL, 0, 0.95, &out));
}

/* ---- Any histogram at all -------------------------------------------------------------------- */

enum { LIST = 24 };

static const double list[LIST] = {
	0, 0.01, 0.1, 1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99,
	99.999, 99.9999, 99.99999, 100,
};

/* Up to a few thousand samples in one to a few heaps, some far out. Returns N. */
static uint64_t any_histogram(struct rand *r, struct hist *h, uint64_t *min, uint64_t *max)
{
	uint64_t heaps = 1 + rand_below(r, 4), n = 0;

	memset(h, 0, sizeof(*h));
	*min = UINT64_MAX;
	*max = 0;
	while (heaps--) {
		uint64_t count = 1 + rand_below(r, 1ull << rand_below(r, 12));
		uint64_t base = rand_below(r, 1ull << (1 + rand_below(r, 50)));
		uint64_t width = 1 + rand_below(r, 1ull << rand_below(r, 40));

		for (n += count; count--;) {
			uint64_t v = base + rand_below(r, width);

			hist_add(h, v);
			*min = v < *min ? v : *min;
			*max = v > *max ? v : *max;
		}
	}
	return n;
}

/* By logarithms, for there are no powers in the definition of what is being tested. */
static bool should_be_carried(uint64_t n, double percent)
{
	double p = percent / 100;

	if (percent == 0 || percent == 100)
		return true;
	return (double)n * log(p) <= log(0.025) && (double)n * log1p(-p) <= log(0.025);
}

static void check_histogram(const struct hist *h, uint64_t n, uint64_t min, uint64_t max)
{
	uint64_t out[LIST];

	T_EQ(hist_percentiles(h, list, LIST, min, max, out), n);
	for (int i = 0; i < LIST; i++) {
		struct interval_ranks at = interval_ranks(n, list[i], 0.95);
		bool bounded = at.low > 0 && at.high <= n;

		T_TRUE(min <= out[i] && out[i] <= max);
		T_TRUE(i == 0 || out[i - 1] <= out[i]);
		T_EQ(interval_carried(n, list[i], 0.95), should_be_carried(n, list[i]));
		T_TRUE(i == 0 || i == LIST - 1 ||
		       bounded == interval_carried(n, list[i], 0.95));
		T_TRUE(!at.low || hist_rank_low(h, at.low) <= out[i]);
		T_TRUE(at.high > n || hist_rank_high(h, at.high) >= out[i]);
	}
}

TEST(ten_thousand_histograms)
{
	struct hist *h = malloc(sizeof(*h));
	struct rand r;

	rand_seed(&r, 20, 5);
	for (int i = 0; i < 10000; i++) {
		uint64_t min, max, n = any_histogram(&r, h, &min, &max);

		check_histogram(h, n, min, max);
	}
	free(h);
}

TEST(ranks_of_a_histogram)
{
	struct hist *h = calloc(1, sizeof(*h));

	T_EQ(hist_rank_low(h, 1), 0);
	T_TRUE(hist_rank_high(h, 1) == UINT64_MAX);
	hist_add(h, 10);
	hist_add(h, 1000);
	hist_add(h, HIST_LIMIT + 5);
	T_EQ(hist_rank_low(h, 1), 10);
	T_EQ(hist_rank_high(h, 1), 10);
	T_TRUE(hist_rank_low(h, 2) <= 1000 && hist_rank_high(h, 2) >= 1000);
	T_TRUE(hist_rank_high(h, 2) - hist_rank_low(h, 2) < 16);
	T_TRUE(hist_rank_high(h, 3) == UINT64_MAX);
	T_EQ(hist_rank_low(h, 9), hist_rank_low(h, 3));
	free(h);
}
