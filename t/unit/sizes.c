/* SPDX-License-Identifier: MIT */
/*
 * Sizes of I/Os: what bssplit, bsrange and bs accept, what they refuse in which
 * words, and the draw.
 */
#include "core/sizes.h"
#include "t/test.h"

#define KIB 1024ull

static struct sizes_conf conf;
static struct sizes sizes;
static char why[512];

static int set(const char *name, const char *value)
{
	const struct opt_units units = { .kb_base = 1024 };
	struct fl_opt row;
	int i = opt_find(&sizes_options, name);

	T_TRUE(i >= 0);
	opt_row(&sizes_options, (size_t)i, &row);
	why[0] = '\0';
	return opt_set(&row, &conf, value, &units, why, sizeof(why));
}

static int only(const char *name, const char *value)
{
	opt_defaults(&sizes_options, &conf, sizeof(conf));
	return set(name, value);
}

static void refuses(const char *name, const char *value, const char *word)
{
	T_TRUE(only(name, value) < 0);
	if (!strstr(why, word))
		T_FAIL("%s=%s: no '%s' in: %s", name, value, word, why);
}

/* The shares of one direction as text, "4096/50 8192/50". */
static const char *shares(int dir)
{
	static char text[1024];
	const struct size_split *s = &conf.split.dir[dir];
	size_t at = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < s->count; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%llu/%g", i ? " " : "",
				       (unsigned long long)s->share[i].bytes, s->share[i].percent);
	return text;
}

static const struct sizes_need need;

TEST(splits)
{
	T_TRUE(only("bssplit", "4k/50:8k/50") >= 0);
	T_STR(shares(DIR_READ), "4096/50 8192/50");
	T_STR(shares(DIR_WRITE), "4096/50 8192/50");
	T_STR(shares(DIR_TRIM), "4096/50 8192/50");
	T_TRUE(only("bssplit", "4k/10:64k/50:32k/40,8k/100") >= 0);
	T_STR(shares(DIR_READ), "4096/10 65536/50 32768/40");
	T_STR(shares(DIR_WRITE), "8192/100");
	T_TRUE(only("bssplit", "4k/100,,16k/100") >= 0);
	T_STR(shares(DIR_READ), "4096/100");
	T_STR(shares(DIR_WRITE), "");
	T_STR(shares(DIR_TRIM), "16384/100");
	T_TRUE(only("bssplit", "512") >= 0);
	T_STR(shares(DIR_READ), "512/100");
}

TEST(blank_percentages_share_what_is_left)
{
	T_TRUE(only("bssplit", "4k/:8k/:32k/10") >= 0);
	T_STR(shares(DIR_READ), "4096/45 8192/45 32768/10");
	T_TRUE(only("bssplit", "4k:8k:16k/50:32k") >= 0);
	T_STR(shares(DIR_READ), "4096/16.6667 8192/16.6667 16384/50 32768/16.6667");
	T_TRUE(only("bssplit", "4k/100:8k/") >= 0);
	T_STR(shares(DIR_READ), "4096/100 8192/0");
}

TEST(fractions)
{
	T_TRUE(only("bssplit", "4k/33.5:8k/66.5") >= 0);
	T_STR(shares(DIR_READ), "4096/33.5 8192/66.5");
	T_TRUE(only("bssplit", "4k/33.3333:8k/33.3333:16k/33.3334") >= 0);
	T_TRUE(only("bssplit", "4k/0.1:8k/99.9") >= 0);
}

TEST(splits_that_are_none)
{
	refuses("bssplit", "4k/60:8k/60", "add up to 120");
	refuses("bssplit", "4k/60:8k/30", "add up to 90");
	refuses("bssplit", "4k/33.3:8k/33.3:16k/33.3", "add up to 99.9");
	refuses("bssplit", "4k/0", "add up to 0");
	refuses("bssplit", "4k/101", "100");
	refuses("bssplit", "4k/-1:8k/101", "");
	refuses("bssplit", "4k/50/50", "more than one '/'");
	refuses("bssplit", "0/100", "no size of a block");
	refuses("bssplit", "5g/100", "4 GiB");
	refuses("bssplit", "4q/100", "");
	refuses("bssplit", "/100", "");
	refuses("bssplit", "4k/50::8k/50", "");
	refuses("bssplit", "4k/50:8k/50:", "");
	refuses("bssplit", "4k/100,8k/100,16k/100,32k/100", "");
	refuses("bssplit", "4k/100,8k/99", "add up to 99");
}

TEST(too_many_sizes)
{
	char text[2048] = "512/1";

	for (int i = 0; i < SIZES_SPLIT_MAX - 1; i++)
		strcat(text, ":512");
	T_TRUE(only("bssplit", text) >= 0);
	T_EQ(conf.split.dir[0].count, SIZES_SPLIT_MAX);
	strcat(text, ":512");
	refuses("bssplit", text, "more than 64 sizes");
}

TEST(ranges)
{
	struct range r;

	T_TRUE(only("bsrange", "4k-16k,8k-8k") >= 0);
	T_EQ(sizes_check(&conf, &need, why, sizeof(why)), 0);
	r = sizes_range(&conf, DIR_READ);
	T_EQ(r.lo, 4 * KIB);
	T_EQ(r.hi, 16 * KIB);
	r = sizes_range(&conf, DIR_TRIM);
	T_EQ(r.lo, 8 * KIB);
	T_EQ(r.hi, 8 * KIB);
	T_EQ(sizes_min(&conf, 1u << DIR_READ | 1u << DIR_WRITE), 4 * KIB);
	T_EQ(sizes_max(&conf, 1u << DIR_WRITE), 8 * KIB);
	T_TRUE(only("bsrange", "16k-4k") >= 0);
	T_EQ(sizes_check(&conf, &need, why, sizeof(why)), 0);
	T_EQ(sizes_range(&conf, DIR_READ).lo, 4 * KIB);
	refuses("bsrange", "0-4k", "");
	refuses("bsrange", "4k-", "");
}

