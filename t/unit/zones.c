/* SPDX-License-Identifier: MIT */
/*
 * zonemode=strided: which blocks come in which order. What is sequential must be what fio does,
 * block by block; what is random must stay in its zone, each block once.
 */
#include "core/workload.h"
#include "core/zones.h"
#include "t/test.h"

#define KIB	1024ull
#define MIB	(1024 * KIB)
#define BS	(4 * KIB)

static struct workload w;
static struct workload_conf conf;
static uint64_t blocks[65536];		/* 4 KiB blocks in the order they came */
static size_t count;

/* zonesize, zonerange, zoneskip in KiB */
static void set(uint32_t rw, uint64_t size, uint64_t range, uint64_t skip)
{
	char why[256];
	const struct zones_use use = { .block_min = BS, .random = rw & RW_RANDOM };

	conf = (struct workload_conf){ .rw.bits = rw, .mix_read = 50, .loops = 1 };
	for (int d = 0; d < DIRS; d++) {
		conf.sizes.bs.v[d] = BS;
		conf.order.percent.v[d] = 100;
	}
	conf.zones = (struct zones_conf){
		.mode = ZONES_STRIDED, .size = size * KIB, .range = range * KIB,
		.skip.bytes = skip * KIB,
	};
	T_EQ(zones_check(&conf.zones, &use, why, sizeof(why)), 0);
}

/* All passes over one file of `size` KiB whose part begins at `start` and is the amount to do. */
static size_t run(uint64_t start, uint64_t bytes, uint64_t size)
{
	struct workload_file *f = calloc(1, sizeof(*f));
	struct workload_io io;

	f->start = start * KIB;
	f->bytes = bytes * KIB;
	f->size = size * KIB;
	T_EQ(workload_init(&w, &conf, f, 1, conf.io_size.bytes, 20061, 0), 0);
	for (count = 0; workload_next_pass(&w, false);) {
		while (workload_next(&w, &io) && count < ARRAY_SIZE(blocks)) {
			T_TRUE(io.offset >= start * KIB && io.offset + io.len <= size * KIB);
			blocks[count++] = io.offset / BS;
		}
	}
	workload_free(&w);
	return count;
}

static const char *order(void)
{
	static char text[1024];
	size_t at = 0;

	for (size_t i = 0; i < count && at < sizeof(text) - 24; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%llu", i ? " " : "",
				       (unsigned long long)blocks[i]);
	return text;
}

/* Zones of size, range and skip, in a file of 64 KiB of which `bytes` from `start` on are used. */
static void zoned(uint64_t size, uint64_t range, uint64_t skip, uint64_t start, uint64_t bytes,
		  const char *wanted)
{
	set(RW_READ, size, range, skip);
	run(start, bytes, 64);
	T_STR(order(), wanted);
}

TEST(a_part_of_each_zone)
{
	zoned(8, 16, 0, 0, 64, "0 1 4 5 8 9 12 13 0 1 4 5 8 9 12 13");
}

TEST(gaps_between_zones)
{
	zoned(8, 8, 8, 8, 56, "2 3 6 7 10 11 14 15 2 3 6 7 10 11");
}

TEST(each_zone_more_than_once)
{
	zoned(24, 16, 8, 0, 64, "0 1 2 3 0 1 6 7 8 9 6 7 12 13 14 15");
}

TEST(zones_go_on_behind_the_amount)
{
	zoned(8, 8, 8, 8, 32, "2 3 6 7 10 11 14 15");
}

TEST(a_zone_cut_by_the_end_of_the_file_ends_the_pass)
{
	set(RW_READ, 8, 8, 12);
	conf.loops = 2;
	run(0, 64, 64);
	T_STR(order(), "0 1 5 6 10 11 15 0 1 5 6 10 11 15");
}

/* In zones of size and range, every second block. */
static void stepped(uint64_t size, uint64_t range, const char *wanted)
{
	set(RW_READ, size, range, 0);
	conf.rw.step = 4 * KIB;
	run(0, 64, 64);
	T_STR(order(), wanted);
}

TEST(a_step_stays_in_the_zone)
{
	stepped(8, 16, "0 2 4 6 8 10 12 14 0 2 4 6 8 10 12 14");
	stepped(32, 16, "0 2 0 2 0 2 0 2 4 6 4 6 4 6 4 6");
}

TEST(both_directions_begin_in_the_zone)
{
	set(RW_READ | RW_WRITE, 64, 64, 64);
	run(0, 1024, 1024);
	T_EQ(count, 256);
	for (size_t i = 0; i < count; i++)
		T_EQ(blocks[i] / 16, i / 16 * 2 % 16);
}

/* `zone` blocks of which `part` are visited at a time. */
static void each_once(uint64_t zone, uint64_t part, uint64_t file)
{
	uint8_t *seen = calloc(file, 1);

	for (size_t i = 0; i < count; i++) {
		uint64_t visit = i / part;

		if (i % part % zone == 0)
			memset(seen, 0, file);
		T_EQ(blocks[i] / zone, visit % (file / zone));
		T_EQ(seen[blocks[i]]++, 0);
	}
	free(seen);
}

TEST(random_order_starts_afresh_in_each_zone)
{
	set(RW_READ | RW_RANDOM, 16, 16, 0);
	conf.loops = 4;
	run(0, 64, 64);
	T_EQ(count, 64);
	each_once(4, 4, 16);
	/* orders differ: of 16, hardly more than a few are the same by chance */
	for (size_t i = 4, same = 0; i < 64; i += 4) {
		bool like = true;

		for (size_t k = 0; k < 4; k++)
			like &= blocks[i + k] % 4 == blocks[k] % 4;
		T_TRUE((same += like) < 6);
	}
}

