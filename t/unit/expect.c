/* SPDX-License-Identifier: MIT */
/*
 * Expectations: every quantity there is on both sides of its limit, against a result made by hand;
 * what the parser reads, and what it says of the rest.
 */
#include "core/expect_measure.h"
#include "lib/hist.h"

#include "t/test.h"

/* ---- A result ---------------------------------------------------------------------------------- */

static struct result_job job, other;
static const struct result_job *both[] = { &job, &other };
static struct result_group group;
static struct trust trust;
static size_t members[] = { 0, 1 };

/* 999 samples: base + 1 .. base + 999, which are in bins of their own up to 127 only. */
static void fill_lat(struct result_lat *l, uint64_t base)
{
	static struct hist room[2 * (4 * DIRS + 1)];	/* of two jobs */
	static size_t used;
	struct hist *h = &room[used++ % (sizeof(room) / sizeof(room[0]))];

	memset(h, 0, sizeof(*h));
	moments_reset(&l->moments);
	for (uint64_t v = base + 1; v < base + 1000; v++) {
		hist_add(h, v);
		moments_add(&l->moments, v);
	}
	l->bins = h->bins;
	l->n = 999;
}

static void fill_job(struct result_job *j, unsigned times, size_t *member)
{
	*j = (struct result_job){
		.group = 3, .jobs = 1, .members = member, .start_wall_ms = 1, .confidence = 0.95,
		.wall_ms = 2000, .runtime_ms = 2000, .usr_us = 600000 * times, .sys_us = 400000,
		.ctx = 11 * times, .majf = 12 * times, .minf = 13 * times, .sync_ios = 14 * times,
		.errors = 9,
	};
	fill_lat(&j->sync, 500);
	for (unsigned d = 0; d < DIRS; d++) {
		struct result_dir *r = &j->dir[d];

		*r = (struct result_dir){
			.bytes = (d + 1) * 4096000ull * times, .ios = (d + 1) * 1000ull * times,
			.short_ios = d + 1, .errors = d + 2, .runtime_ms = 1000 * (d + 1),
			.iops_mean = { .low = 90 + d, .mean = 100, .high = 110 + d, .batches = 9 },
		};
		fill_lat(&r->slat, 1000 * d);
		fill_lat(&r->clat, 2000 * d);
		fill_lat(&r->lat, 3000 * d);
		fill_lat(&r->intended, 4000 * d);
	}
}

static void make_result(void)
{
	fill_job(&job, 1, &members[0]);
	fill_job(&other, 3, &members[1]);
	group = (struct result_group){ .id = 3 };
	for (unsigned d = 0; d <= RESULT_MIXED; d++)
		group.dir[d].together = (struct result_together){
			.workers = 2, .all_ns = 5, .all_bw = 100 + d, .whole_bw = 200 + d,
			.min_bw = 10 + d, .median_bw = 20 + d, .max_bw = 30 + d,
		};
}

static struct expect_value measure(const char *text, struct expectation *e)
{
	struct expectation list[EXPECT_MAX];
	struct expect_scope s = { .jobs = both, .nr_jobs = 1, .trust = &trust };
	struct parse_err err;
	size_t count;

	if (expect_parse(span_of(text), 1024, list, &count, &err))
		T_FAIL("%s: %s", text, err.text);
	T_EQ(count, 1);
	*e = list[0];
	if (e->group) {
		s.nr_jobs = 2;
		s.group = &group;
	}
	return expect_measure(e, &s);
}

/* ---- Both sides ---------------------------------------------------------------------------------- */

static bool holds(const char *name, const char *op, double limit)
{
	static const char *const units[] = {
		[EXPECT_COUNT] = "", [EXPECT_BYTES] = "", [EXPECT_BANDWIDTH] = "/s",
		[EXPECT_TIME] = "ns", [EXPECT_PERCENT] = "%", [EXPECT_GRADE] = "",
	};
	struct expectation e;
	struct expect_value v;
	char text[128];

	snprintf(text, sizeof(text), "%s>1", name);	/* of which unit is it? */
	if (strcmp(name, "trust") && strcmp(name, "group.trust")) {
		snprintf(text, sizeof(text), "%s>0", name);
		measure(text, &e);
		snprintf(text, sizeof(text), "%s%s%.4f%s", name, op, limit, units[e.unit]);
		if (e.unit != EXPECT_PERCENT && limit == floor(limit))
			snprintf(text, sizeof(text), "%s%s%.0f%s", name, op, limit, units[e.unit]);
	} else {
		static const char *const words[] = { "invalid", "doubtful", "ok" };

		snprintf(text, sizeof(text), "%s%s%s", name, op, words[(int)limit]);
	}
	v = measure(text, &e);
	T_TRUE(v.known);
	return expect_holds(&e, v.value);
}

