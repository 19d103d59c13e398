/* SPDX-License-Identifier: MIT */
/* Numbers as they stand in job files: what each spelling means and which ones are refused. */
#include "t/test.h"

#include "lib/units.h"

#define K	UINT64_C(1024)
#define M	(K * K)
#define G	(M * K)
#define BAD	UINT64_C(0xbadbadbadbadbad)

static struct parse_err err;
static bool kib;

static uint64_t size_of(const char *text, int base)
{
	uint64_t bytes = BAD;

	kib = false;
	err = (struct parse_err){ "", -1 };
	if (units_size(span_of(text), base, &bytes, &kib, &err))
		T_EQ(bytes, BAD);
	return bytes;
}

static uint64_t size(const char *text)
{
	return size_of(text, 1024);
}

/* The last thing said is about column `col` and contains `words`. */
static void said(int col, const char *words)
{
	if (!strstr(err.text, words) || err.col != col)
		T_FAIL("'%s' at %d instead of '%s' at %d", err.text, err.col, words, col);
}

TEST(sizes)
{
	T_EQ(size("0"), 0);
	T_EQ(size("4096"), 4096);
	T_EQ(size("4k"), 4 * K);
	T_EQ(size("4K"), 4 * K);
	T_EQ(size("4kb"), 4 * K);
	T_EQ(size("4ki"), 4 * K);
	T_EQ(size("1mi"), M);
	T_EQ(size("2MB"), 2 * M);
	T_EQ(size("1g"), G);
	T_EQ(size("1t"), G * K);
	T_EQ(size("1p"), G * M);
	T_EQ(size("4194304B"), 4194304);
	T_EQ(size("1.5g"), 3 * G / 2);
	T_EQ(size("0.1k"), 102);
	T_EQ(size("+5"), 5);
	T_EQ(size("010"), 10);
	T_EQ(size("0x20"), 32);
	T_EQ(size(" 8k\t"), 8 * K);
	T_EQ(size("1 k"), K);
	if (!t_emulated())
		T_EQ(size("18446744073709551615"), UINT64_MAX);
	T_TRUE(!kib);
}

TEST(kib_takes_the_other_base)
{
	T_EQ(size("4KiB"), 4000);
	T_TRUE(kib);
	T_EQ(size("4MiB"), 4000000);
	T_EQ(size("1GiB"), 1000000000);
	T_EQ(size("1tib"), 1000000000000);
	T_EQ(size("1pib"), 1000000000000000);
	T_EQ(size("4ki"), 4 * K);
	T_TRUE(!kib);
	T_EQ(size("(1kib+1k)"), 2024);
	T_TRUE(kib);
	T_EQ(size_of("4k", 1000), 4000);
	T_EQ(size_of("4kb", 1000), 4000);
	T_EQ(size_of("4ki", 1000), 4000);
	T_EQ(size_of("2mi", 1000), 2000000);
	T_TRUE(!kib);
	T_EQ(size_of("4kib", 1000), 4 * K);
	T_TRUE(kib);
	T_EQ(size_of("1gib", 1000), G);
}

TEST(calculated_sizes)
{
	T_EQ(size("128*2"), 256);
	T_EQ(size("40+30"), 70);
	T_EQ(size("8*24000"), 192000);
	T_EQ(size("(4k*2)"), 8 * K);
	T_EQ(size("(4)k"), 4 * K);
	T_EQ(size("(2^14)"), 16 * K);
	T_EQ(size("(1m-4k)"), M - 4 * K);
	T_EQ(size("(10/4)"), 2);
	T_EQ(size("(7/2*2)"), 6);
	T_EQ(size("(1.5*1024)"), 1536);
	T_EQ(size("4096*1.5"), 6144);
	T_EQ(size("(0.3*10)"), 3);
	T_EQ(size("1e3"), 1000);
}

