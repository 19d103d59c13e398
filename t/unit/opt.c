/* SPDX-License-Identifier: MIT */
/* Every kind of row: what it takes, what it refuses, and what it says about it. */
#include "core/opt.h"
#include "t/test.h"

struct conf {
	uint32_t direct, flag, depth, mix, word;
	uint64_t big, size, time, time_us;
	int64_t nice;
	double theta, share;
	const char *text, *files, *prefix;
	struct amount amount;
	struct per_dir bs, rate;
	struct range_dirs bsrange;
	struct range filesize, delay;
	int custom;
};

static int parse_custom(void *member, const char *text, char *why, size_t why_bytes)
{
	if (text && !strcmp(text, "bad")) {
		snprintf(why, why_bytes, "that is bad");
		return -EINVAL;
	}
	if (text && !strcmp(text, "odd")) {
		snprintf(why, why_bytes, "that is odd");
		return 1;
	}
	*(int *)member = text ? atoi(text) : -1;
	return 0;
}

static const struct fl_opt_value words[] = {
	{ "read", 0, "reads" }, { "randread", 1, NULL }, { "write", 2, "writes" },
	{ NULL, 0, NULL },
};

#define AT(member)	.offset = offsetof(struct conf, member)

static const struct fl_opt rows[] = {
	{ "direct", NULL, FL_OPT_BOOL, AT(direct), .help = "no cache" },
	{ "flag", NULL, FL_OPT_FLAG, AT(flag) },
	{ "iodepth", NULL, FL_OPT_U32, AT(depth), 1, 65536, .def = "1" },
	{ "rwmixread", NULL, FL_OPT_U32, AT(mix), 0, 100, .def = "50", .unit = OPT_UNIT_PERCENT },
	{ "rw", "readwrite", FL_OPT_ENUM, AT(word), .def = "read", .values = words },
	{ "big", NULL, FL_OPT_U64, AT(big) },
	{ "size", NULL, FL_OPT_SIZE, AT(size), 512, .help = "how much" },
	{ "runtime", "timeout", FL_OPT_TIME, AT(time) },
	{ "thinktime", NULL, FL_OPT_TIME, AT(time_us), .def_unit_ns = 1000 },
	{ "nice", NULL, FL_OPT_I64, AT(nice), (uint64_t)-20, 19 },
	{ "theta", NULL, FL_OPT_DOUBLE, AT(theta), 0, 2, .def = "1.2" },
	{ "share", NULL, FL_OPT_DOUBLE, AT(share), 0, 100, .unit = OPT_UNIT_PERCENT },
	{ "description", NULL, FL_OPT_STR, AT(text) },
	{ "filename", NULL, OPT_STR_LIST, AT(files) },
	{ "write_bw_log", NULL, OPT_STR_BARE, AT(prefix) },
	{ "io_size", NULL, OPT_AMOUNT, AT(amount), .arg = 100 },
	{ "bs", "blocksize", OPT_SIZE_DIRS, AT(bs), 1, .def = "4k", .arg = OPT_ARG_DASH },
	{ "rate", NULL, OPT_SIZE_DIRS, AT(rate) },
	{ "bsrange", NULL, OPT_RANGE_DIRS, AT(bsrange), 1 },
	{ "filesize", NULL, OPT_RANGE_SIZE, AT(filesize) },
	{ "startdelay", NULL, OPT_RANGE_TIME, AT(delay) },
	{ "custom", NULL, OPT_CUSTOM, AT(custom), .parse = parse_custom, .arg = OPT_ARG_BARE },
	{ "hugepage-size", NULL, OPT_NO_EFFECT, 0, .help = "nobody needs it" },
};

static const struct opt_table table = OPT_TABLE("Test", rows, 0);
static struct conf conf;
static char why[512];

static int set(const char *name, const char *text)
{
	const struct opt_units units = { .kb_base = 1024 };
	int i = opt_find(&table, name);
	struct fl_opt row;

	if (i < 0)
		T_FAIL("no option %s", name);
	opt_row(&table, (size_t)i, &row);
	return opt_set(&row, &conf, text, &units, why, sizeof(why));
}

static void defaults(void)
{
	opt_defaults(&table, &conf, sizeof(conf));
}