/* Exactly at the limit, a little below it, a little above. */
static void both_sides(const char *name, double value, double step)
{
	T_TRUE(holds(name, "=", value) && holds(name, "==", value) && !holds(name, "!=", value));
	T_TRUE(holds(name, "<=", value) && holds(name, ">=", value));
	T_TRUE(!holds(name, "<", value) && !holds(name, ">", value));
	T_TRUE(holds(name, "<", value + step) && holds(name, "<=", value + step));
	T_TRUE(!holds(name, ">", value + step) && !holds(name, ">=", value + step));
	T_TRUE(holds(name, "!=", value + step));
	T_TRUE(holds(name, ">", value - step) && holds(name, ">=", value - step));
	T_TRUE(!holds(name, "<", value - step) && !holds(name, "<=", value - step));
}

struct known_value {
	const char *name;
	double value;
};

static void check_all(const struct known_value *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct expectation e;
		char text[128];
		struct expect_value v;

		if (!strncmp(list[i].name, "trust", 5) || !strcmp(list[i].name, "group.trust"))
			continue;
		snprintf(text, sizeof(text), "%s>0", list[i].name);
		v = measure(text, &e);
		if (!v.known || fabs(v.value - list[i].value) > 1e-9)
			T_FAIL("%s is %.9g, not %.9g", list[i].name, v.value, list[i].value);
		both_sides(list[i].name, list[i].value, 1);
	}
}

#define DIR(name, d)								\
	{ name ".iops", 1000 }, { name ".iops.low", 90 + d }, { name ".iops.high", 110 + d },	\
	{ name ".bw", 4096000 }, { name ".bytes", (d + 1) * 4096000 },			\
	{ name ".ios", (d + 1) * 1000 }, { name ".short", d + 1 }, { name ".errors", d + 2 },	\
	{ name ".runtime", (d + 1) * 1e9 },						\
	{ name ".slat.min", 1000 * d + 1 }, { name ".slat.max", 1000 * d + 999 },	\
	{ name ".slat.mean", 1000 * d + 500 }, { name ".slat.p100", 1000 * d + 999 },	\
	{ name ".clat.min", 2000 * d + 1 }, { name ".clat.max", 2000 * d + 999 },	\
	{ name ".clat.mean", 2000 * d + 500 }, { name ".clat.p0", 2000 * d + 1 },	\
	{ name ".lat.min", 3000 * d + 1 }, { name ".lat.max", 3000 * d + 999 },	\
	{ name ".lat.mean", 3000 * d + 500 },						\
	{ name ".intended.min", 4000 * d + 1 }, { name ".intended.max", 4000 * d + 999 },	\
	{ name ".intended.mean", 4000 * d + 500 }

static const struct known_value of_job[] = {
	DIR("read", 0), DIR("write", 1), DIR("trim", 2),
	{ "read.clat.p5", 50 }, { "read.clat.p10.1", 101 },
	/* all directions, over the longest of their times */
	{ "mixed.iops", 2000 }, { "mixed.bw", 8192000 }, { "mixed.bytes", 6 * 4096000 },
	{ "mixed.ios", 6000 }, { "mixed.short", 6 }, { "mixed.errors", 9 },
	{ "mixed.runtime", 3e9 }, { "mixed.clat.min", 1 }, { "mixed.clat.max", 4999 },
	{ "mixed.clat.mean", 2500 }, { "mixed.slat.mean", 1500 }, { "mixed.lat.max", 6999 },
	{ "sync.ios", 14 }, { "sync.lat.min", 501 }, { "sync.lat.max", 1499 },
	{ "sync.lat.mean", 1000 },
	{ "errors", 9 }, { "runtime", 2e9 }, { "cpu", 50 }, { "cpu.usr", 30 }, { "cpu.sys", 20 },
	{ "ctx", 11 }, { "majf", 12 }, { "minf", 13 },
};