TEST(random_part_of_a_zone_and_several_rounds)
{
	for (uint64_t part = 2; part <= 32; part *= 16) {
		set(RW_WRITE | RW_RANDOM, part * BS / KIB, 64, 0);
		run(0, 1024, 1024);
		T_EQ(count, 256);
		each_once(16, part, 256);
	}
}

/* Large zones take the order that costs nothing to begin. Every part of a zone is met. */
TEST(random_in_large_zones)
{
	uint64_t third[3] = { 0 };

	set(RW_READ | RW_RANDOM, 256, 3 * 8 * MIB / KIB, 0);
	run(0, 48 * MIB / KIB, 48 * MIB / KIB);
	T_EQ(count, 12288);
	each_once(6144, 64, 12288);
	for (size_t i = 0; i < count; i++)
		third[blocks[i] % 6144 / 2048]++;
	for (int i = 0; i < 3; i++)
		T_TRUE(third[i] > 3800 && third[i] < 4400);
}

TEST(random_in_a_zone_that_is_cut)
{
	set(RW_READ | RW_RANDOM, 16, 24, 0);
	run(0, 64, 64);
	T_EQ(count, 16);
	for (size_t i = 0; i < 12; i++)
		T_EQ(blocks[i] / 6, i / 4);
	set(RW_READ | RW_RANDOM, 8, 60, 0);
	run(0, 64, 64);
	T_EQ(count, 3);
	T_EQ(blocks[2], 15);
}

TEST(random_sizes_and_no_map)
{
	set(RW_READ | RW_RANDOM, 16, 16, 0);
	conf.sizes.bsrange.v[DIR_READ] = (struct range){ BS, 2 * BS };
	run(0, 64, 64);
	for (size_t i = 1; i < count; i++)
		T_TRUE(blocks[i] / 4 >= blocks[i - 1] / 4);
	set(RW_READ | RW_RANDOM, 64, 16, 0);
	conf.order.norandommap = 1;
	T_EQ(run(0, 64, 64), 16);
	for (size_t i = 0; i < count; i++)
		T_TRUE(blocks[i] < 4);
}

TEST(a_distribution_is_over_the_zone)
{
	static uint64_t list[] = { 3, 1 };

	set(RW_READ | RW_RANDOM, 16, 16, 0);
	for (int d = 0; d < DIRS; d++)
		conf.order.dist.dir[d] = (struct dist_conf){
			.kind = DIST_SEQUENCE, .count = 2, .sequence = list,
		};
	run(0, 64, 64);
	T_STR(order(), "3 1 3 1 7 5 7 5 11 9 11 9 15 13 15 13");
}

static int refusal(struct zones_conf c, struct zones_use use, char *why)
{
	why[0] = '\0';
	return zones_check(&c, &use, why, 256);
}

TEST(what_does_not_fit_is_refused_by_name)
{
	const struct zones_use use = { .block_min = BS, .random = true };
	char why[256];

	T_EQ(refusal((struct zones_conf){ .mode = ZONES_STRIDED, .range = 1 }, use, why), -EINVAL);
	T_TRUE(strstr(why, "zonesize="));
	T_EQ(refusal((struct zones_conf){ .mode = ZONES_STRIDED, .size = 8192, .range = 2048 }, use,
		     why), -EINVAL);
	T_TRUE(strstr(why, "zonerange=2048 holds no block of bs=4096"));
	T_EQ(refusal((struct zones_conf){ .size = 8192 }, use, why), -EINVAL);
	T_TRUE(strstr(why, "zonesize=8192 needs zonemode="));
	T_EQ(refusal((struct zones_conf){ .range = 8192 }, use, why), 1);
	T_TRUE(strstr(why, "zonerange has no effect"));
	T_EQ(refusal((struct zones_conf){ .mode = ZONES_STRIDED, .size = 8192,
					  .skip.percent = 10 }, use, why), -EINVAL);
	T_TRUE(strstr(why, "zoneskip"));
	T_EQ(refusal((struct zones_conf){ .mode = ZONES_STRIDED, .size = 8192 },
		     (struct zones_use){ .block_min = BS, .backwards = true }, why), -EINVAL);
	T_TRUE(strstr(why, "backwards"));
}

TEST(zones_as_a_unit)
{
	const struct zones_conf none = { .mode = ZONES_NONE };
	const struct zones_conf of_device = { .mode = ZONES_ZBD };
	const struct zones_conf given = { .mode = ZONES_ZBD, .size = MIB };
	struct amount a = { .zones = 5 };
	char why[256];

	T_EQ(zones_settle(&none, "size", &a, why, sizeof(why)), -EINVAL);
	T_TRUE(strstr(why, "size=5z"));
	T_EQ(zones_settle(&of_device, "size", &a, why, sizeof(why)), 0);
	T_EQ(a.zones, 5);
	T_EQ(zones_settle(&given, "size", &a, why, sizeof(why)), 0);
	T_EQ(a.bytes, 5 * MIB);
	T_EQ(a.zones, 0);
	a = (struct amount){ .zones = UINT64_MAX / 2 };
	T_EQ(zones_settle(&given, "size", &a, why, sizeof(why)), -EINVAL);
}
