/* SPDX-License-Identifier: MIT */
/*
 * Random order: which kind the settings make, that each block comes once per pass in those that
 * promise it, for every count of blocks, and the share of random I/Os.
 */
#include "core/order.h"
#include "t/test.h"

enum { BLOCKS_MAX = 5000 };

static struct order_conf conf;
static struct order order;
static struct order_file file;
static char why[512];

static int set(const char *name, const char *value)
{
	const struct opt_units units = { .kb_base = 1024 };
	int i = opt_find(&order_options, name);
	struct fl_opt row;

	T_TRUE(i >= 0);
	opt_row(&order_options, (size_t)i, &row);
	return opt_set(&row, &conf, value, &units, why, sizeof(why));
}

static void defaults(void)
{
	opt_defaults(&order_options, &conf, sizeof(conf));
}

static struct order_need need_of(uint64_t read, uint64_t write, uint64_t trim)
{
	return (struct order_need){ .unit = { read, write, trim }, .seed = 1, .stream = 2,
				    .fixed = read == write && write == trim, .fixed_each = true };
}

static void begin(const struct order_need *need, uint64_t bytes)
{
	order_init(&order, &conf, need);
	T_EQ(order_file_init(&order, &file, bytes, 0), 0);
}

static void end(void)
{
	order_file_free(&file);
	order_free(&order);
}

/* A pass of one direction: each of n blocks comes once, then none. */
static void each_once(int dir, uint64_t n)
{
	static bool seen[BLOCKS_MAX];

	memset(seen, 0, n);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t block = order_draw(&order, &file, dir);

		if (block >= n || seen[block])
			T_FAIL("block %llu, draw %llu of %llu", (unsigned long long)block,
			       (unsigned long long)i, (unsigned long long)n);
		seen[block] = true;
		T_EQ(order_use(&order, &file, block, 1), 1);
	}
	T_EQ(order_draw(&order, &file, dir), ORDER_NONE);
}

static void every_count(const struct order_need *need, enum order_kind kind)
{
	for (uint64_t n = 1; n <= BLOCKS_MAX; n++) {
		begin(need, n * need->unit[0]);
		T_EQ(order.kind, kind);
		order_pass(&order, &file, 0, 0);
		each_once(DIR_READ, n);
		if (n % 16 == 0) {
			order_pass(&order, &file, 0, 1);
			each_once(DIR_READ, n);
		}
		end();
	}
}

TEST(permuted_covers_1_to_5000)
{
	struct order_need need = need_of(512, 512, 512);

	defaults();
	every_count(&need, ORDER_PERMUTED);
}

TEST(lfsr_covers_1_to_5000)
{
	struct order_need need = need_of(512, 512, 512);

	defaults();
	T_TRUE(set("norandommap", "1") >= 0 && set("random_generator", "lfsr") >= 0);
	T_EQ(order_check(&conf, why, sizeof(why)), 0);
	every_count(&need, ORDER_PERMUTED);
}

TEST(each_direction_covers_1_to_5000)
{
	struct order_need need = need_of(512, 1024, 512);

	defaults();
	every_count(&need, ORDER_EACH);
}

TEST(map_covers_1_to_5000)
{
	struct order_need need = need_of(512, 512, 512);

	defaults();
	need.fixed = need.fixed_each = false;
	every_count(&need, ORDER_MAP);
}

TEST(directions_are_apart)
{
	struct order_need need = need_of(512, 1024, 4096);

	defaults();
	begin(&need, 512 * 4000);
	order_pass(&order, &file, 0, 0);
	each_once(DIR_READ, 4000);
	each_once(DIR_WRITE, 2000);
	each_once(DIR_TRIM, 500);
	end();
}

TEST(directions_share_one_permutation)
{
	struct order_need need = need_of(512, 512, 512);
	bool seen[1000] = { false };

	defaults();
	begin(&need, 512 * 1000);
	order_pass(&order, &file, 0, 0);
	for (int i = 0; i < 1000; i++) {
		uint64_t block = order_draw(&order, &file, i % 3);

		T_TRUE(block < 1000 && !seen[block]);
		seen[block] = true;
	}
	T_EQ(order_draw(&order, &file, DIR_WRITE), ORDER_NONE);
	end();
}

TEST(map_cuts_short)
{
	struct order_need need = need_of(512, 512, 512);
	uint64_t covered = 0, draws = 0;
	bool seen[1003] = { false };

	defaults();
	need.fixed = need.fixed_each = false;
	begin(&need, 512 * 1003);
	order_pass(&order, &file, 0, 0);
	for (;;) {
		uint64_t block = order_draw(&order, &file, 0), n;

		if (block == ORDER_NONE)
			break;
		n = order_use(&order, &file, block, fl_min(7u, 1003 - block));
		T_TRUE(n >= 1 && n <= 7);
		for (uint64_t i = 0; i < n; i++) {
			T_TRUE(!seen[block + i]);
			seen[block + i] = true;
		}
		covered += n;
		draws++;
	}
	T_EQ(covered, 1003);
	T_TRUE(draws < 500);
	end();
}

TEST(kinds)
{
	struct order_need need = need_of(4096, 4096, 4096);

	defaults();
	T_EQ(order_kind(&conf, &need), ORDER_PERMUTED);
	T_EQ(order_map_bytes(&conf, &need, 8ull << 40), 0);
	need.fixed = false;
	T_EQ(order_kind(&conf, &need), ORDER_EACH);
	need.fixed_each = false;
	T_EQ(order_kind(&conf, &need), ORDER_MAP);
	T_TRUE(order_map_bytes(&conf, &need, 8ull << 40) >= (8ull << 40) / 4096 / 8);
	T_TRUE(order_map_bytes(&conf, &need, 8ull << 40) < (8ull << 40) / 4096 / 7);
	need.overlap = true;		/* blockalign */
	T_EQ(order_kind(&conf, &need), ORDER_FREE);
	need.overlap = false;
	T_TRUE(set("norandommap", "1") >= 0);
	T_EQ(order_kind(&conf, &need), ORDER_FREE);
	T_TRUE(set("random_distribution", "zipf:1.2") >= 0);
	T_EQ(order_kind(&conf, &need), ORDER_DIST);
}