#define GOOD(name, text)	do { T_EQ(set(name, text), 0); T_STR(why, ""); } while (0)
#define NOTE(name, text, said)	do { T_EQ(set(name, text), 1); T_STR(why, said); } while (0)
#define BAD(name, text, said)	do { T_EQ(set(name, text), -EINVAL); T_STR(why, said); } while (0)
/* Refused with a sentence whose wording belongs to another module. */
#define BAD_WITH(name, text, part) \
	do { T_EQ(set(name, text), -EINVAL); if (!strstr(why, part)) T_FAIL("%s", why); } while (0)

TEST(rows_are_found_by_name_alias_and_dash)
{
	T_TRUE(opt_find(&table, "bs") >= 0);
	T_EQ(opt_find(&table, "bs"), opt_find(&table, "blocksize"));
	T_EQ(opt_find(&table, "hugepage_size"), opt_find(&table, "hugepage-size"));
	T_EQ(opt_find(&table, "b"), -1);
	T_EQ(opt_find(&table, "BS"), -1);
	T_EQ(opt_find(&table, ""), -1);
}

TEST(nearest_name)
{
	const struct opt_table *tables[] = { &table };

	T_STR(opt_nearest(tables, 1, "iodept"), "iodepth");
	T_STR(opt_nearest(tables, 1, "blocksise"), "blocksize");
	T_TRUE(!opt_nearest(tables, 1, "quux"));
}

TEST(rows_of_an_older_header_are_shorter)
{
	struct old {
		const char *name, *alias;
		uint32_t type, offset;
	};
	static const struct old old_rows[] = {
		{ "a", NULL, FL_OPT_U32, 4 }, { "b", NULL, FL_OPT_U64, 8 },
	};
	const struct opt_table t = {
		"old", (const struct fl_opt *)old_rows, 2, sizeof(struct old), 0,
	};
	struct fl_opt row;

	T_EQ(opt_find(&t, "b"), 1);
	opt_row(&t, 1, &row);
	T_EQ(row.offset, 8);
	T_TRUE(!row.def && !row.help && !row.max);
}

TEST(defaults_are_set)
{
	memset(&conf, 0xff, sizeof(conf));
	defaults();
	T_EQ(conf.depth, 1);
	T_EQ(conf.mix, 50);
	T_EQ(conf.bs.v[DIR_READ], 4096);
	T_EQ(conf.bs.v[DIR_TRIM], 4096);
	T_NEAR(conf.theta, 1.2, 1e-12);
	T_TRUE(!conf.text);
	T_EQ(conf.size, 0);
}

TEST(booleans_and_flags)
{
	GOOD("direct", "1");
	T_EQ(conf.direct, 1);
	GOOD("direct", "0");
	T_EQ(conf.direct, 0);
	BAD("direct", "2", "direct=2: must be 0 or 1");
	BAD("direct", "yes", "direct=yes: must be 0 or 1");
	BAD("direct", NULL, "direct: a value is missing; write 0 or 1");
	BAD("direct", "", "direct=: the value is missing; write 0 or 1");
	GOOD("flag", NULL);
	T_EQ(conf.flag, 1);
	GOOD("flag", "0");
	T_EQ(conf.flag, 0);
	NOTE("flag", "10", "flag=10: taken as 1: this is a switch");
	T_EQ(conf.flag, 1);
	BAD("flag", "on", "flag=on: must be 0 or 1");
	BAD("flag", "", "flag=: the value is missing behind the =");
}

TEST(whole_numbers)
{
	GOOD("iodepth", "64");
	T_EQ(conf.depth, 64);
	GOOD("iodepth", "4k");
	T_EQ(conf.depth, 4096);
	GOOD("iodepth", "128*2");
	T_EQ(conf.depth, 256);
	BAD("iodepth", "0", "iodepth=0: must be 1 to 65536");
	BAD("iodepth", "-1", "iodepth=-1: must be 1 to 65536");
	BAD("iodepth", "4294967297", "iodepth=4294967297: must be 1 to 65536");
	BAD("iodepth", "1,2", "iodepth=1,2: one value is expected, not a list");
	BAD("iodepth", "2-4", "iodepth=2-4: one value is expected, not a range");
	BAD_WITH("iodepth", "10x", "iodepth=10x: ");
	BAD_WITH("iodepth", "1.5", "iodepth=1.5: ");
	BAD_WITH("iodepth", "50%", "iodepth=50%: ");
	T_EQ(conf.depth, 256);
	if (!t_emulated()) {
		GOOD("big", "18446744073709551615");
		T_TRUE(conf.big == UINT64_MAX);
	}
	GOOD("nice", "-20");
	T_EQ(conf.nice, -20);
	BAD("nice", "20", "nice=20: must be -20 to 19");
}