TEST(refused_sizes)
{
	T_EQ(size("4kx"), BAD);
	said(1, "'4kx': 'kx' is not a unit; use k, m, g, t, p");
	T_EQ(size("  10x"), BAD);
	said(4, "'x' is not a unit");
	T_EQ(size("1e3k"), BAD);
	said(3, "exponent");
	T_EQ(size("1z"), BAD);
	said(1, "'z' is not a unit");
	T_EQ(size(""), BAD);
	said(0, "the value is missing: a size such as 4k");
	T_EQ(size("  "), BAD);
	T_EQ(size("k"), BAD);
	said(0, "not a number");
	T_EQ(size("-1"), BAD);
	said(0, "'-1' is negative");
	T_EQ(size("(1-2)"), BAD);
	T_EQ(size("-0.5"), BAD);
	T_EQ(size("18446744073709551616"), BAD);
	said(0, "too large");
	T_EQ(size("16384p"), BAD);
	T_EQ(size("(18446744073709551615.5+1)"), BAD);
	said(t_emulated(), "too large");
	T_EQ(size("4k/2"), BAD);
	said(2, "only inside parentheses");
	T_EQ(size("4k-8k"), BAD);
	T_EQ(size("8k rw=write"), BAD);
	T_EQ(size("(1/0)"), BAD);
	said(2, "division by zero");
	T_EQ(size("50%"), BAD);
	T_EQ(size("1,2"), BAD);
	said(1, "',2' does not belong here");
	T_EQ(size("=8k"), BAD);
	T_EQ(units_size(span_of("x"), 1024, &(uint64_t){ 0 }, NULL, NULL), -EINVAL);
}

static struct units_amount amount(const char *text, unsigned int allow)
{
	struct units_amount a = { 77, BAD, -1, false };

	err = (struct parse_err){ "", -1 };
	if (units_amount(span_of(text), 1024, allow, &a, &err))
		T_EQ(a.count, BAD);
	return a;
}

TEST(percentages)
{
	const unsigned int any = UNITS_ALLOW_PERCENT | UNITS_ALLOW_ZONES;

	T_EQ(amount("50%", any).kind, UNITS_PERCENT);
	T_NEAR(amount("50%", any).percent, 50, 0);
	T_NEAR(amount("100%%", any).percent, 100, 0);
	T_NEAR(amount("50.5%", any).percent, 50.5, 0);
	T_NEAR(amount(" 50 % ", any).percent, 50, 0);
	T_NEAR(amount("(100-30)%", any).percent, 70, 0);
	T_NEAR(amount("130%", any).percent, 130, 0);
	T_EQ(amount("%", any).count, BAD);
	T_EQ(amount("-5%", any).count, BAD);
	T_EQ(amount("5k%", any).count, BAD);
	said(1, "a plain number is expected");
	T_EQ(amount("50%x", any).count, BAD);
	T_EQ(amount("50%", UNITS_ALLOW_ZONES).count, BAD);
	said(0, "'50%' is a percentage");
	T_EQ(amount("(7%4)", any).count, 3);
}

TEST(shares_of_memory)
{
	const unsigned int any = UNITS_ALLOW_PERCENT | UNITS_ALLOW_MEMORY;

	T_EQ(amount("33%mem", any).kind, UNITS_MEMORY);
	T_NEAR(amount("400%mem", any).percent, 400, 0);
	T_NEAR(amount("12.5% mem ", any).percent, 12.5, 0);
	T_NEAR(amount("(2*50)%MEM", any).percent, 100, 0);
	T_EQ(amount("33%", any).kind, UNITS_PERCENT);
	T_EQ(amount("33mem", any).count, BAD);
	T_EQ(amount("%mem", any).count, BAD);
	T_EQ(amount("-1%mem", any).count, BAD);
	T_EQ(amount("33%memx", any).count, BAD);
	T_EQ(amount("33%mem", UNITS_ALLOW_PERCENT).count, BAD);
	said(0, "'33%mem' is a share of memory");
	T_EQ(amount("50%", UNITS_ALLOW_MEMORY).count, BAD);
	T_EQ(amount("mem", any).count, BAD);
}

TEST(zones)
{
	T_EQ(amount("3z", UNITS_ALLOW_ZONES).kind, UNITS_ZONES);
	T_EQ(amount("3Z", UNITS_ALLOW_ZONES).count, 3);
	T_EQ(amount("2*3z ", UNITS_ALLOW_ZONES).count, 6);
	T_EQ(amount("1.5z", UNITS_ALLOW_ZONES).count, BAD);
	said(0, "'1.5z' is not a whole number of zones");
	T_EQ(amount("-1z", UNITS_ALLOW_ZONES).count, BAD);
	T_EQ(amount("z", UNITS_ALLOW_ZONES).count, BAD);
	T_EQ(amount("3z", 0).count, BAD);
	T_EQ(amount("3k", UNITS_ALLOW_ZONES).kind, UNITS_BYTES);
	T_EQ(amount("3k", 0).count, 3 * K);
	T_TRUE(amount("3kib", 0).kib);
}

