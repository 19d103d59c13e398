/* SPDX-License-Identifier: MIT */
/* Schedules of arrivals: paces that do not drift, and gaps that are as chance makes them. */
#include "lib/arrivals.h"
#include "t/test.h"

#define SECOND	1000000000ull

TEST(steady_pace)
{
	struct arrivals a;

	arrivals_init(&a, 4096 * 1000, 4096, false, 1, 1);
	for (uint64_t i = 0; i < 5000; i++) {
		T_NEAR((double)arrivals_next_ns(&a), (double)i * 1e6, 1.0);
		arrivals_take(&a, 4096);
	}
	/* A thousand times the bytes, a thousand times the gap. */
	arrivals_take(&a, 4096 * 1000);
	T_NEAR((double)arrivals_next_ns(&a), 6e9, 1.0);
}

/* A day of 333333 I/Os of 512 bytes per second ends within a microsecond. */
TEST(no_drift)
{
	const uint64_t per_second = 333333, seconds = 86400;
	struct arrivals a;

	arrivals_init(&a, per_second * 512, 512, false, 1, 1);
	for (uint64_t i = 0; i < seconds; i++)
		arrivals_take(&a, per_second * 512);
	T_NEAR((double)arrivals_next_ns(&a), (double)(seconds * SECOND), 1e4);
}

TEST(slowest_and_fastest)
{
	struct arrivals a;

	arrivals_init(&a, 1, 1 << 20, false, 1, 1);
	arrivals_take(&a, 1 << 30);	/* 34 years */
	T_EQ(arrivals_next_ns(&a), (uint64_t)(1 << 30) * SECOND);
	arrivals_init(&a, UINT64_MAX, 4096, false, 1, 1);
	arrivals_take(&a, 4096);
	T_EQ(arrivals_next_ns(&a), 0);
	arrivals_init(&a, UINT64_MAX, 4096, true, 1, 1);
	arrivals_take(&a, 4096);
	T_EQ(arrivals_next_ns(&a), 0);
}

static int up(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* D of Kolmogorov and Smirnov against the exponential distribution, times the root of n. */
static double ks_exponential(double *gaps, size_t n, double mean)
{
	double most = 0;

	qsort(gaps, n, sizeof(*gaps), up);
	for (size_t i = 0; i < n; i++) {
		double p = 1 - exp(-gaps[i] / mean);

		most = fmax(most, fmax((double)(i + 1) / (double)n - p,
				       p - (double)i / (double)n));
	}
	return most * sqrt((double)n);
}

/* Gaps by chance pass the test at a level of one in a thousand (1.95), whatever the seed. */
TEST(poisson_gaps)
{
	static double gaps[20000];
	const size_t n = sizeof(gaps) / sizeof(*gaps);

	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct arrivals a;
		uint64_t before = 0;
		double sum = 0, after_short = 0, shorts = 0;

		arrivals_init(&a, 4096 * 1000, 4096, true, seed, 4);
		for (size_t i = 0; i < n; i++) {
			uint64_t at = arrivals_next_ns(&a);

			gaps[i] = (double)(at - before);
			sum += gaps[i];
			if (i && gaps[i - 1] < 0.5e6) {
				after_short += gaps[i];
				shorts++;
			}
			before = at;
			arrivals_take(&a, 4096);
		}
		T_NEAR(sum / (double)n, 1e6, 1e6 * 4 / sqrt((double)n));
		/* What came before tells nothing of what comes next. */
		T_NEAR(after_short / shorts, 1e6, 1e6 * 4 / sqrt(shorts));
		T_TRUE(ks_exponential(gaps, n, 1e6) < 1.95);
	}
}

/* An even pace is found out by the same test, and so is a mean that is off by a tenth. */
TEST(the_test_can_fail)
{
	static double gaps[5000];
	struct arrivals a;
	uint64_t before = 0;

	arrivals_init(&a, 4096 * 1000, 4096, true, 1, 4);
	for (size_t i = 0; i < 5000; i++) {
		gaps[i] = (double)(arrivals_next_ns(&a) - before);
		before = arrivals_next_ns(&a);
		arrivals_take(&a, 4096);
	}
	T_TRUE(ks_exponential(gaps, 5000, 1.1e6) > 1.95);
	for (size_t i = 0; i < 5000; i++)
		gaps[i] = 1e6;
	T_TRUE(ks_exponential(gaps, 5000, 1e6) > 1.95);
}

TEST(streams_are_their_own)
{
	struct arrivals a, b, c;

	arrivals_init(&a, 4096, 4096, true, 7, 1);
	arrivals_init(&b, 4096, 4096, true, 7, 2);
	arrivals_init(&c, 4096, 4096, true, 7, 1);
	T_TRUE(arrivals_next_ns(&a) > 0);
	T_TRUE(arrivals_next_ns(&a) != arrivals_next_ns(&b));
	T_EQ(arrivals_next_ns(&a), arrivals_next_ns(&c));
}
