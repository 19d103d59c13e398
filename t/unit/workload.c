/* SPDX-License-Identifier: MIT */
/*
 * The order of I/Os. Each case asks a workload for everything it has to give and looks at the list:
 * which bytes were covered how often, in which order, and when it ended.
 */
#include "core/workload.h"
#include "core/files.h"
#include "t/test.h"

#define KIB 1024ull
#define MIB (1024 * KIB)
#define IOS_MAX 100000

static struct workload w;
static struct workload_io ios[IOS_MAX];
static size_t n_ios;
static struct workload_conf conf;

/* The tables of the workload, and where each has its conf struct. */
static const struct {
	const struct opt_table *table;
	void *conf;
	size_t size;
} parts[] = {
	{ &workload_options, &conf, sizeof(conf) },
	{ &sizes_options, &conf.sizes, sizeof(conf.sizes) },
	{ &order_options, &conf.order, sizeof(conf.order) },
	{ &turns_options, &conf.turns, sizeof(conf.turns) },
};

static void set_one(const char *word, const char *value)
{
	const struct opt_units units = { .kb_base = 1024 };
	char why[256] = "";

	for (size_t p = 0; p < ARRAY_SIZE(parts); p++) {
		int i = opt_find(parts[p].table, word);
		struct fl_opt row;

		if (i < 0)
			continue;
		opt_row(parts[p].table, (size_t)i, &row);
		if (opt_set(&row, parts[p].conf, value, &units, why, sizeof(why)) < 0)
			T_FAIL("%s=%s: %s", word, value, why);
		return;
	}
	T_FAIL("no option %s", word);
}

/* The settings of a job that gives no option but these: "rw=randread bs=8k". */
static struct workload_conf *set(const char *text)
{
	char *words = strdup(text), *rest = words, *word, why[256] = "";

	for (size_t p = 0; p < ARRAY_SIZE(parts); p++)
		opt_defaults(parts[p].table, parts[p].conf, parts[p].size);
	while ((word = strsep(&rest, " "))) {
		char *value = strchr(word, '=');

		if (value)
			*value++ = '\0';
		set_one(word, value);
	}
	free(words);
	if (workload_check(&conf, why, sizeof(why)))
		T_FAIL("%s", why);
	return &conf;
}

static uint64_t part_bytes;	/* size= where filesize= is given too */

/* Start it over files of `bytes` each. */
static void begin(const char *text, uint32_t nr_files, uint64_t start, uint64_t bytes)
{
	struct workload_file *files = calloc(nr_files, sizeof(*files));
	const struct workload_conf *c = set(text);

	conf.part_bytes = part_bytes;
	for (uint32_t i = 0; i < nr_files; i++) {
		files[i].start = start;
		files[i].bytes = bytes;
	}
	T_EQ(workload_init(&w, c, files, nr_files, workload_limit(c, nr_files * bytes, 0),
			   c->randseed, 0), 0);
}

/* One pass, appended to ios[]. */
static size_t pass(void)
{
	size_t before = n_ios;

	while (n_ios < IOS_MAX && workload_next(&w, &ios[n_ios]))
		n_ios++;
	return n_ios - before;
}

/* All of it; returns the number of passes. */
static unsigned run(const char *text, uint32_t nr_files, uint64_t bytes)
{
	unsigned passes = 0;

	n_ios = 0;
	begin(text, nr_files, 0, bytes);
	for (; workload_next_pass(&w, false); passes++)
		pass();
	workload_free(&w);
	return passes;
}

static size_t count(uint32_t op)
{
	size_t n = 0;

	for (size_t i = 0; i < n_ios; i++)
		n += ios[i].op == op;
	return n;
}

static uint64_t bytes_of(uint32_t op)
{
	uint64_t n = 0;

	for (size_t i = 0; i < n_ios; i++)
		n += ios[i].op == op ? ios[i].len : 0;
	return n;
}

