/* SPDX-License-Identifier: MIT */
/* Random numbers: repeatable, independent between streams, and without bias. */
#include "t/test.h"

#include "lib/rand.h"

TEST(splitmix64_known_values)
{
	/* The sequence of seed 1234567 as published with the reference implementation. */
	uint64_t state = 1234567;

	T_EQ(rand_splitmix64(&state), 6457827717110365317ull);
	T_EQ(rand_splitmix64(&state), 3203168211198807973ull);
	T_EQ(rand_splitmix64(&state), 9817491932198370423ull);
}

TEST(xoshiro_known_values)
{
	/* First outputs from state 1, 2, 3, 4, worked out by hand from the definition. */
	struct rand r = { { 1, 2, 3, 4 } };

	T_EQ(rand_u64(&r), 11520);
	T_EQ(rand_u64(&r), 0);
	T_EQ(rand_u64(&r), 1509978240);
}

TEST(same_seed_same_sequence)
{
	struct rand a, b;

	rand_seed(&a, 42, 7);
	rand_seed(&b, 42, 7);
	for (int i = 0; i < 1000; i++)
		T_EQ(rand_u64(&a), rand_u64(&b));
}

/* Pairs of neighbouring seeds and streams must differ in about half of all bits. */
static void check_unrelated(uint64_t seed_a, uint64_t stream_a, uint64_t seed_b, uint64_t stream_b)
{
	struct rand a, b;
	int differing = 0;

	rand_seed(&a, seed_a, stream_a);
	rand_seed(&b, seed_b, stream_b);
	for (int i = 0; i < 1000; i++)
		differing += __builtin_popcountll(rand_u64(&a) ^ rand_u64(&b));
	/* Standard deviation: sqrt(64000 / 4) = 126. */
	T_NEAR(differing, 32000, 700);
}

TEST(streams_are_unrelated)
{
	check_unrelated(0, 0, 0, 1);
	check_unrelated(0, 0, 1, 0);
	check_unrelated(1, 2, 2, 1);
	check_unrelated(1, 1, 2, 2);
	check_unrelated(5, 0, 0, 5);
	check_unrelated(UINT64_MAX, 0, 0, UINT64_MAX);
	check_unrelated(1ull << 63, 3, 0, 3);
}

TEST(below_stays_below)
{
	static const uint64_t bounds[] = { 1, 2, 3, 7, 64, 1000, 1ull << 32, (1ull << 63) + 1,
					   UINT64_MAX };
	struct rand r;

	rand_seed(&r, 1, 1);
	T_EQ(rand_below(&r, 0), 0);
	for (size_t k = 0; k < ARRAY_SIZE(bounds); k++)
		for (int i = 0; i < 1000; i++)
			T_TRUE(rand_below(&r, bounds[k]) < bounds[k]);
}

TEST(below_is_uniform)
{
	enum { CELLS = 10, DRAWS = 200000 };
	double chi = 0, expected = (double)DRAWS / CELLS;
	unsigned count[CELLS] = { 0 };
	struct rand r;

	rand_seed(&r, 3, 0);
	for (int i = 0; i < DRAWS; i++)
		count[rand_below(&r, CELLS)]++;
	for (int i = 0; i < CELLS; i++)
		chi += (count[i] - expected) * (count[i] - expected) / expected;
	T_TRUE(chi < 27.9);	/* 9 degrees of freedom, one in a thousand */
}

TEST(below_has_no_bias_at_large_bounds)
{
	/*
	 * For n = 3/4 of 2^64 the plain product maps two inputs to a third of all outputs and one
	 * input to the others: multiples of 3 would come in half of the draws.
	 */
	const uint64_t n = 3ull << 62;
	unsigned multiples = 0;
	struct rand r;

	rand_seed(&r, 4, 0);
	for (int i = 0; i < 90000; i++)
		multiples += rand_below(&r, n) % 3 == 0;
	T_NEAR(multiples, 30000, 700);		/* standard deviation 141 */
}

TEST(fill_is_the_same_in_any_pieces)
{
	unsigned char whole[4096], pieces[4096];
	uint64_t a = 5, b = 5, c = 6;

	rand_fill(&a, whole, sizeof(whole));
	rand_fill(&b, pieces, 512);
	rand_fill(&b, pieces + 512, 8);
	rand_fill(&b, pieces + 520, sizeof(pieces) - 520);
	T_TRUE(!memcmp(whole, pieces, sizeof(whole)));
	T_EQ(a, b);
	memset(pieces, 1, sizeof(pieces));
	rand_fill(&c, pieces, 13);
	T_EQ(pieces[13], 1);
	T_EQ(c, 6 + 2 * 0x9e3779b97f4a7c15ull);
	c = 6;
	rand_fill(&c, whole, 16);
	T_TRUE(!memcmp(whole, pieces, 13));
}

TEST(double_is_in_unit_interval)
{
	double sum = 0, least = 1, most = 0;
	struct rand r;

	rand_seed(&r, 5, 0);
	for (int i = 0; i < 100000; i++) {
		double x = rand_double(&r);

		T_TRUE(x >= 0 && x < 1);
		least = fmin(least, x);
		most = fmax(most, x);
		sum += x;
	}
	T_NEAR(sum / 100000, 0.5, 0.005);
	T_TRUE(least < 0.001 && most > 0.999);
}