TEST(free_has_no_end)
{
	struct order_need need = need_of(4096, 4096, 4096);
	unsigned count[100] = { 0 };

	defaults();
	T_TRUE(set("norandommap", "1") >= 0);
	begin(&need, 4096 * 100 + 17);
	order_pass(&order, &file, 0, 0);
	for (int i = 0; i < 100000; i++) {
		uint64_t block = order_draw(&order, &file, DIR_WRITE);

		T_TRUE(block < 100);
		count[block]++;
	}
	for (int i = 0; i < 100; i++)
		T_NEAR(count[i], 1000, 150);
	end();
}

TEST(alignment_is_the_unit)
{
	struct order_need need = need_of(4096, 512, 4096);
	uint64_t most = 0;

	defaults();
	need.overlap = true;
	begin(&need, 1 << 20);
	for (int i = 0; i < 20000; i++)
		most = fl_max(most, order_draw(&order, &file, DIR_WRITE));
	T_EQ(most, (1 << 20) / 512 - 1);
	end();
}

TEST(no_block_fits)
{
	struct order_need need = need_of(4096, 4096, 4096);
	static const char *const kinds[] = { "0", "1" };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		defaults();
		T_TRUE(set("norandommap", kinds[i]) >= 0);
		begin(&need, 4095);
		order_pass(&order, &file, 0, 0);
		T_EQ(order_draw(&order, &file, 0), ORDER_NONE);
		end();
	}
	defaults();
	T_TRUE(set("random_distribution", "zipf") >= 0);
	begin(&need, 4095);
	T_EQ(order_draw(&order, &file, 0), ORDER_NONE);
	end();
}

TEST(passes_and_files_have_their_own_order)
{
	struct order_need need = need_of(512, 512, 512);
	uint64_t first[1000];
	int same[2] = { 0 };

	defaults();
	begin(&need, 512000);
	order_pass(&order, &file, 0, 0);
	for (int i = 0; i < 1000; i++)
		first[i] = order_draw(&order, &file, 0);
	order_pass(&order, &file, 0, 1);
	for (int i = 0; i < 1000; i++)
		same[0] += order_draw(&order, &file, 0) == first[i];
	order_file_free(&file);
	T_EQ(order_file_init(&order, &file, 512000, 1), 0);
	order_pass(&order, &file, 1, 0);
	for (int i = 0; i < 1000; i++)
		same[1] += order_draw(&order, &file, 0) == first[i];
	T_TRUE(same[0] < 12 && same[1] < 12);
	end();
}

TEST(share_of_random_ios)
{
	struct order_need need = need_of(512, 512, 512);
	int random[DIRS] = { 0 };

	defaults();
	T_TRUE(set("percentage_random", "30,0") >= 0);
	begin(&need, 512000);
	for (int i = 0; i < 100000; i++)
		for (int d = 0; d < DIRS; d++)
			random[d] += order_random_now(&order, d);
	T_NEAR(random[DIR_READ], 30000, 600);
	T_EQ(random[DIR_WRITE], 0);
	T_EQ(random[DIR_TRIM], 0);
	end();
	defaults();
	begin(&need, 512000);
	for (int i = 0; i < 1000; i++)
		T_TRUE(order_random_now(&order, DIR_READ));
	end();
}

static void refuses(const char *name, const char *value, const char *word)
{
	defaults();
	T_TRUE(set(name, value) < 0);
	if (!strstr(why, word))
		T_FAIL("%s=%s: no '%s' in: %s", name, value, word, why);
}

TEST(what_is_refused)
{
	refuses("percentage_random", "101", "100");
	refuses("percentage_random", "-1", "");
	refuses("percentage_random", "1,2,3,4", "");
	refuses("random_distribution", "zipf:-1", "");
	refuses("random_distribution", "zipf:x", "");
	refuses("random_distribution", "pareto:0", "");
	refuses("random_distribution", "pareto:1", "");
	refuses("random_distribution", "normal:101", "");
	refuses("random_distribution", "zipf:1.1:2", "");
	refuses("random_distribution", "zoned:50/10:40/20", "add up to 90");
	refuses("random_distribution", "zoned:50/60:50/60", "120");
	refuses("random_distribution", "zoned", "");
	refuses("random_distribution", "sequence:", "");
	refuses("random_distribution", "poisson:3", "");
	refuses("random_generator", "mersenne", "");
	defaults();
	T_TRUE(set("random_sequence_stride", "1") >= 0);
	T_EQ(order_check(&conf, why, sizeof(why)), -EINVAL);
	T_TRUE(strstr(why, "sequence"));
}

TEST(what_lies_beyond_the_file)
{
	struct order_need need = need_of(4096, 4096, 4096);

	defaults();
	T_TRUE(set("random_distribution", "zoned_abs:50/8m:50/8m") >= 0);
	order_init(&order, &conf, &need);
	T_EQ(order_file_init(&order, &file, 1 << 20, 0), -ERANGE);
	end();
	defaults();
	T_TRUE(set("random_distribution", "sequence:0,256") >= 0);
	order_init(&order, &conf, &need);
	T_EQ(order_file_init(&order, &file, 1 << 20, 0), -ERANGE);
	end();
}