#define GROUP_DIR(name, d)							\
	{ "group." name ".iops", 4000 }, { "group." name ".bw", 4 * 4096000 },		\
	{ "group." name ".bytes", (d + 1) * 4 * 4096000 },				\
	{ "group." name ".bw.all", 100 + d }, { "group." name ".bw.end", 200 + d },	\
	{ "group." name ".bw.min", 10 + d }, { "group." name ".bw.median", 20 + d },	\
	{ "group." name ".bw.max", 30 + d }, { "group." name ".ios", (d + 1) * 4000 },	\
	{ "group." name ".runtime", (d + 1) * 1e9 },					\
	{ "group." name ".lat.max", 3000 * d + 999 }, { "group." name ".clat.mean", 2000 * d + 500 }

static const struct known_value of_group[] = {
	GROUP_DIR("read", 0), GROUP_DIR("write", 1), GROUP_DIR("trim", 2),
	{ "group.mixed.bw.all", 103 }, { "group.mixed.bw.end", 203 }, { "group.mixed.iops", 8000 },
	{ "group.sync.ios", 56 }, { "group.errors", 18 }, { "group.runtime", 2e9 },
	{ "group.cpu", 80 }, { "group.cpu.usr", 60 }, { "group.ctx", 44 }, { "group.majf", 48 },
	{ "group.minf", 52 },
};

TEST(every_quantity_of_a_job_on_both_sides)
{
	make_result();
	check_all(of_job, sizeof(of_job) / sizeof(of_job[0]));
}

TEST(every_quantity_of_a_group_on_both_sides)
{
	make_result();
	check_all(of_group, sizeof(of_group) / sizeof(of_group[0]));
}

static bool is_listed(const char *name, const struct known_value *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i].name, name))
			return true;
	return false;
}

/* The lists above leave none out, but for what follows from its neighbours. */
TEST(no_quantity_is_forgotten)
{
	char name[64];
	size_t i = 0, missing = 0;

	for (; expect_name(i, name, sizeof(name)); i++) {
		if (is_listed(name, of_job, sizeof(of_job) / sizeof(of_job[0])) ||
		    is_listed(name, of_group, sizeof(of_group) / sizeof(of_group[0])) ||
		    strstr(name, ".stddev") || strstr(name, ".p99") || !strcmp(name, "trust"))
			continue;
		/* the same code for other places */
		if (strstr(name, "mixed.") || strstr(name, "sync."))
			continue;
		printf("# %s\n", name);
		missing++;
	}
	T_EQ(missing, 0);
	T_TRUE(i > 90);
}

TEST(deviation_and_percentiles)
{
	struct expectation e;
	struct expect_value v;

	make_result();
	v = measure("read.clat.stddev>0", &e);
	T_NEAR(v.value, 288.5308, 1e-3);
	v = measure("read.clat.p99>0", &e);
	T_NEAR(v.value, 990, 8);
	T_TRUE(!v.weak);
	T_EQ(v.samples, 999);
	v = measure("read.clat.p99.99<1s", &e);
	T_TRUE(v.weak);
	T_NEAR(e.percent, 99.99, 1e-9);
	v = measure("group.write.clat.p50>0", &e);
	T_EQ(v.samples, 1998);
	v = measure("mixed.clat.p50>0", &e);
	T_EQ(v.samples, 2997);
}

TEST(trust_is_a_grade)
{
	struct trust t = { 0 };

	make_result();
	trust = t;
	T_TRUE(holds("trust", "=", EXPECT_OK) && holds("trust", ">=", EXPECT_DOUBTFUL));
	T_TRUE(!holds("trust", "<", EXPECT_OK) && !holds("trust", "=", EXPECT_INVALID));
	trust_add(&trust, "a", TRUST_DOUBTFUL, 0, "one");
	T_TRUE(!holds("trust", "=", EXPECT_OK) && holds("trust", "=", EXPECT_DOUBTFUL));
	T_TRUE(holds("trust", ">=", EXPECT_DOUBTFUL) && holds("trust", ">", EXPECT_INVALID));
	trust_add(&trust, "b", TRUST_INVALID, 1, "of the other job");
	T_TRUE(holds("trust", "=", EXPECT_DOUBTFUL));
	T_TRUE(holds("group.trust", "=", EXPECT_INVALID));
	T_TRUE(!holds("group.trust", ">", EXPECT_INVALID));
	trust_done(&trust);
}