/* Is each piece of this size of each file met exactly `times` times? */
static void covers(uint32_t nr_files, uint64_t bytes, uint64_t piece, unsigned times)
{
	size_t pieces = bytes / piece;
	unsigned *hits = calloc(nr_files * pieces, sizeof(*hits));

	for (size_t i = 0; i < n_ios; i++) {
		if (ios[i].op >= DIRS)
			continue;
		T_EQ(ios[i].offset % piece, 0);
		T_EQ(ios[i].len % piece, 0);
		T_TRUE(ios[i].offset + ios[i].len <= bytes);
		for (uint64_t at = 0; at < ios[i].len; at += piece)
			hits[ios[i].file * pieces + (ios[i].offset + at) / piece]++;
	}
	for (size_t i = 0; i < nr_files * pieces; i++)
		T_EQ(hits[i], times);
	free(hits);
}

static bool in_order(void)
{
	for (size_t i = 1; i < n_ios; i++)
		if (ios[i].offset < ios[i - 1].offset)
			return false;
	return true;
}

/* The offsets of the first I/Os in KiB, "0 12 24". */
static const char *offsets(size_t n)
{
	static char text[1024];
	size_t at = 0;

	for (size_t i = 0; i < n && i < n_ios; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%llu", i ? " " : "",
				       (unsigned long long)(ios[i].offset / KIB));
	return text;
}

TEST(sequential_covers_in_order)
{
	T_EQ(run("rw=read", 1, 64 * KIB), 1);
	T_EQ(n_ios, 16);
	T_TRUE(in_order());
	covers(1, 64 * KIB, 4 * KIB, 1);
	T_EQ(count(FL_OP_READ), 16);
}

TEST(sequential_leaves_the_odd_tail)
{
	run("rw=write", 1, 10000);
	T_EQ(n_ios, 2);
	T_EQ(bytes_of(FL_OP_WRITE), 8192);
}

TEST(begins_at_the_offset)
{
	n_ios = 0;
	begin("rw=randread", 1, 20 * KIB, 64 * KIB);
	T_EQ(workload_next_pass(&w, false), 1);
	T_EQ(pass(), 16);
	for (size_t i = 0; i < n_ios; i++)
		T_TRUE(ios[i].offset >= 20 * KIB && ios[i].offset + ios[i].len <= 84 * KIB);
	workload_free(&w);
}

TEST(nothing_fits)
{
	struct workload_file *files = calloc(1, sizeof(*files));

	files->bytes = 4095;
	T_EQ(workload_init(&w, set("rw=read"), files, 1, 0, 1, 0), -EINVAL);
	workload_free(&w);
}

static void every_count(uint64_t from, uint64_t to)
{
	for (uint64_t blocks = from; blocks <= to; blocks++) {
		run("rw=randread bs=512", 1, blocks * 512);
		T_EQ(n_ios, blocks);
		covers(1, blocks * 512, 512, 1);
	}
}

TEST(random_covers_1_to_2000_blocks) { every_count(1, 2000); }
TEST(random_covers_2001_to_3700_blocks) { every_count(2001, 3700); }
TEST(random_covers_3701_to_5000_blocks) { every_count(3701, 5000); }

TEST(random_covers_beyond_the_table)
{
	run("rw=randwrite bs=512", 1, 70001 * 512);
	T_EQ(n_ios, 70001);
	covers(1, 70001 * 512, 512, 1);
}

TEST(random_is_not_sequential)
{
	size_t up = 0;

	run("rw=randread", 1, 4 * MIB);
	for (size_t i = 1; i < n_ios; i++)
		up += ios[i].offset > ios[i - 1].offset;
	T_TRUE(up > n_ios * 4 / 10 && up < n_ios * 6 / 10);
}

TEST(passes_of_a_random_job_differ)
{
	size_t same = 0;

	T_EQ(run("rw=randread loops=2", 1, 4 * MIB), 2);
	T_EQ(n_ios, 2048);
	for (size_t i = 0; i < 1024; i++)
		same += ios[i].offset == ios[i + 1024].offset;
	T_TRUE(same < 20);
	covers(1, 4 * MIB, 4 * KIB, 2);
}

TEST(without_a_map_blocks_come_again)
{
	bool seen[1024] = { false };
	size_t distinct = 0;

	run("rw=randread norandommap", 1, 4 * MIB);
	T_EQ(n_ios, 1024);
	for (size_t i = 0; i < n_ios; i++) {
		distinct += !seen[ios[i].offset / 4096];
		seen[ios[i].offset / 4096] = true;
	}
	/* 1 - 1/e of them are expected */
	T_NEAR(distinct, 647, 50);
}