static uint64_t count_of(const char *text, uint64_t min, uint64_t max)
{
	uint64_t value = BAD;

	err = (struct parse_err){ "", -1 };
	if (units_uint(span_of(text), 1024, min, max, &value, &kib, &err))
		T_EQ(value, BAD);
	return value;
}

TEST(unsigned_numbers)
{
	T_EQ(count_of("8", 1, 100), 8);
	T_EQ(count_of("1k", 1, 10000), 1024);
	T_EQ(count_of("0x10", 0, 16), 16);
	T_EQ(count_of("(100-30)", 0, 100), 70);
	T_EQ(count_of("2*1.25", 0, 9), 2);
	T_EQ(count_of("(3/2)", 0, 9), 1);
	T_EQ(count_of("1.5k", 0, 2000), 1536);
	if (!t_emulated())
		T_EQ(count_of("18446744073709551615", 0, UINT64_MAX), UINT64_MAX);
	T_EQ(count_of("1.5", 0, 9), BAD);
	said(0, "'1.5' is not a whole number");
	T_EQ(count_of("0", 1, 9), BAD);
	said(0, "'0' is too small: 1 is the least");
	T_EQ(count_of("2", 0, 1), BAD);
	said(0, "'2' is too large: 1 is the most");
	T_EQ(count_of("-1", 0, 9), BAD);
	said(0, "too small: 0");
	T_EQ(count_of("4294967297", 1, UINT32_MAX), BAD);
	said(0, "4294967295 is the most");
	T_EQ(count_of("1,2", 1, 9), BAD);
	T_EQ(count_of("50%", 1, 99), BAD);
	said(0, "is a percentage");
	T_EQ(count_of("\"8\"", 1, 99), BAD);
	T_EQ(count_of("", 1, 99), BAD);
	said(0, "a whole number is expected");
	T_EQ(count_of("8 rw=read", 1, 9), BAD);
	said(2, "one option per line");
}

static int64_t signed_of(const char *text, int64_t min, int64_t max)
{
	int64_t value = -99;

	err = (struct parse_err){ "", -1 };
	units_int(span_of(text), 1024, min, max, &value, NULL, &err);
	return value;
}

TEST(signed_numbers)
{
	T_EQ(signed_of("-8k", -100000, 0), -8192);
	T_EQ(signed_of("-20", -20, 19), -20);
	T_EQ(signed_of("(3-5)", -5, 5), -2);
	if (!t_emulated()) {
		T_EQ(signed_of("-9223372036854775808", INT64_MIN, INT64_MAX), INT64_MIN);
		T_EQ(signed_of("9223372036854775807", INT64_MIN, INT64_MAX), INT64_MAX);
		T_EQ(signed_of("9223372036854775808", INT64_MIN, INT64_MAX), -99);
		said(0, "9223372036854775807 is the most");
	}
	T_EQ(signed_of("-21", -20, 19), -99);
	said(0, "'-21' is too small: -20 is the least");
	T_EQ(signed_of("-1.5", -20, 19), -99);
}

TEST(real_numbers)
{
	double v = -1;

	T_EQ(units_double(span_of("1.2"), 0, 10, &v, &err), 0);
	T_NEAR(v, 1.2, 1e-15);
	T_EQ(units_double(span_of(" 99.99 "), 0, 100, &v, &err), 0);
	T_NEAR(v, 99.99, 1e-13);
	T_EQ(units_double(span_of("1e-3"), 0, 100, &v, &err), 0);
	T_NEAR(v, 1e-3, 1e-18);
	T_EQ(units_double(span_of("101"), 0, 100, &v, &err), -EINVAL);
	said(0, "'101' is too large: 100 is the most");
	T_EQ(units_double(span_of("-.5"), 0, 100, &v, &err), -EINVAL);
	T_EQ(units_double(span_of("1k"), 0, 100, &v, &err), -EINVAL);
	T_EQ(units_double(span_of("nan"), 0, 100, &v, &err), -EINVAL);
	T_EQ(units_double(span_of("inf"), 0, 100, &v, &err), -EINVAL);
	T_EQ(units_double(span_of("abc"), 0, 100, &v, &err), -EINVAL);
	T_EQ(units_percent(span_of("70%"), 100, &v, &err), 0);
	T_NEAR(v, 70, 0);
	T_EQ(units_percent(span_of("0.1%%"), 100, &v, &err), 0);
	T_NEAR(v, 0.1, 1e-16);
	T_EQ(units_percent(span_of("70"), 100, &v, &err), 0);
	T_EQ(units_percent(span_of("101%"), 100, &v, &err), -EINVAL);
	T_EQ(units_percent(span_of("%"), 100, &v, &err), -EINVAL);
	said(0, "a percentage such as 50");
}