TEST(what_was_not_measured_is_unknown)
{
	static const char *const texts[] = {
		"read.clat.p99<1s", "read.iops>=0", "read.bw>=0", "read.iops.low>=0", "sync.lat.max<1s",
		"read.runtime>=0", "group.read.bw.all>=0", "group.read.bw.min>=0",
	};
	struct expectation e;

	make_result();
	memset(job.dir, 0, sizeof(job.dir));
	memset(other.dir, 0, sizeof(other.dir));
	memset(&job.sync, 0, sizeof(job.sync));
	memset(&group.dir, 0, sizeof(group.dir));
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		T_TRUE(!measure(texts[i], &e).known);
	T_TRUE(measure("read.ios=0", &e).known);
	job.start_wall_ms = 0;		/* it never ran: then there is no 0 either */
	T_TRUE(!measure("read.ios=0", &e).known);
	T_TRUE(!measure("runtime>=0", &e).known);
	T_TRUE(!measure("trust=ok", &e).known);
	T_TRUE(measure("group.runtime>=0", &e).known);
	/* at work, but never at once */
	group.dir[0].together = (struct result_together){ .workers = 2, .whole_bw = 7 };
	T_TRUE(!measure("group.read.bw.all>=0", &e).known);
	T_TRUE(measure("group.read.bw.end>=0", &e).known);
}

/* ---- Values -------------------------------------------------------------------------------------- */

static double limit_of(const char *text, int kb_base)
{
	struct expectation list[EXPECT_MAX];
	struct parse_err err;
	size_t count;

	if (expect_parse(span_of(text), kb_base, list, &count, &err))
		T_FAIL("%s: %s", text, err.text);
	return list[count - 1].limit;
}

TEST(values_in_their_units)
{
	T_NEAR(limit_of("read.iops>50k", 1024), 50000, 0);
	T_NEAR(limit_of("read.iops>0.5", 1024), 0.5, 0);
	T_NEAR(limit_of("read.iops>1.5m", 1000), 1500000, 0);
	T_NEAR(limit_of("read.bw>500m", 1024), 500.0 * 1048576, 0);
	T_NEAR(limit_of("read.bw>500m", 1000), 5e8, 0);
	T_NEAR(limit_of("read.bw>500MiB/s", 1024), 500.0 * 1048576, 0);
	T_NEAR(limit_of("read.bw>500MiB/s", 1000), 500.0 * 1048576, 0);
	T_NEAR(limit_of("read.bytes>=1g", 1024), 1073741824, 0);
	T_NEAR(limit_of("read.clat.p99<2ms", 1024), 2e6, 0);
	T_NEAR(limit_of("read.clat.p99 <= 1.5us", 1024), 1500, 0);
	T_NEAR(limit_of("read.clat.p99<0", 1024), 0, 0);
	T_NEAR(limit_of("runtime<1h30m", 1024), 5400e9, 0);
	T_NEAR(limit_of("cpu<12.5%", 1024), 12.5, 0);
	T_NEAR(limit_of("cpu<12.5", 1024), 12.5, 0);
	T_NEAR(limit_of("trust=OK", 1024), EXPECT_OK, 0);
	T_NEAR(limit_of("read.iops>(10*3)", 1024), 30, 0);
}

TEST(lists)
{
	struct expectation list[EXPECT_MAX];
	const char *text = " read.iops > 5 ;; write.iops<6,trust=ok; ";
	struct parse_err err;
	size_t count;

	T_EQ(expect_parse(span_of(text), 1024, list, &count, &err), 0);
	T_EQ(count, 3);
	T_TRUE(span_is(list[0].text, "read.iops > 5") && list[0].op == EXPECT_MORE);
	T_TRUE(span_is(list[1].text, "write.iops<6") && list[1].place == EXPECT_WRITE);
	T_TRUE(span_is(list[2].text, "trust=ok") && list[2].place == EXPECT_JOB);
}

TEST(too_many)
{
	struct expectation list[EXPECT_MAX];
	char text[EXPECT_MAX * 10 + 20] = "";
	struct parse_err err;
	size_t count;

	for (int i = 0; i < EXPECT_MAX; i++)
		strcat(text, "errors=0;");
	T_EQ(expect_parse(span_of(text), 1024, list, &count, &err), 0);
	T_EQ(count, EXPECT_MAX);
	strcat(text, "errors=0");
	T_TRUE(expect_parse(span_of(text), 1024, list, &count, &err) < 0);
	T_EQ(err.col, EXPECT_MAX * 9);
	T_STR(err.text, "more than 64 expectations");
}

