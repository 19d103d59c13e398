/* SPDX-License-Identifier: MIT */
/* Histogram geometry, percentiles against sorted samples, and moments against long arithmetic. */
#include "t/test.h"

#include "lib/hist.h"
#include "lib/rand.h"

TEST(bins_tile_the_numbers)
{
	uint64_t next = 0;

	for (unsigned i = 0; i < HIST_BINS; i++) {
		T_EQ(hist_low(i), next);
		T_EQ(hist_index(hist_low(i)), i);
		T_EQ(hist_index(hist_high(i)), i);
		T_EQ(hist_index(hist_value(i)), i);
		if (i < HIST_BINS - 1)
			T_TRUE((hist_high(i) - hist_low(i)) <= hist_low(i) / 64);
		next = hist_high(i) + 1;
	}
	T_EQ(next, 0);		/* the last bin takes all the rest */
	T_EQ(hist_index(HIST_LIMIT - 1), HIST_BINS - 1);
	T_EQ(hist_index(HIST_LIMIT), HIST_BINS - 1);
	T_EQ(hist_index(UINT64_MAX), HIST_BINS - 1);
}

TEST(bins_have_the_values_fio_prints)
{
	/* Keys of "bins" objects and percentiles in fio's output, with a sample falling there. */
	static const struct { uint64_t sample, value; } known[] = {
		{ 0, 0 }, { 63, 63 }, { 64, 64 }, { 127, 127 }, { 130, 131 }, { 261, 262 },
		{ 510, 510 }, { 513, 516 }, { 524, 524 }, { 2064, 2064 }, { 7414, 7392 },
		{ 10600, 10560 }, { 1973812, 1974272 }, { 126620769, 126353408 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		T_EQ(hist_value(hist_index(known[i].sample)), known[i].value);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

TEST(percentiles_are_nearest_rank)
{
	static const double list[] = { 0, 1, 5, 33.333333, 50, 90, 99, 99.9, 99.99, 100 };
	static struct hist h;
	static uint64_t samples[3000];
	uint64_t out[ARRAY_SIZE(list)];
	struct rand r;

	rand_seed(&r, 9, 9);
	for (unsigned n = 1; n <= 3000; n += 1 + n / 7) {
		memset(&h, 0, sizeof(h));
		for (unsigned i = 0; i < n; i++) {
			samples[i] = rand_u64(&r) >> (24 + rand_below(&r, 40));
			hist_add(&h, samples[i]);
		}
		qsort(samples, n, sizeof(samples[0]), by_value);
		T_EQ(hist_percentiles(&h, list, ARRAY_SIZE(list), samples[0], samples[n - 1],
				      out), n);
		for (size_t k = 0; k < ARRAY_SIZE(list); k++) {
			unsigned rank = ceil((long double)list[k] * n / 100 - 1e-9L);
			uint64_t exact = samples[rank ? rank - 1 : 0];

			T_TRUE(hist_index(out[k]) == hist_index(exact) ||
			       out[k] == samples[0] || out[k] == samples[n - 1]);
			T_NEAR(out[k], exact, exact / 64.0);
		}
	}
}

TEST(percentile_ranks_do_not_round_up_by_accident)
{
	static const double list[] = { 99.9, 50, 0.1 };
	static struct hist h;
	uint64_t out[3];

	/* 999 samples of 1 and one of 100: 99.9% of 1000 is exactly the 999th. */
	h.bins[hist_index(1)] = 999;
	h.bins[hist_index(100)] = 1;
	hist_percentiles(&h, list, 3, 1, 100, out);
	T_EQ(out[0], 1);
	T_EQ(out[1], 1);
	T_EQ(out[2], 1);
}

TEST(percentiles_respect_the_extremes)
{
	static const double list[] = { 1, 50, 100, -3, 200, NAN };
	static struct hist h;
	uint64_t out[6];

	T_EQ(hist_percentiles(&h, list, 6, 0, 0, out), 0);
	T_EQ(out[2], 0);
	hist_add(&h, 1973812);
	hist_add(&h, 1965000);
	T_EQ(hist_percentiles(&h, list, 6, 1965000, 1973812, out), 2);
	T_EQ(out[0], 1965000);		/* nor was 1957888 */
	T_EQ(out[2], 1973812);		/* the bin's middle, 1974272, was never measured */
	T_EQ(out[3], out[0]);
	T_EQ(out[4], out[2]);
	T_EQ(out[5], out[0]);
	memset(&h, 0, sizeof(h));
	hist_add(&h, UINT64_MAX);
	hist_percentiles(&h, list, 1, UINT64_MAX, UINT64_MAX, out);
	T_EQ(out[0], UINT64_MAX);
}

TEST(merging_adds)
{
	static struct hist a, b, both;
	struct rand r;

	rand_seed(&r, 2, 2);
	for (int i = 0; i < 10000; i++) {
		uint64_t v = rand_u64(&r) >> rand_below(&r, 64);

		hist_add(i % 3 ? &a : &b, v);
		hist_add(&both, v);
	}
	hist_merge(&a, &b);
	T_MEM(&a, &both, sizeof(a));
	T_EQ(hist_count(&a), 10000);
}

TEST(latency_table_bounds_are_exclusive)
{
	static struct hist h;
	struct hist_lat_table t;

	hist_add(&h, 0);
	hist_add(&h, 1);
	hist_add(&h, 2);
	hist_add(&h, 3);
	hist_add(&h, 4);
	hist_add(&h, 999);
	hist_add(&h, 1000);
	hist_add(&h, 1999);
	hist_add(&h, 2000);
	hist_add(&h, 600000);
	hist_add(&h, 1500000);
	hist_add(&h, 1500000000);
	hist_add(&h, 2100000000);
	hist_add(&h, UINT64_MAX);
	hist_latency_table(&h, &t);
	T_EQ(t.ns[0], 2);
	T_EQ(t.ns[1], 2);
	T_EQ(t.ns[2], 1);
	T_EQ(t.ns[9], 1);
	T_EQ(t.us[0], 2);
	T_EQ(t.us[1], 1);
	T_EQ(t.us[8], 1);
	T_EQ(t.ms[0], 1);
	T_EQ(t.ms[10], 1);
	T_EQ(t.ms[11], 2);
	T_STR(hist_lat_names[HIST_LAT_NS - 1], "1000");
	T_STR(hist_lat_names[HIST_LAT_MS - 1], ">=2000");
}

TEST(latency_table_loses_nothing)
{
	static struct hist h;
	struct hist_lat_table t;
	uint64_t sum = 0;

	for (unsigned i = 0; i < HIST_BINS; i++)
		h.bins[i] = i;
	hist_latency_table(&h, &t);
	for (unsigned i = 0; i < HIST_LAT_MS; i++)
		sum += t.ms[i] + (i < HIST_LAT_NS ? t.ns[i] + t.us[i] : 0);
	T_EQ(sum, hist_count(&h));
	T_NEAR(hist_lat_percent(1, 3), 33.333333, 1e-6);
	T_NEAR(hist_lat_percent(1, 1000000), 0.01, 0);
	T_NEAR(hist_lat_percent(0, 10), 0, 0);
	T_NEAR(hist_lat_percent(0, 0), 0, 0);
}

TEST(moments_of_a_few_numbers)
{
	struct moments m;

	moments_reset(&m);
	T_EQ(moments_min(&m, 0), 0);
	T_NEAR(moments_mean(&m, 0), 0, 0);
	T_NEAR(moments_stddev(&m, 0), 0, 0);
	moments_add(&m, 7);
	T_NEAR(moments_stddev(&m, 1), 0, 0);
	moments_add(&m, 3);
	moments_add(&m, 5);
	T_EQ(moments_min(&m, 3), 3);
	T_EQ(m.max, 7);
	T_NEAR(moments_mean(&m, 3), 5, 1e-12);
	T_NEAR(moments_stddev(&m, 3), 2, 1e-12);
}

TEST(stddev_survives_a_huge_mean)
{
	/* A day in nanoseconds, plus 0, 1 or 2: the squares agree in their first 26 digits. */
	const uint64_t day_ns = 86400ull * 1000000000;
	struct moments m;

	moments_reset(&m);
	for (int i = 0; i < 3000; i++)
		moments_add(&m, day_ns + i % 3);
	T_NEAR(moments_mean(&m, 3000), day_ns + 1.0, 0.1);
	T_NEAR(moments_stddev(&m, 3000), sqrt(2.0 / 3 * 3000 / 2999), 1e-9);
}

/* What passes 2^64 in three days of 65536 requests in flight: an exact answer all the same. */
TEST(moments_of_a_sum_beyond_64_bits)
{
	static struct hist h;
	struct moments m, twice;
	const uint64_t slow = 3ull << 33, fast = 1000;	/* ns; so many of each */
	const uint64_t times = 1ull << 32, n = 2 * times;

	memset(&h, 0, sizeof(h));
	moments_reset(&m);
	h.bins[hist_index(slow)] = h.bins[hist_index(fast)] = times;
	m.min = fast;
	m.max = slow;
	m.sum = slow * times + fast * times;	/* as many additions leave it */
	m.sumsq = (unsigned __int128)slow * slow * times + fast * fast * times;
	moments_unwrap(&m, &h, hist_count(&h));
	T_NEAR(moments_mean(&m, n), (double)(slow + fast) / 2, 1e-3);
	T_NEAR(moments_stddev(&m, n), (double)(slow - fast) / 2, 1e3);

	twice = m;
	moments_merge(&twice, &m);
	T_NEAR(moments_mean(&twice, 2 * n), (double)(slow + fast) / 2, 1e-3);
	moments_take(&twice, &m);
	T_EQ(twice.sum, m.sum);
	T_EQ(twice.wraps, m.wraps);
	T_TRUE(twice.sumsq == m.sumsq);

	/* Just below and just above a passage, where bins alone would tell another. */
	for (int past = 0; past < 2; past++) {
		memset(&h, 0, sizeof(h));
		h.bins[hist_index(1ull << 32)] = (1ull << 32) - 1 + 2 * past;
		m.sum = ((1ull << 32) - 1 + 2 * past) << 32;
		moments_unwrap(&m, &h, hist_count(&h));
		T_EQ(m.wraps, past);
		T_NEAR(moments_mean(&m, hist_count(&h)), 4294967296.0, 1e-3);
	}
}

TEST(moments_merge_like_one)
{
	struct moments a, b, none, both;
	struct rand r;

	moments_reset(&a);
	moments_reset(&b);
	moments_reset(&none);
	moments_reset(&both);
	rand_seed(&r, 2, 2);
	for (int i = 0; i < 10000; i++) {
		uint64_t v = rand_u64(&r) >> (24 + rand_below(&r, 40));

		moments_add(i % 3 ? &a : &b, v);
		moments_add(&both, v);
	}
	moments_merge(&a, &b);
	moments_merge(&a, &none);
	T_EQ(a.min, both.min);
	T_EQ(a.max, both.max);
	T_EQ(a.sum, both.sum);
	T_TRUE(a.sumsq == both.sumsq);
}