static void same_order(const char *text, uint64_t bytes)
{
	static struct workload_io first[IOS_MAX];
	size_t n;

	run(text, 2, bytes);
	n = n_ios;
	memcpy(first, ios, n * sizeof(*ios));
	run(text, 2, bytes);
	T_EQ(n_ios, n);
	for (size_t i = 0; i < n; i++) {
		T_EQ(ios[i].op, first[i].op);
		T_EQ(ios[i].file, first[i].file);
		T_EQ(ios[i].offset, first[i].offset);
		T_EQ(ios[i].len, first[i].len);
	}
}

TEST(same_seed_same_order)
{
	same_order("rw=randrw", MIB);
	same_order("rw=randread bsrange=4k-16k", MIB);
	same_order("rw=randwrite norandommap", MIB);
	same_order("rw=randrw bs=4k,16k", MIB);
}

TEST(another_seed_another_order)
{
	static struct workload_io first[256];
	size_t same = 0;

	run("rw=randread", 1, MIB);
	memcpy(first, ios, sizeof(first));
	run("rw=randread randseed=2", 1, MIB);
	for (size_t i = 0; i < 256; i++)
		same += ios[i].offset == first[i].offset;
	T_TRUE(same < 12);
}

TEST(a_check_job_repeats_the_writes)
{
	static struct workload_io first[512];

	run("rw=randwrite bs=2k", 1, MIB);
	memcpy(first, ios, sizeof(first));
	run("rw=randread bs=2k", 1, MIB);
	T_EQ(n_ios, 512);
	for (size_t i = 0; i < 512; i++)
		T_EQ(ios[i].offset, first[i].offset);
}

TEST(files_take_turns)
{
	run("rw=read", 3, 16 * KIB);
	T_EQ(n_ios, 12);
	for (size_t i = 0; i < n_ios; i++) {
		T_EQ(ios[i].file, i % 3);
		T_EQ(ios[i].offset, i / 3 * 4096);
	}
}

TEST(random_covers_every_file)
{
	run("rw=randread", 5, 100 * KIB);
	T_EQ(n_ios, 125);
	covers(5, 100 * KIB, 4 * KIB, 1);
}

TEST(mix_follows_its_share)
{
	run("rw=randrw rwmixread=70", 1, 64 * MIB);
	T_EQ(n_ios, 16384);
	T_NEAR(count(FL_OP_READ) / 16384.0, 0.7, 0.015);
	covers(1, 64 * MIB, 4 * KIB, 1);
	run("rw=rw rwmixread=0", 1, MIB);
	T_EQ(count(FL_OP_WRITE), 256);
}

TEST(mixed_sequential_keeps_two_positions)
{
	uint64_t at[DIRS] = { 0 };

	run("rw=rw", 1, MIB);
	T_EQ(n_ios, 256);
	for (size_t i = 0; i < n_ios; i++) {
		T_EQ(ios[i].offset, at[ios[i].op]);
		at[ios[i].op] += ios[i].len;
	}
}

TEST(block_sizes_by_direction)
{
	bool seen[2][1024] = { { false } };

	run("rw=randrw bs=4k,16k", 1, 4 * MIB);
	T_TRUE(bytes_of(FL_OP_READ) + bytes_of(FL_OP_WRITE) >= 4 * MIB);
	T_TRUE(bytes_of(FL_OP_READ) + bytes_of(FL_OP_WRITE) < 4 * MIB + 16 * KIB);
	T_NEAR((double)count(FL_OP_READ) / (double)n_ios, 0.5, 0.08);
	for (size_t i = 0; i < n_ios; i++) {
		uint64_t size = ios[i].op == FL_OP_READ ? 4 * KIB : 16 * KIB;

		T_EQ(ios[i].len, size);
		T_EQ(ios[i].offset % size, 0);
		T_TRUE(!seen[ios[i].op][ios[i].offset / size]);
		seen[ios[i].op][ios[i].offset / size] = true;
	}
}

TEST(block_size_of_another_direction_is_ignored)
{
	run("rw=randwrite bs=,8k", 1, MIB);
	T_EQ(n_ios, 128);
	covers(1, MIB, 8 * KIB, 1);
	run("rw=trim bs=,,16k", 1, MIB);
	T_EQ(count(FL_OP_TRIM), 64);
}