TEST(percent_signs_belong_to_percentages)
{
	GOOD("rwmixread", "70%");
	T_EQ(conf.mix, 70);
	GOOD("rwmixread", "30%%");
	T_EQ(conf.mix, 30);
	GOOD("rwmixread", "40+30");
	T_EQ(conf.mix, 70);
	BAD("rwmixread", "101%", "rwmixread=101%: must be 0 to 100");
	GOOD("share", "99.5%");
	T_NEAR(conf.share, 99.5, 1e-12);
	BAD("theta", "3", "theta=3: must be 0 to 2");
}

TEST(sizes_and_times)
{
	GOOD("size", "1g");
	T_EQ(conf.size, 1 << 30);
	BAD("size", "100", "size=100: must be at least 512");
	BAD("size", "64k-128k", "size=64k-128k: one value is expected, not a range");
	BAD_WITH("size", "4kx", "size=4kx: ");
	T_EQ(conf.size, 1 << 30);
	T_EQ(set("size", "4KiB"), 1);
	T_EQ(conf.size, 4000);
	T_TRUE(strstr(why, "4000") != NULL);
	GOOD("runtime", "1h30m");
	T_TRUE(conf.time == 5400ull * 1000000000);
	GOOD("timeout", "10");
	T_TRUE(conf.time == 10ull * 1000000000);
	GOOD("thinktime", "10");
	T_EQ(conf.time_us, 10000);
	BAD_WITH("runtime", "10k", "runtime=10k: ");
}

TEST(kib_needs_no_note_where_it_is_1024)
{
	const struct opt_units units = { .kb_base = 1000 };
	struct fl_opt row;

	opt_row(&table, (size_t)opt_find(&table, "size"), &row);
	T_EQ(opt_set(&row, &conf, "4kib", &units, why, sizeof(why)), 0);
	T_EQ(conf.size, 4096);
	T_EQ(opt_set(&row, &conf, "4k", &units, why, sizeof(why)), 0);
	T_EQ(conf.size, 4000);
}

TEST(amounts)
{
	GOOD("io_size", "1m");
	T_EQ(conf.amount.bytes, 1 << 20);
	T_NEAR(conf.amount.percent, 0, 0);
	GOOD("io_size", "50%");
	T_NEAR(conf.amount.percent, 50, 0);
	T_EQ(conf.amount.bytes, 0);
	GOOD("io_size", "100%%");
	T_NEAR(conf.amount.percent, 100, 0);
	GOOD("io_size", "50.5%");
	T_NEAR(conf.amount.percent, 50.5, 0);
	BAD("io_size", "101%", "io_size=101%: more than 100% is not possible");
	GOOD("io_size", "2z");
	T_EQ(conf.amount.zones, 2);
	T_EQ(conf.amount.bytes, 0);
	BAD_WITH("io_size", "2.5z", "io_size=2.5z: ");
}

static void check_bs(const char *text, uint64_t r, uint64_t w, uint64_t t)
{
	defaults();
	if (set("bs", text))
		T_FAIL("%s", why);
	if (conf.bs.v[0] != r || conf.bs.v[1] != w || conf.bs.v[2] != t)
		T_FAIL("bs=%s: %llu %llu %llu", text, (unsigned long long)conf.bs.v[0],
		       (unsigned long long)conf.bs.v[1], (unsigned long long)conf.bs.v[2]);
}

TEST(values_per_direction)
{
	check_bs("8k", 8192, 8192, 8192);
	check_bs("4k,8k", 4096, 8192, 8192);
	check_bs("1k,2k,3k", 1024, 2048, 3072);
	check_bs(",8k", 4096, 8192, 8192);
	check_bs(",,16k", 4096, 4096, 16384);
	check_bs("8k,", 8192, 4096, 4096);
	check_bs("4k-8k", 4096, 8192, 8192);
	check_bs("4k:8k", 4096, 8192, 8192);
	check_bs("(4k*2),(8k*2)", 8192, 16384, 16384);
	BAD("bs", "4k,0", "bs=4k,0: must be at least 1");
	BAD_WITH("bs", "1k,2k,3k,4k", "bs=1k,2k,3k,4k: ");
	BAD_WITH("bs", ",", "bs=,: ");
	T_EQ(conf.bs.v[0], 8192);
	GOOD("rate", "1m,500k");
	T_EQ(conf.rate.v[DIR_WRITE], 500 << 10);
	BAD_WITH("rate", "1m-2m", "rate=1m-2m: ");
}

