/* SPDX-License-Identifier: MIT */
/* Steady state: criteria as words, the rolling window, and the figures against made-up series. */
#include "lib/steady.h"
#include "t/test.h"

static struct steady_criterion c;
static struct parse_err err;

static int parse(const char *text)
{
	return steady_parse(span_of(text), 1024, &c, &err);
}

static void add(struct steady_window *w, uint64_t v)
{
	const uint64_t sample[STEADY_SERIES] = { v, v * 4096, v * 7 };

	steady_add(w, sample);
}

TEST(words)
{
	T_EQ(parse("iops:50%"), 0);
	T_EQ(c.of, STEADY_IOPS);
	T_TRUE(!c.slope && c.percent);
	T_NEAR(c.limit, 50, 0);
	T_EQ(parse("iops_slope:0.01%"), 0);
	T_TRUE(c.slope && c.percent);
	T_NEAR(c.limit, 0.01, 1e-12);
	T_EQ(parse("bw:1g"), 0);
	T_EQ(c.of, STEADY_BW);
	T_TRUE(!c.percent);
	T_NEAR(c.limit, 1073741824, 0);
	T_EQ(parse("bw_slope:0.5"), 0);
	T_NEAR(c.limit, 0.5, 0);
	T_EQ(parse("iops:1k"), 0);
	T_NEAR(c.limit, 1024, 0);
	T_EQ(parse("lat:50us"), 0);
	T_EQ(c.of, STEADY_LAT);
	T_NEAR(c.limit, 50000, 0);
	T_EQ(parse("lat_slope:12.5"), 0);
	T_NEAR(c.limit, 12.5, 0);
	T_STR(steady_name(&c), "lat_slope");
	T_EQ(steady_parse(span_of("bw:1k"), 1000, &c, &err), 0);
	T_NEAR(c.limit, 1000, 0);
}

TEST(words_that_are_refused)
{
	c.limit = 3;
	T_EQ(parse("iops"), -EINVAL);
	T_TRUE(strstr(err.text, "iops:5%"));
	T_EQ(parse("bw:"), -EINVAL);
	T_EQ(parse("iosp:5%"), -EINVAL);
	T_TRUE(strstr(err.text, "'iops'"));
	T_EQ(parse("speed:5%"), -EINVAL);
	T_TRUE(strstr(err.text, "lat_slope"));
	T_EQ(parse(""), -EINVAL);
	T_EQ(parse("iops:x%"), -EINVAL);
	T_EQ(err.col, 5);
	T_EQ(parse("iops:-3%"), -EINVAL);
	T_EQ(parse("iops:5us"), -EINVAL);
	T_EQ(parse("lat:5q"), -EINVAL);
	T_EQ(parse("iops:%"), -EINVAL);
	T_NEAR(c.limit, 3, 0);		/* untouched */
}

TEST(the_window_rolls)
{
	struct steady_window w;

	T_EQ(steady_init(&w, 3), 0);
	T_EQ(steady_at(&w, STEADY_IOPS, 2), 0);
	add(&w, 10);
	add(&w, 20);
	T_EQ(steady_at(&w, STEADY_IOPS, 0), 10);
	T_EQ(steady_at(&w, STEADY_BW, 1), 81920);
	T_EQ(steady_at(&w, STEADY_IOPS, 2), 0);
	T_NEAR(steady_mean(&w, STEADY_IOPS), 10, 0);
	for (uint64_t v = 30; v <= 70; v += 10)
		add(&w, v);
	for (size_t i = 0; i < 3; i++)		/* the oldest first */
		T_EQ(steady_at(&w, STEADY_IOPS, i), 50 + 10 * i);
	T_NEAR(steady_mean(&w, STEADY_IOPS), 60, 0);
	T_EQ(steady_at(&w, STEADY_LAT, 2), 490);
	steady_clear(&w);
	T_EQ(w.count, 0);
	T_EQ(steady_at(&w, STEADY_IOPS, 0), 0);
	add(&w, 5);
	T_EQ(steady_at(&w, STEADY_IOPS, 0), 5);
	steady_free(&w);
}

/* The samples that fio 3.42 printed, and what it made of them. */
TEST(as_fio_judges)
{
	struct steady_window w;
	struct steady_verdict v;

	T_EQ(steady_init(&w, 2), 0);
	T_EQ(parse("iops:50%"), 0);
	add(&w, 3252100);
	T_TRUE(!steady_judge(&w, &c).attained);
	T_NEAR(steady_judge(&w, &c).deviation, 0, 0);
	add(&w, 4438935);
	v = steady_judge(&w, &c);
	T_TRUE(v.attained);
	T_NEAR(v.deviation, 593417.5, 1e-6);
	T_NEAR(v.value, 15.431408, 1e-6);
	T_EQ(parse("iops_slope:50%"), 0);
	add(&w, 1317853);
	add(&w, 1432430);
	v = steady_judge(&w, &c);
	T_NEAR(v.slope, 114577, 1e-6);
	T_NEAR(v.value, 8.332018, 1e-5)	/* fio drops a fraction of the mean */;
	add(&w, 1654664);
	add(&w, 1639375);
	v = steady_judge(&w, &c);
	T_NEAR(v.slope, -15289, 1e-6);
	T_NEAR(v.value, -0.928283, 1e-5);
	T_TRUE(v.attained);
	T_EQ(parse("iops_slope:0.9%"), 0);
	T_TRUE(!steady_judge(&w, &c).attained);		/* falling fast is not steady either */
	steady_free(&w);
}

TEST(least_squares)
{
	struct steady_window w;
	struct steady_verdict v;

	T_EQ(steady_init(&w, 5), 0);
	T_EQ(parse("iops_slope:10"), 0);
	for (uint64_t i = 0; i < 5; i++)
		add(&w, 1000 + 10 * i);
	v = steady_judge(&w, &c);
	T_NEAR(v.slope, 10, 1e-9);
	T_NEAR(v.deviation, 20, 1e-9);
	T_TRUE(!v.attained);		/* below the limit, not at it */
	/* y = 3, 1, 4, 1, 5 over x = 0 ... 4: slope 0.4 */
	add(&w, 3), add(&w, 1), add(&w, 4), add(&w, 1), add(&w, 5);
	v = steady_judge(&w, &c);
	T_NEAR(v.slope, 0.4, 1e-12);
	T_NEAR(v.value, 0.4, 1e-12);
	T_TRUE(v.attained);
	steady_free(&w);
}

TEST(what_stands_still_is_not_steady)
{
	struct steady_window w;

	T_EQ(steady_init(&w, 2), 0);
	add(&w, 0), add(&w, 0);
	T_EQ(parse("iops:50%"), 0);
	T_TRUE(!steady_judge(&w, &c).attained);
	T_EQ(parse("iops:5"), 0);
	T_TRUE(!steady_judge(&w, &c).attained);
	steady_free(&w);
}

TEST(a_window_of_one)
{
	struct steady_window w;

	T_EQ(steady_init(&w, 1), 0);
	add(&w, 7);
	T_EQ(parse("bw_slope:1%"), 0);
	T_TRUE(steady_judge(&w, &c).attained);
	T_NEAR(steady_judge(&w, &c).slope, 0, 0);
	add(&w, 9);
	T_EQ(steady_at(&w, STEADY_IOPS, 0), 9);
	steady_free(&w);
}