TEST(booleans)
{
	static const char *const bad[] = {
		"", "2", "-1", "1k", "01", "(1)", "true", "false", "yes", "no", "on", "off", "1 1",
	};
	bool value = false;

	T_EQ(units_bool(span_of("1"), &value, &err), 0);
	T_TRUE(value);
	T_EQ(units_bool(span_of(" 0 "), &value, &err), 0);
	T_TRUE(!value);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		T_EQ(units_bool(span_of(bad[i]), &value, &err), -EINVAL);
	units_bool(span_of("True"), &value, &err);
	said(0, "'True' is not understood here: write 1 for yes");
	units_bool(span_of("off"), &value, &err);
	said(0, "write 0 for no");
	units_bool(span_of("10"), &value, &err);
	said(0, "'10' is neither 0 nor 1");
}

static uint64_t time_of(const char *text, uint64_t unit)
{
	uint64_t ns = BAD;

	err = (struct parse_err){ "", -1 };
	if (units_time(span_of(text), unit, &ns, &err))
		T_EQ(ns, BAD);
	return ns;
}

static uint64_t seconds(const char *text)
{
	return time_of(text, UNITS_S);
}

TEST(times)
{
	T_EQ(seconds("10"), 10 * UNITS_S);
	T_EQ(time_of("10", UNITS_US), 10000);
	T_EQ(time_of("5", UNITS_MS), 5000000);
	T_EQ(time_of("5", UNITS_NS), 5);
	T_EQ(seconds("1d"), 86400 * UNITS_S);
	T_EQ(seconds("1h"), 3600 * UNITS_S);
	T_EQ(seconds("1m"), 60 * UNITS_S);
	T_EQ(seconds("1M"), 60 * UNITS_S);
	T_EQ(seconds("1s"), UNITS_S);
	T_EQ(seconds("5ms"), 5 * UNITS_MS);
	T_EQ(seconds("5MSEC"), 5 * UNITS_MS);
	T_EQ(seconds("5us"), 5000);
	T_EQ(seconds("5usec"), 5000);
	T_EQ(seconds("500ns"), 500);
	T_EQ(seconds("10sec"), 10 * UNITS_S);
	T_EQ(seconds("1min"), 60 * UNITS_S);
	T_EQ(seconds("10 seconds"), 10 * UNITS_S);
	T_EQ(seconds("2 hours"), 7200 * UNITS_S);
	T_EQ(seconds("1.5s"), 1500 * UNITS_MS);
	T_EQ(seconds("1.5"), 1500 * UNITS_MS);
	T_EQ(seconds("0.1s"), 100 * UNITS_MS);
	T_EQ(seconds("0.1"), 100 * UNITS_MS);
	T_EQ(seconds("0.0000001"), 100);
	T_EQ(seconds("0"), 0);
}

TEST(compound_and_calculated_times)
{
	T_EQ(seconds("1h30m"), 5400 * UNITS_S);
	T_EQ(seconds("1h 30m"), 5400 * UNITS_S);
	T_EQ(seconds("1d2h3m4s5ms6us7ns"), UINT64_C(93784005006007));
	T_EQ(seconds("1m1.5s"), 61500 * UNITS_MS);
	T_EQ(seconds("(2)"), 2 * UNITS_S);
	T_EQ(seconds("(2s)"), 2 * UNITS_S);
	T_EQ(seconds("(1m+30s)"), 90 * UNITS_S);
	T_EQ(seconds("1m+30s"), 90 * UNITS_S);
	T_EQ(seconds("(1m+30)"), 90 * UNITS_S);
	T_EQ(seconds("(1+1)s"), 2 * UNITS_S);
	T_EQ(seconds("(500ms)"), 500 * UNITS_MS);
	T_EQ(seconds("(1s+500ms)"), 1500 * UNITS_MS);
	T_EQ(seconds("(1h/4)"), 900 * UNITS_S);
	T_EQ(seconds("30*2"), 60 * UNITS_S);
	T_EQ(time_of("2*3ms", UNITS_US), 6 * UNITS_MS);
}