TEST(what_beats_what)
{
	T_TRUE(only("bs", "4k") >= 0);
	T_TRUE(set("bsrange", "8k-16k") >= 0);
	T_EQ(sizes_range(&conf, DIR_READ).hi, 16 * KIB);
	T_TRUE(set("bssplit", "1k/50:2k/50") >= 0);
	T_EQ(sizes_range(&conf, DIR_READ).lo, 1 * KIB);
	T_EQ(sizes_range(&conf, DIR_READ).hi, 2 * KIB);
}

TEST(a_share_of_nothing_is_no_size)
{
	T_TRUE(only("bssplit", "512/0:4k/100") >= 0);
	T_EQ(sizes_range(&conf, DIR_READ).lo, 4 * KIB);
	T_EQ(sizes_range(&conf, DIR_READ).hi, 4 * KIB);
	T_TRUE(only("bssplit", "4k/50:1m/0:8k/50") >= 0);
	T_EQ(sizes_range(&conf, DIR_READ).hi, 8 * KIB);
}

/* How often each multiple of unit is drawn, of 100,000. */
static void draw(int dir, uint64_t unit, unsigned *count, size_t n)
{
	struct rand r;

	sizes_init(&sizes, &conf);
	rand_seed(&r, 4711, 1);
	memset(count, 0, n * sizeof(*count));
	for (int i = 0; i < 100000; i++) {
		uint64_t len = sizes_draw(&sizes, dir, &r);

		T_EQ(len % unit, 0);
		T_TRUE(len / unit < n);
		count[len / unit]++;
	}
}

TEST(draws_of_a_split)
{
	unsigned count[17];

	T_TRUE(only("bssplit", "4k/60:0.5k/0:16k/10:8k/30") >= 0);
	draw(DIR_READ, 4 * KIB, count, 17);
	T_NEAR(count[1], 60000, 600);
	T_NEAR(count[2], 30000, 600);
	T_NEAR(count[4], 10000, 400);
	T_EQ(count[0] + count[3], 0);
	T_TRUE(only("bssplit", "4k/33.3333:8k/33.3333:16k/33.3334") >= 0);
	draw(DIR_WRITE, 4 * KIB, count, 17);
	T_NEAR(count[1], 33333, 600);
	T_NEAR(count[4], 33333, 600);
}

TEST(draws_of_a_range)
{
	unsigned count[65];

	T_TRUE(only("bsrange", "4k-64k") >= 0);
	draw(DIR_READ, 4 * KIB, count, 65);
	for (int i = 1; i <= 16; i++)
		T_NEAR(count[i], 6250, 350);
	/* The upper bound is no multiple: it is not drawn. */
	T_TRUE(only("bsrange", "4k-10k") >= 0);
	draw(DIR_READ, 4 * KIB, count, 65);
	T_NEAR(count[1], 50000, 700);
	T_EQ(count[1] + count[2], 100000);
}

TEST(draws_of_any_size)
{
	unsigned count[65] = { 0 };

	T_TRUE(only("bsrange", "10-64") >= 0);
	T_TRUE(set("bs_unaligned", "1") >= 0);
	draw(DIR_READ, 1, count, 65);
	for (int i = 10; i <= 64; i++)
		T_NEAR(count[i], 100000 / 55, 220);
	T_EQ(count[9], 0);
}

TEST(alignment)
{
	T_TRUE(only("blockalign", "8k,512") >= 0);
	T_EQ(conf.align.v[DIR_READ], 8 * KIB);
	T_EQ(conf.align.v[DIR_WRITE], 512);
	T_EQ(conf.align.v[DIR_TRIM], 512);
	T_TRUE(only("ba", "1m") >= 0);
	T_EQ(conf.align.v[DIR_TRIM], 1024 * KIB);
	refuses("ba", "0", "");
}

/* bs_is_seq_rand: what reads have is for sequential I/Os, what writes have for random ones. */
TEST(by_order)
{
	const struct sizes_need seq = { 0 }, random = { .random = true };
	const struct sizes_need mixed = { .random = true, .follows = true };
	struct sizes s;

	set("bs", "4k,64k");
	conf.by_order = 1;
	T_EQ(sizes_check(&conf, &seq, why, sizeof(why)), 0);
	T_EQ(sizes_min(&conf, 7), 4096);
	T_EQ(sizes_max(&conf, 7), 4096);
	set("bs", "4k,64k");
	T_EQ(sizes_check(&conf, &random, why, sizeof(why)), 0);
	T_EQ(sizes_min(&conf, 1), 65536);
	T_EQ(sizes_max(&conf, 7), 65536);
	set("bs", "4k,64k");
	T_EQ(sizes_check(&conf, &mixed, why, sizeof(why)), 0);
	T_EQ(sizes_min(&conf, 1), 4096);
	T_EQ(sizes_max(&conf, 1), 65536);
	sizes_init(&s, &conf);
	T_TRUE(s.has_following);
	T_EQ(s.dir[DIR_READ].lo, 65536);
	T_EQ(s.dir[SIZES_FOLLOWING].lo, 4096);
}