TEST(bsrange_covers_once_in_order)
{
	run("rw=write bsrange=4k-64k", 1, 2 * MIB);
	T_TRUE(in_order());
	T_TRUE(n_ios > 2 * MIB / (64 * KIB) && n_ios < 512);
	covers(1, 2 * MIB, 4 * KIB, 1);
}

TEST(bsrange_covers_once_at_random)
{
	for (uint64_t blocks = 1; blocks <= 300; blocks++) {
		run("rw=randwrite bsrange=2k-9k", 1, blocks * 2 * KIB);
		covers(1, blocks * 2 * KIB, 2 * KIB, 1);
	}
}

TEST(bsrange_by_direction_covers_once)
{
	for (uint64_t blocks = 8; blocks <= 100; blocks++) {
		run("rw=randrw bsrange=1k-4k,8k-16k", 1, blocks * KIB);
		covers(1, blocks * KIB, KIB, 1);
	}
}

TEST(bsrange_uses_all_sizes)
{
	unsigned sizes[5] = { 0 };

	run("rw=read bsrange=4k-16k", 1, 16 * MIB);
	for (size_t i = 0; i < n_ios; i++)
		sizes[ios[i].len / (4 * KIB)]++;
	T_TRUE(sizes[1] && sizes[2] && sizes[3]);
	T_NEAR((double)sizes[1] / sizes[2], 1, 0.3);
}

TEST(step_ends_with_the_file)
{
	T_EQ(run("rw=read:8k", 1, 256 * KIB), 1);
	T_EQ(n_ios, 22);
	T_STR(offsets(4), "0 12 24 36");
	T_EQ(ios[21].offset, 252 * KIB);
}

TEST(step_wraps)
{
	T_EQ(run("rw=write:12k", 1, 256 * KIB), 1);
	T_EQ(n_ios, 64);
	T_STR(offsets(18), "0 16 32 48 64 80 96 112 128 144 160 176 192 208 224 240 0 16");
	run("rw=read:100k", 1, 64 * KIB);
	T_EQ(n_ios, 16);
}

TEST(step_ends_where_no_block_fits)
{
	T_EQ(run("rw=read:8k loops=2", 1, 26 * KIB), 2);
	T_STR(offsets(9), "0 12 0 12");
}

TEST(step_leaves_a_part_of_a_larger_file)
{
	struct workload_file *files = calloc(1, sizeof(*files));

	*files = (struct workload_file){ .start = 32 * KIB, .bytes = 64 * KIB, .size = 256 * KIB };
	T_EQ(workload_init(&w, set("rw=read:12k"), files, 1, 0, 1, 0), 0);
	n_ios = 0;
	while (workload_next_pass(&w, false))
		pass();
	T_STR(offsets(9), "32 48 64 80");
	workload_free(&w);
}

TEST(step_backwards)
{
	run("rw=read:-8k", 1, 64 * KIB);
	T_EQ(n_ios, 16);
	T_STR(offsets(17), "56 52 48 44 40 36 32 28 24 20 16 12 8 4 0 56");
	run("rw=read:-100k", 1, 64 * KIB);
	T_STR(offsets(9), "0");
	run("rw=read:-4k", 1, 16 * KIB);
	T_STR(offsets(9), "0 0 0 0");
}

TEST(runs_at_random_offsets)
{
	size_t follow = 0;

	run("rw=randread:4", 1, MIB);
	T_EQ(n_ios, 256);
	for (size_t i = 1; i < n_ios; i++)
		follow += ios[i].offset == ios[i - 1].offset + 4 * KIB;
	T_TRUE(follow > 180);
}

TEST(loops)
{
	T_EQ(run("rw=read loops=3", 1, 64 * KIB), 3);
	T_EQ(n_ios, 48);
	covers(1, 64 * KIB, 4 * KIB, 3);
	T_EQ(run("rw=read loops=0", 1, 64 * KIB), 1);
}

TEST(io_size)
{
	T_EQ(run("rw=read io_size=64k", 1, 256 * KIB), 1);
	T_EQ(n_ios, 16);
	T_EQ(run("rw=randread io_size=200k", 1, 64 * KIB), 4);
	T_EQ(n_ios, 50);
	T_EQ(run("rw=read io_size=100k loops=2", 1, 64 * KIB), 4);
	T_EQ(n_ios, 50);
}