TEST(refused_times)
{
	T_EQ(seconds("10x"), BAD);
	said(2, "'10x': 'x' is not a unit; use d, h, m, s, ms, us, ns");
	T_EQ(seconds("10k"), BAD);
	T_EQ(seconds("1h30"), BAD);
	said(2, "a unit is missing");
	T_EQ(seconds("30m1h"), BAD);
	said(3, "smaller");
	T_EQ(seconds("-1"), BAD);
	said(0, "negative");
	T_EQ(seconds(""), BAD);
	said(0, "a time such as 10s");
	T_EQ(seconds("300000d"), BAD);
	said(0, "the number is too large: 36500d (100 years) is the most");
	T_EQ(seconds("36500d"), UNITS_TIME_MAX_NS);
	T_EQ(seconds("36501d"), BAD);
	T_EQ(seconds("99999999999999999999999"), BAD);
	said(0, "too large: 36500d (100 years) is the most");
	T_EQ(seconds("18446744073709551615"), BAD);
	T_EQ(seconds("10s*10s"), BAD);
	T_EQ(seconds("5-10"), BAD);
	T_EQ(seconds("50%"), BAD);
}

static const char *dirs(const char *text, const char *seps)
{
	static char out[64];
	struct span got[SPAN_DIRS];

	err = (struct parse_err){ "", -1 };
	if (units_dirs(span_of(text), seps, got, &err))
		return NULL;
	out[0] = '\0';
	for (int i = 0; i < SPAN_DIRS; i++)
		snprintf(out + strlen(out), sizeof(out) - strlen(out), "%.*s|",
			 got[i].at ? (int)got[i].len : 1, got[i].at ? got[i].at : "-");
	return out;
}

TEST(values_per_direction)
{
	T_STR(dirs("4k", ","), "4k|4k|4k|");
	T_STR(dirs("4k,8k", ","), "4k|8k|8k|");
	T_STR(dirs("4k,8k,16k", ","), "4k|8k|16k|");
	T_STR(dirs(" 4k , 8k ", ","), "4k|8k|8k|");
	T_STR(dirs(",8k", ","), "-|8k|8k|");
	T_STR(dirs(",8k,", ","), "-|8k|-|");
	T_STR(dirs(",,16k", ","), "-|-|16k|");
	T_STR(dirs("4k,", ","), "4k|-|-|");
	T_STR(dirs("4k,8k,", ","), "4k|8k|-|");
	T_STR(dirs("4k,,16k", ","), "4k|-|16k|");
	T_STR(dirs("4k-8k", ",-:"), "4k|8k|8k|");
	T_STR(dirs("4k:8k:2k", ",-:"), "4k|8k|2k|");
	T_STR(dirs("(4k*2),(8k-2)", ",-:"), "(4k*2)|(8k-2)|(8k-2)|");
	T_STR(dirs("4k-8k,16k", ","), "4k-8k|16k|16k|");
	T_STR(dirs("1,2,3,4", ","), NULL);
	said(6, "fourth");
	T_STR(dirs("", ","), NULL);
	T_STR(dirs(",,", ","), NULL);
	said(0, "missing");
}

static const char *range(const char *text)
{
	static char out[64];
	struct span low, high;
	int rc;

	err = (struct parse_err){ "", -1 };
	rc = units_range(span_of(text), &low, &high, &err);
	if (rc < 0)
		return NULL;
	snprintf(out, sizeof(out), "%d %.*s %.*s", rc, (int)low.len, low.at,
		 (int)high.len, high.at);
	return out;
}

TEST(ranges)
{
	T_STR(range("4k-64k"), "1 4k 64k");
	T_STR(range("4k:64k"), "1 4k 64k");
	T_STR(range("4k - 64k"), "1 4k 64k");
	T_STR(range("4k"), "0 4k 4k");
	T_STR(range("(8k-4k)-64k"), "1 (8k-4k) 64k");
	T_STR(range("(8k-4k)"), "0 (8k-4k) (8k-4k)");
	T_STR(range("-5"), "0 -5 -5");
	T_STR(range("4k-"), NULL);
	said(3, "high end");
	T_STR(range(":4k"), NULL);
	said(0, "low end");
	T_STR(range("1-2-3"), NULL);
	said(4, "third");
	T_STR(range(""), NULL);
	said(0, "missing");
}
