/* SPDX-License-Identifier: MIT */
/*
 * What a drive looks like when the order of sprandom has been written to it: a log of physical
 * pages, of which the last copy of each block is valid. It is compared with the model, and with a
 * drive that was really written at random, round after round, until nothing changed any more.
 */
#include "lib/sprandom.h"
#include "t/test.h"

#include <math.h>

static uint64_t *at;			/* of each block: the page of its last copy */

/* Valid pages of each of `regions` equal parts of a log that has `pages`. */
static void count_valid(uint64_t blocks, uint64_t pages, uint32_t regions, double *share)
{
	memset(share, 0, regions * sizeof(*share));
	for (uint64_t b = 0; b < blocks; b++)
		share[at[b] * regions / pages]++;
	for (uint32_t i = 0; i < regions; i++)
		share[i] /= (double)pages / regions;
}

static uint64_t write_all(struct sprandom *s)
{
	uint64_t block, pages = 0;

	at = realloc(at, s->blocks * sizeof(*at));
	memset(at, 0xff, s->blocks * sizeof(*at));
	while (sprandom_next(s, &block)) {
		T_TRUE(block < s->blocks);
		at[block] = pages++;
	}
	for (uint64_t b = 0; b < s->blocks; b++)
		T_TRUE(at[b] != UINT64_MAX);
	return pages;
}

static void as_modelled(uint64_t blocks, uint32_t regions, double op)
{
	const struct sprandom_conf c = { .blocks = blocks, .regions = regions, .op = op };
	struct sprandom s;
	double share[1024];
	uint64_t pages;

	T_EQ(sprandom_init(&s, &c, 7, 1), 0);
	pages = write_all(&s);
	T_EQ(pages, s.total);
	/* the last region stays whole, so a little less than the physical capacity is written */
	T_NEAR((double)pages / (double)blocks, 1 + op, op / regions + 0.001);
	count_valid(blocks, pages, regions, share);
	for (uint32_t i = 0; i < regions; i++)
		T_NEAR(share[i], i + 1 == regions ? 1 : sprandom_valid(&s, i), 0.02);
	sprandom_free(&s);
}

TEST(regions_are_as_valid_as_the_model_says)
{
	as_modelled(1000000, 100, 0.15);
	as_modelled(1000000, 20, 0.07);
	as_modelled(500000, 50, 0.28);
	as_modelled(500000, 10, 0.9);	/* most of each region is written again, and again */
}

TEST(fixed_point)
{
	T_NEAR(sprandom_fixed_point(1), 0.203188, 1e-6);	/* u = exp(-2 (1 - u)) */
	for (double op = 0.01; op < 1; op += 0.01) {
		double u = sprandom_fixed_point(op);

		T_NEAR(u, exp(-(1 - u) * (1 + op)), 1e-9);
		T_TRUE(u > 0 && u < 1);
		/* all that is valid is the logical capacity */
		T_NEAR((1 + op) * -expm1(-(1 - u) * (1 + op)) / ((1 - u) * (1 + op)), 1, 1e-6);
	}
}

/* A drive whose oldest page is cleaned next: what is valid there is written again at the head. */
static void simulate(uint64_t blocks, uint64_t pages, unsigned rounds, double *share,
		     uint32_t regions)
{
	uint64_t *owner = malloc(pages * sizeof(*owner)), head = 0;
	struct rand r;

	rand_seed(&r, 1, 1);
	at = realloc(at, blocks * sizeof(*at));
	for (uint64_t p = 0; p < pages; p++)
		owner[p] = UINT64_MAX;
	for (uint64_t b = 0; b < blocks; b++) {
		owner[b] = b;
		at[b] = b;
	}
	for (head = blocks; head < rounds * pages; head++) {
		uint64_t old = owner[head % pages];
		bool valid = old != UINT64_MAX && at[old] == head % pages;
		uint64_t block = valid ? old : rand_below(&r, blocks);

		owner[head % pages] = block;
		at[block] = head % pages;
	}
	for (uint64_t b = 0; b < blocks; b++)
		at[b] = (at[b] + pages - head % pages) % pages;	/* by age, the oldest first */
	count_valid(blocks, pages, regions, share);
	free(owner);
}

TEST(like_a_drive_after_many_rounds_of_random_writes)
{
	enum { REGIONS = 20, BLOCKS = 200000 };
	const struct sprandom_conf c = { .blocks = BLOCKS, .regions = REGIONS, .op = 0.15 };
	double wanted[REGIONS], got[REGIONS];
	struct sprandom s;

	simulate(BLOCKS, BLOCKS * 115 / 100, 40, wanted, REGIONS);
	T_EQ(sprandom_init(&s, &c, 7, 1), 0);
	count_valid(BLOCKS, write_all(&s), REGIONS, got);
	for (int i = 0; i < REGIONS; i++)
		T_NEAR(got[i], wanted[i], 0.025);
	sprandom_free(&s);
}

/* With a cache no rewrite comes before so many other writes. */
TEST(rewrites_keep_their_distance)
{
	const struct sprandom_conf c = {
		.blocks = 200000, .regions = 1000, .op = 0.15, .apart = 5000,
	};
	uint64_t block, n = 0, least = UINT64_MAX;
	struct sprandom s;

	T_EQ(sprandom_init(&s, &c, 7, 1), 0);
	T_EQ(s.regions, 22);
	at = realloc(at, c.blocks * sizeof(*at));
	memset(at, 0xff, c.blocks * sizeof(*at));
	for (; sprandom_next(&s, &block); n++) {
		if (at[block] != UINT64_MAX)
			least = fl_min(least, n - at[block]);
		at[block] = n;
	}
	T_TRUE(least > c.apart);
	sprandom_free(&s);
}

TEST(passes_differ_and_repeat)
{
	const struct sprandom_conf c = { .blocks = 1000, .regions = 10, .op = 0.2 };
	uint64_t first[1200], block, n = 0, same = 0;
	struct sprandom s;

	T_EQ(sprandom_init(&s, &c, 7, 1), 0);
	while (sprandom_next(&s, &block))
		first[n++] = block;
	sprandom_begin(&s, 1);
	for (uint64_t i = 0; sprandom_next(&s, &block); i++)
		same += first[i] == block;
	T_TRUE(same < n);
	sprandom_begin(&s, 0);
	for (uint64_t i = 0; sprandom_next(&s, &block); i++)
		T_EQ(block, first[i]);
	sprandom_free(&s);
}

TEST(small_ones)
{
	struct sprandom_conf c = { .blocks = 19, .regions = 10, .op = 0.15 };
	struct sprandom s;

	T_EQ(sprandom_init(&s, &c, 7, 1), -ERANGE);
	for (c.blocks = 20; c.blocks < 300; c.blocks++) {
		for (c.op = 0.05; c.op < 1; c.op += 0.2) {
			T_EQ(sprandom_init(&s, &c, c.blocks, 1), 0);
			T_TRUE(write_all(&s) <= s.total);
			sprandom_free(&s);
		}
	}
	c.apart = 200;
	T_EQ(sprandom_init(&s, &c, 7, 1), -ERANGE);
}
