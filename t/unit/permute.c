/* SPDX-License-Identifier: MIT */
/* Permutations: every block exactly once, in an order that statistics cannot tell from random. */
#include "t/test.h"

#include "lib/permute.h"

/* check_bijective - visit all of [0, n) and see every block once. */
static void check_bijective(const struct permute *p, uint64_t n)
{
	unsigned char *seen = calloc(n, 1);

	T_TRUE(seen);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t block = permute_at(p, i);

		if (block >= n || seen[block])
			T_FAIL("n %llu: place %llu gives block %llu %s", (unsigned long long)n,
			       (unsigned long long)i, (unsigned long long)block,
			       block >= n ? "outside" : "again");
		seen[block] = 1;
	}
	free(seen);
}

static void check_both(uint64_t n, uint64_t key)
{
	struct permute p;

	T_EQ(permute_init(&p, n, key), 0);
	check_bijective(&p, n);
	permute_rekey(&p, key + 1);
	check_bijective(&p, n);
	permute_free(&p);
	T_EQ(permute_init_feistel(&p, n, key), 0);
	check_bijective(&p, n);
	permute_free(&p);
}

TEST(every_small_n_is_bijective)
{
	for (uint64_t n = 1; n <= 5000; n++) {
		struct permute p;

		T_EQ(permute_init(&p, n, n * 31), 0);
		check_bijective(&p, n);
		permute_free(&p);
	}
}

TEST(every_small_feistel_is_bijective)
{
	for (uint64_t n = 1; n <= 5000; n++) {
		struct permute p;

		T_EQ(permute_init_feistel(&p, n, n * 17), 0);
		check_bijective(&p, n);
	}
}

TEST(chosen_sizes_are_bijective)
{
	static const uint64_t sizes[] = { 256, 1000, 65535, 65536, 65537, 100000, 131072, 131073,
					  1 << 20, (1 << 20) + 1, 1234567 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		check_both(sizes[i], i);
}

TEST(large_sizes_stay_inside_and_do_not_repeat)
{
	/* The birthday of 1000 draws: a repetition among random numbers would be a rare event. */
	for (unsigned bits = 21; bits <= 62; bits++) {
		uint64_t n = (1ull << bits) - (bits % 3), seen[1000];
		struct permute p;

		T_EQ(permute_init(&p, n, bits), 0);
		T_TRUE(permute_at(&p, n - 1) < n);
		for (int i = 0; i < 1000; i++) {
			seen[i] = permute_at(&p, n / 2 + i);
			T_TRUE(seen[i] < n);
			for (int j = 0; j < i; j++)
				T_TRUE(seen[j] != seen[i]);
		}
	}
}

TEST(bounds_are_refused)
{
	struct permute p;

	T_EQ(permute_init(&p, 0, 1), -EINVAL);
	permute_free(&p);
	T_EQ(permute_init(&p, PERMUTE_N_MAX + 1, 1), -EINVAL);
	T_EQ(permute_init(&p, PERMUTE_N_MAX, 1), 0);
	T_TRUE(permute_at(&p, PERMUTE_N_MAX - 1) < PERMUTE_N_MAX);
	permute_free(&p);
	permute_free(&p);
}

TEST(key_decides_the_order)
{
	static const uint64_t sizes[] = { 1000, 1 << 20 };

	for (size_t k = 0; k < ARRAY_SIZE(sizes); k++) {
		struct permute a, b, c;
		int same = 0;

		T_EQ(permute_init(&a, sizes[k], 5), 0);
		T_EQ(permute_init(&b, sizes[k], 5), 0);
		T_EQ(permute_init(&c, sizes[k], 6), 0);
		for (uint64_t i = 0; i < 1000; i++) {
			T_EQ(permute_at(&a, i), permute_at(&b, i));
			same += permute_at(&a, i) == permute_at(&c, i);
		}
		T_TRUE(same < 12);	/* a random pair of orders agrees in about one place */
		permute_free(&a);
		permute_free(&b);
		permute_free(&c);
	}
}

/*
 * runs_z - Wald and Wolfowitz: how many standard deviations the number of runs above and below the
 * middle is off. (J. V. Bradley, Distribution-Free Statistical Tests, chapter 12.)
 */
static double runs_z(const struct permute *p, uint64_t draws)
{
	double runs = 1, above = 0, below, mean, variance;
	bool last = false;

	for (uint64_t i = 0; i < draws; i++) {
		bool high = permute_at(p, i) >= p->n / 2;

		above += high;
		runs += i && high != last;
		last = high;
	}
	below = draws - above;
	mean = 2 * above * below / draws + 1;
	variance = (mean - 1) * (mean - 2) / (draws - 1);
	return (runs - mean) / sqrt(variance);
}

/*
 * chi_z - chi-square of where the first tenth (at most `draws`) falls, as standard deviations.
 * Drawing without repeats spreads more evenly than chance, by the share that is left.
 */
static double chi_z(const struct permute *p, uint64_t draws)
{
	uint64_t tenth = fl_min(p->n / 10, draws);
	unsigned cells = tenth >= 2000 ? 100 : tenth >= 400 ? 20 : 5;
	double chi = 0, expected = (double)tenth / cells, count[100] = { 0 };

	for (uint64_t i = 0; i < tenth; i++)
		count[(unsigned __int128)permute_at(p, i) * cells / p->n]++;
	for (unsigned i = 0; i < cells; i++)
		chi += (count[i] - expected) * (count[i] - expected) / expected;
	chi /= 1 - (double)tenth / p->n;
	return (chi - (cells - 1)) / sqrt(2.0 * (cells - 1));
}

/* check_random - over many keys both statistics must scatter like chance: mean 0, variance 1. */
static void check_random(uint64_t n, uint64_t draws, unsigned keys, bool feistel)
{
	double runs_sum = 0, runs_squares = 0, chi_sum = 0, chi_squares = 0;
	double mean_eps = 4 / sqrt(keys), variance_eps = 6 / sqrt(keys);

	for (unsigned key = 0; key < keys; key++) {
		struct permute p;
		double runs, chi;

		T_EQ(feistel ? permute_init_feistel(&p, n, key) : permute_init(&p, n, key), 0);
		runs = runs_z(&p, draws);
		chi = chi_z(&p, draws);
		if (fabs(runs) > 5 || chi < -5 || chi > 9)
			T_FAIL("n %llu key %u: runs %.2f, chi %.2f", (unsigned long long)n, key,
			       runs, chi);
		runs_sum += runs;
		runs_squares += runs * runs;
		chi_sum += chi;
		chi_squares += chi * chi;
		permute_free(&p);
	}
	T_NEAR(runs_sum / keys, 0, mean_eps);
	T_NEAR(chi_sum / keys, 0, mean_eps);
	if (keys >= 100) {
		T_NEAR(runs_squares / keys, 1, variance_eps);
		T_NEAR(chi_squares / keys, 1, variance_eps);
	}
}

TEST(random_256_table)
{
	check_random(256, 256, 2000, false);
}

TEST(random_256_feistel)
{
	check_random(256, 256, 2000, true);
}

TEST(random_4096)
{
	check_random(4096, 4096, 500, false);
	check_random(4096, 4096, 500, true);
}

TEST(random_2_to_17)
{
	check_random((1 << 17) - 3, 20000, 100, false);
}

TEST(random_2_to_20)
{
	check_random(1 << 20, 1000000, 5, false);
}

TEST(random_2_to_33)
{
	check_random(1ull << 33, 1000000, 5, false);
	check_random((1ull << 33) + 1, 20000, 100, false);
}