TEST(ranges)
{
	GOOD("bsrange", "4k-64k");
	T_EQ(conf.bsrange.v[DIR_TRIM].hi, 65536);
	GOOD("bsrange", "64k:4k,1k-2k");
	T_EQ(conf.bsrange.v[DIR_READ].lo, 4096);
	T_EQ(conf.bsrange.v[DIR_READ].hi, 65536);
	T_EQ(conf.bsrange.v[DIR_WRITE].hi, 2048);
	BAD("bsrange", "4k", "bsrange=4k: a range such as 4k-64k is expected");
	BAD_WITH("bsrange", "4k-", "bsrange=4k-: ");
	GOOD("filesize", "64k");
	T_EQ(conf.filesize.lo, 65536);
	T_EQ(conf.filesize.hi, 65536);
	GOOD("filesize", "64k-128k");
	T_EQ(conf.filesize.hi, 131072);
	BAD_WITH("filesize", "4k,8k", "not a list");
	GOOD("startdelay", "5-10");
	T_TRUE(conf.delay.lo == 5000000000ull && conf.delay.hi == 10000000000ull);
}

TEST(words)
{
	GOOD("rw", "randread");
	T_EQ(conf.word, 1);
	GOOD("readwrite", "write");
	T_EQ(conf.word, 2);
	BAD("rw", "randred",
	    "rw=randred: did you mean randread? It can be read, randread or write");
	BAD("rw", "zzzzz", "rw=zzzzz: it must be read, randread or write");
	BAD_WITH("rw", "Read", "did you mean read?");
	BAD("rw", "", "rw=: the value is missing; write a word");
}

TEST(texts)
{
	char text[] = "hello";

	GOOD("description", text);
	memset(text, 'x', 5);
	T_STR(conf.text, "hello");
	BAD_WITH("description", "", "the value is missing");
	GOOD("filename", "/a:/b");
	GOOD("filename", "/c");
	T_STR(conf.files, "/a:/b:/c");
	GOOD("write_bw_log", NULL);
	T_STR(conf.prefix, "");
	GOOD("write_bw_log", "");
	GOOD("write_bw_log", "x");
	T_STR(conf.prefix, "x");
}

TEST(reset_brings_the_default_back)
{
	struct fl_opt row;

	defaults();
	GOOD("filename", "/a");
	opt_row(&table, (size_t)opt_find(&table, "filename"), &row);
	opt_reset(&row, &conf);
	T_TRUE(!conf.files);
	GOOD("bs", "1k,2k");
	opt_row(&table, (size_t)opt_find(&table, "bs"), &row);
	opt_reset(&row, &conf);
	T_EQ(conf.bs.v[DIR_WRITE], 4096);
}

TEST(parsers_of_their_own)
{
	GOOD("custom", "7");
	T_EQ(conf.custom, 7);
	GOOD("custom", NULL);
	T_EQ(conf.custom, -1);
	BAD("custom", "bad", "custom=bad: that is bad");
	NOTE("custom", "odd", "custom=odd: that is odd");
}

TEST(no_effect_says_so)
{
	NOTE("hugepage-size", "2m", "hugepage-size=2m: accepted, has no effect: nobody needs it");
}

TEST(a_short_buffer_is_not_overrun)
{
	const struct opt_units units = { .kb_base = 1024 };
	char small[8] = "yyyyyyy";
	struct fl_opt row;

	opt_row(&table, (size_t)opt_find(&table, "rw"), &row);
	T_EQ(opt_set(&row, &conf, "randred", &units, small, sizeof(small)), -EINVAL);
	T_STR(small, "rw=rand");
}

static const char *full_help(const char *name)
{
	static char text[4096];
	FILE *out = fmemopen(text, sizeof(text), "w");
	struct fl_opt row;

	opt_row(&table, (size_t)opt_find(&table, name), &row);
	opt_help_full(&row, out);
	fclose(out);
	return text;
}

TEST(help_tells_all_the_row_knows)
{
	T_TRUE(strstr(full_help("rw"), "readwrite") != NULL);
	T_TRUE(strstr(full_help("rw"), "writes") != NULL);
	T_TRUE(strstr(full_help("iodepth"), "1 to 65536") != NULL);
	T_TRUE(strstr(full_help("nice"), "-20 to 19") != NULL);
	T_TRUE(strstr(full_help("size"), "at least 512") != NULL);
	T_TRUE(strstr(full_help("thinktime"), "microseconds") != NULL);
}