TEST(errors_name_the_place_and_the_nearest_name)
{
	static const struct { const char *text; int col; const char *says; } bad[] = {
		{ "", 0, "an expectation is missing" },
		{ " ; ,", 0, "an expectation is missing" },
		{ "reed.iops>5", 0, "there is no 'reed' here; did you mean 'read'?" },
		{ "read.iosp>5", 5, "there is no 'iosp' here; did you mean 'iops'?" },
		{ "read.clat.avgg<5ms", 10, "min, max, mean, stddev, p50, p99.9" },
		{ "read.clat.p101<5ms", 10, "'p101' is no percentile" },
		{ "read.clat.p<5ms", 10, "there is no 'p' here" },
		{ "read.clat.p9x<5ms", 10, "'p9x' is no percentile" },
		{ "read.clat<5ms", 9, "'.' and a name must follow 'clat': min, max, mean" },
		{ "read>5", 4, "'.' and a name must follow 'read': iops, bw" },
		{ "read.ios.x>5", 8, "nothing can follow 'ios'" },
		{ "read.>5", 5, "a name is missing" },
		{ ">5", 0, "a name is missing: read, write" },
		{ "group.>5", 6, "a name is missing" },
		{ "group.group.ctx>5", 6, "there is no 'group' here" },
		{ "group>5", 0, "there is no 'group' here" },
		{ "read.bw.all>5", 8, "only a group has 'all'" },
		{ "group.read.iops.low>5", 16, "only a direction of a job has 'low'" },
		{ "mixed.iops.high>5", 11, "only a direction of a job has 'high'" },
		{ "errors=0; read.iops", 19, "a comparison and a value must follow 'read.iops'" },
		{ "read.iops=<5", 9, "'=<' is no comparison" },
		{ "read.iops=>5", 9, "did you mean '>='?" },
		{ "read.iops<>5", 9, "did you mean '!='?" },
		{ "read.iops~5", 9, "'~' is no comparison" },
		{ "read.iops<", 10, "a value is missing" },
		{ "read.iops< ;ctx<5", 10, "a value is missing" },
		{ "read.iops<5x", 11, "" },
		{ "read.clat.p99<2", 15, "a unit is missing behind '2': ns, us, ms or s" },
		{ "read.clat.p99<2mss", 15, "" },
		{ "trust=fine", 6, "there is no 'fine' here, but invalid, doubtful, ok" },
		{ "trust=doubtfull", 6, "did you mean 'doubtful'?" },
		{ "cpu<-5", 4, "" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct expectation list[EXPECT_MAX];
		struct parse_err err = { "", -1 };
		size_t count;

		if (!expect_parse(span_of(bad[i].text), 1024, list, &count, &err))
			T_FAIL("'%s' was taken", bad[i].text);
		if (!strstr(err.text, bad[i].says) || (bad[i].col != err.col && bad[i].says[0]))
			T_FAIL("'%s': at %d: %s", bad[i].text, err.col, err.text);
		T_TRUE(err.text[0] && err.col >= bad[i].col - 3);
	}
}

TEST(values_as_they_are_shown)
{
	struct num_style style = { .figures = NUM_FIGURES_DEFAULT };
	struct expectation e = { .unit = EXPECT_TIME };
	char buf[64];

	T_STR(expect_show(&e, 1234567, style, buf, sizeof(buf)), "1.23457ms");
	T_STR(expect_show(&e, 999, style, buf, sizeof(buf)), "999ns");
	T_STR(expect_show(&e, 2e9, style, buf, sizeof(buf)), "2s");
	e.unit = EXPECT_COUNT;
	T_STR(expect_show(&e, 50000, style, buf, sizeof(buf)), "50000");
	T_STR(expect_show(&e, 0.25, style, buf, sizeof(buf)), "0.25");
	e.unit = EXPECT_BANDWIDTH;
	T_STR(expect_show(&e, 500.0 * 1048576, style, buf, sizeof(buf)), "500MiB/s");
	e.unit = EXPECT_GRADE;
	T_STR(expect_show(&e, EXPECT_DOUBTFUL, style, buf, sizeof(buf)), "doubtful");
}