/* size= beside filesize=: a loop goes over so much, and the next goes on from there. */
TEST(a_part_of_the_files)
{
	part_bytes = 48 * KIB;
	T_EQ(run("rw=read", 1, 64 * KIB), 1);
	T_EQ(n_ios, 12);
	T_EQ(run("rw=read loops=3", 1, 64 * KIB), 5);
	T_EQ(n_ios, 36);
	for (size_t i = 0; i < n_ios; i++)
		T_EQ(ios[i].offset, i % 16 * 4 * KIB);
	run("rw=randread loops=4", 1, 64 * KIB);
	T_EQ(n_ios, 48);
	covers(1, 64 * KIB, 4 * KIB, 3);
	run("rw=randread loops=4", 4, 16 * KIB);
	T_EQ(n_ios, 48);
	covers(4, 16 * KIB, 4 * KIB, 3);
	run("rw=read loops=2", 4, 18 * KIB);	/* ends of files hold no block */
	T_EQ(n_ios, 24);
	run("rw=read loops=2 io_size=8k", 1, 64 * KIB);
	T_EQ(n_ios, 4);
	part_bytes = 100 * KIB;
	T_EQ(run("rw=read loops=2", 1, 64 * KIB), 2);
	T_EQ(n_ios, 32);
	part_bytes = 0;
}

TEST(number_ios)
{
	run("rw=randread number_ios=17", 1, MIB);
	T_EQ(n_ios, 17);
	T_EQ(run("rw=read number_ios=20 loops=2", 1, 64 * KIB), 2);
	T_EQ(n_ios, 20);
	run("rw=write number_ios=1000", 1, 64 * KIB);
	T_EQ(n_ios, 16);
}

TEST(time_based_has_no_end)
{
	n_ios = 0;
	begin("rw=randread", 1, 0, 64 * KIB);
	for (int i = 0; i < 100; i++) {
		T_EQ(workload_next_pass(&w, true), 1);
		T_EQ(pass(), 16);
	}
	covers(1, 64 * KIB, 4 * KIB, 100);
	workload_free(&w);
}

TEST(trim_and_write_of_each_block)
{
	run("rw=randtrimwrite", 1, MIB);
	T_EQ(n_ios, 256);		/* both count towards the size */
	for (size_t i = 0; i < n_ios; i += 2) {
		T_EQ(ios[i].op, FL_OP_TRIM);
		T_EQ(ios[i + 1].op, FL_OP_WRITE);
		T_EQ(ios[i].offset, ios[i + 1].offset);
		T_EQ(ios[i].len, ios[i + 1].len);
	}
}

TEST(sync_after_every_16_writes)
{
	size_t writes = 0;

	run("rw=write fsync=16", 1, MIB);
	T_EQ(count(FL_OP_WRITE), 256);
	T_EQ(count(FL_OP_SYNC), 15);	/* none after the last write */
	for (size_t i = 0; i < n_ios; i++) {
		writes += ios[i].op == FL_OP_WRITE;
		if (ios[i].op == FL_OP_SYNC)
			T_EQ(writes % 16, 0);
	}
	run("rw=randwrite fdatasync=10", 1, 200 * KIB);
	T_EQ(count(FL_OP_DATASYNC), 4);
	run("rw=read fsync=1", 1, 64 * KIB);
	T_EQ(count(FL_OP_SYNC), 0);
}

TEST(sync_of_the_file_that_was_written)
{
	run("rw=write fsync=1", 4, 64 * KIB);
	for (size_t i = 1; i < n_ios; i++)
		if (ios[i].op == FL_OP_SYNC)
			T_EQ(ios[i].file, ios[i - 1].file);
}

TEST(sync_due_is_not_lost_between_passes)
{
	run("rw=write fsync=16 loops=3", 1, 64 * KIB);
	T_EQ(count(FL_OP_WRITE), 48);
	T_EQ(count(FL_OP_SYNC), 2);
}

TEST(names_of_rw)
{
	static const char *const names[] = { "read", "write", "trim", "randread", "randwrite",
					     "randtrim", "rw", "randrw", "trimwrite",
					     "randtrimwrite" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char text[64];

		snprintf(text, sizeof(text), "rw=%s", names[i]);
		T_STR(workload_rw_name(set(text)->rw.bits), names[i]);
	}
	T_STR(workload_rw_name(set("rw=readwrite")->rw.bits), "rw");
}
