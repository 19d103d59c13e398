/* SPDX-License-Identifier: MIT */
/* The block map against a plain array of bytes that does the same slowly. */
#include "t/test.h"

#include "lib/blockmap.h"
#include "lib/rand.h"

struct model {
	uint64_t n;
	unsigned char *used;
};

static uint64_t model_set(struct model *model, uint64_t first, uint64_t count)
{
	uint64_t done = 0;

	while (done < count && first + done < model->n && !model->used[first + done])
		model->used[first + done++] = 1;
	return done;
}

static uint64_t model_next(const struct model *model, uint64_t from)
{
	for (uint64_t i = 0; i < model->n; i++)
		if (!model->used[(from + i) % model->n])
			return (from + i) % model->n;
	return BLOCKMAP_NONE;
}

/* check_fill - fill a map of n by random ranges, asking both at each step, until it is full. */
static void check_fill(uint64_t n, uint64_t most)
{
	struct blockmap *m = blockmap_new(n);
	struct model model = { n, calloc(n, 1) };
	uint64_t left = n;
	struct rand r;

	T_TRUE(m && model.used);
	rand_seed(&r, n, most);
	while (left) {
		uint64_t from = rand_below(&r, n), count = rand_below(&r, most) + 1, done;

		T_EQ(blockmap_test(m, from), model.used[from]);
		T_EQ(blockmap_next_free(m, from), model_next(&model, from));
		if (rand_u64(&r) & 1)
			from = blockmap_next_free(m, from);
		done = model_set(&model, from, count);
		T_EQ(blockmap_set_range(m, from, count), done);
		left -= done;
		T_EQ(blockmap_left(m), left);
	}
	for (uint64_t i = 0; i < n; i++)
		T_TRUE(blockmap_test(m, i));
	T_EQ(blockmap_next_free(m, 0), BLOCKMAP_NONE);
	T_EQ(blockmap_set_range(m, n - 1, 1), 0);
	blockmap_reset(m);
	T_EQ(blockmap_left(m), n);
	T_EQ(blockmap_next_free(m, n - 1), n - 1);
	T_EQ(blockmap_test(m, n / 2), false);
	T_EQ(blockmap_set_range(m, 0, UINT64_MAX), n);
	blockmap_free(m);
	free(model.used);
}

TEST(agrees_with_a_model)
{
	for (uint64_t n = 1; n <= 200; n++)
		check_fill(n, n % 9 + 1);
	check_fill(64 * 64 - 1, 30);
	check_fill(64 * 64, 100);
	check_fill(64 * 64 + 1, 300);
}

TEST(agrees_on_several_levels)
{
	check_fill(64 * 64 * 3 + 17, 200);
	check_fill(64 * 64 * 64 + 1, 60000);
}

TEST(last_free_block_is_found_from_anywhere)
{
	const uint64_t n = (1ull << 24) + 5;
	struct blockmap *m = blockmap_new(n);
	struct rand r;

	rand_seed(&r, 1, 1);
	for (int i = 0; i < 20; i++) {
		uint64_t hole = rand_below(&r, n);

		blockmap_reset(m);
		T_EQ(blockmap_set_range(m, 0, hole), hole);
		if (hole + 1 < n)
			T_EQ(blockmap_set_range(m, hole + 1, n), n - hole - 1);
		T_EQ(blockmap_left(m), 1);
		for (int k = 0; k < 1000; k++)
			T_EQ(blockmap_next_free(m, rand_below(&r, n)), hole);
	}
	blockmap_free(m);
}

TEST(range_stops_before_a_used_block)
{
	struct blockmap *m = blockmap_new(1000);

	T_EQ(blockmap_set_range(m, 130, 1), 1);
	T_EQ(blockmap_set_range(m, 10, 500), 120);
	T_EQ(blockmap_set_range(m, 10, 500), 0);
	T_EQ(blockmap_set_range(m, 900, 0), 0);
	T_EQ(blockmap_next_free(m, 10), 131);
	T_EQ(blockmap_set_range(m, 990, 64), 10);
	T_EQ(blockmap_next_free(m, 995), 0);
	T_EQ(blockmap_left(m), 1000 - 131);
	blockmap_free(m);
}

TEST(memory_is_little_more_than_a_bit_per_block)
{
	T_EQ(blockmap_bytes(0), 0);
	T_EQ(blockmap_bytes(BLOCKMAP_BLOCKS_MAX + 1), 0);
	T_TRUE(!blockmap_new(0));
	T_TRUE(!blockmap_new(UINT64_MAX));
	T_TRUE(blockmap_bytes(1) < 256);
	T_NEAR(blockmap_bytes(1ull << 30), (1ull << 27) * 1.016, 1 << 18);
	blockmap_free(NULL);
}
