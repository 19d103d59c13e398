/* SPDX-License-Identifier: MIT */
/* The grammar of calculations: what they come to, and where what is wrong with them stands. */
#include "t/test.h"

#include "lib/expr.h"

/* Units of a small world: k is 1000, z is no unit. */
static long double unit(const struct expr_rules *rules, struct span word, unsigned int *marks)
{
	(void)rules;
	if (span_is(word, "k"))
		return 1000;
	if (span_is(word, "odd")) {
		*marks |= 4;
		return 3;
	}
	return 0;
}

static const struct expr_rules plain = { .unit = unit, .known = "k, odd" };
static const struct expr_rules minutes = {
	.unit = unit, .known = "k, odd", .quantity = true, .plain = 10,
};

static struct parse_err err;

static long double eval(const char *text, const struct expr_rules *rules)
{
	struct expr_result result = { -777, false, 0 };

	err = (struct parse_err){ "", -1 };
	if (expr_eval(span_of(text), rules, &result, &err))
		return -777;
	return result.value;
}

#define IS(input, expected)							\
	do {									\
		T_NEAR(eval(input, &plain), expected, 0);			\
		T_STR(err.text, "");						\
	} while (0)

#define FAILS(input, column, words)						\
	do {									\
		T_EQ(eval(input, &plain) == -777, 1);				\
		T_EQ(err.col, column);						\
		if (!strstr(err.text, words))					\
			T_FAIL("%s: '%s' lacks '%s'", input, err.text, words);	\
	} while (0)

TEST(numbers)
{
	IS("0", 0);
	IS("010", 10);
	IS("  7 ", 7);
	IS("+5", 5);
	IS("-5", -5);
	IS("- - 5", 5);
	IS("1.5", 1.5);
	IS(".5", .5);
	IS("1e3", 1000);
	IS("1.5e1", 15);
	IS("25e-1", 2.5);
	IS("0x20", 32);
	IS("0XfF", 255);
	IS("4k", 4000);
	IS("4 k", 4000);
	IS("1.5k", 1500);
	IS("0.1k", 100);
	IS("0.00000000000000000000000000001", 0);
}

TEST(bare_times_and_plus)
{
	IS("128*2", 256);
	IS("40+30", 70);
	IS("1+2*3", 7);
	IS("2*3+1", 7);
	IS("8 * 24000", 192000);
	IS("4k*2", 8000);
	IS("2*-3", -6);
	FAILS("8-1", 1, "only inside parentheses");
	FAILS("8/2", 1, "only inside parentheses");
	FAILS("8%3", 1, "only inside parentheses");
	FAILS("2^3", 1, "only inside parentheses");
	FAILS("(1)-(2)", 3, "only inside parentheses");
}

TEST(parentheses)
{
	IS("(4)", 4);
	IS("((4))", 4);
	IS("(4k*2)", 8000);
	IS("(4)k", 4000);
	IS("(1k)k", 1000000);
	IS("( 1 + 2 ) * 3", 9);
	IS("(100-30)", 70);
	IS("(1k-1)", 999);
	IS("2*(3+4)", 14);
	IS("(2-3-4)", -5);
}

TEST(order_of_operators)
{
	IS("(2+3*4)", 14);
	IS("(-2^2)", 4);
	IS("(2^3^2)", 512);
	IS("(2*3^2)", 18);
	IS("(2^-1)", .5);
	IS("(10-2-3)", 5);
	IS("(100/10/5)", 2);
	IS("(7%4*2)", 6);
}

TEST(division)
{
	IS("(10/4)", 2);
	IS("(7/2*2)", 6);
	IS("(-7/2)", -3);
	IS("(7.0/2)", 3.5);
	IS("(1.5k/1000)", 1.5);
	IS("(7%3)", 1);
	IS("(7.5%2)", 1.5);
	IS("(1.5*1024)", 1536);
	if (!t_emulated())
		IS("(18446744073709551615/10)", 1844674407370955161.0L);
	FAILS("(1/0)", 2, "division by zero");
	FAILS("(5%0)", 2, "division by zero");
	FAILS("(1/(2-2))", 2, "division by zero");
}

TEST(limits)
{
	if (!t_emulated()) {
		IS("18446744073709551615", 18446744073709551615.0L);
		IS("(2^63-1+2^63)", 18446744073709551615.0L);
	}
	IS("(2^63)", 9223372036854775808.0L);
	IS("(0^0)", 1);
	IS("(1^1000000000000)", 1);
	IS("((-1)^1000000000001)", -1);
	IS("(0.5^100000000000)", 0);
	FAILS("18446744073709551616", 0, "too large");
	FAILS("0x10000000000000000", 2, "too large");
	FAILS("1e30", 0, "too large");
	FAILS("1e500", 1, "exponent");
	FAILS("(2^64)", 2, "too large");
	if (!t_emulated()) {
		FAILS("(18446744073709551615+2-2)", 21, "too large");
		FAILS("18446744073709551615*2", 20, "too large");
	}
	FAILS("(10^10^10)", 3, "too large");
	FAILS("1844674407370955161k", 0, "too large");
	FAILS("((-8)^0.5)", 5, "no real value");
}

TEST(broken)
{
	FAILS("", 0, "missing");
	FAILS("()", 1, "missing before ')'");
	FAILS("(abc)", 1, "'abc)' is not a number");
	FAILS("abc", 0, "'abc' is not a number");
	FAILS("(4 5)", 3, "'5' is not an operator");
	FAILS("4 5", 2, "operator is missing");
	FAILS("(2**3)", 3, "missing before '*'");
	FAILS("(1<<4)", 2, "'<' is not an operator");
	FAILS("(1", 0, "never closed");
	FAILS("((1)", 0, "never closed");
	FAILS("1)", 1, "closes nothing");
	FAILS("1+", 2, "missing at the end");
	FAILS("1.", 2, "digit is missing");
	FAILS(".", 0, "not a number");
	FAILS("0x", 2, "hex digits");
	FAILS("0x10k", 4, "hex number takes no unit");
	FAILS("0xg", 2, "hex digits");
	FAILS("10x", 2, "'x' is not a unit; use k, odd");
	FAILS("4kx", 1, "'kx' is not a unit");
	FAILS("1e3k", 3, "exponent takes no unit");
	FAILS("4k2", 2, "operator is missing");
	FAILS("4k rw=write", 3, "does not belong");
	FAILS("4 rw=write", 2, "one option per line");
	FAILS("4k // c", 3, "only inside parentheses");
	FAILS("4\x01", 1, "'?' does not belong");
}

TEST(marks_and_computed)
{
	struct expr_result result;

	T_EQ(expr_eval(span_of("2odd"), &plain, &result, NULL), 0);
	T_EQ(result.marks, 4);
	T_TRUE(!result.computed);
	T_EQ(expr_eval(span_of("2odd*1"), &plain, &result, NULL), 0);
	T_TRUE(result.computed);
	T_EQ(expr_eval(span_of("(2^1)"), &plain, &result, NULL), 0);
	T_TRUE(result.computed);
	T_EQ(result.marks, 0);
	T_EQ(expr_eval(span_of("2?"), &plain, &result, NULL), -EINVAL);
}

TEST(quantities)
{
	T_NEAR(eval("2", &minutes), 20, 0);
	T_NEAR(eval("2k", &minutes), 2000, 0);
	T_NEAR(eval("2k+1", &minutes), 2010, 0);
	T_NEAR(eval("2k*3", &minutes), 6000, 0);
	T_NEAR(eval("(2k/1k)", &minutes), 20, 0);
	T_NEAR(eval("(2k/4)", &minutes), 500, 0);
	T_NEAR(eval("(1+1)k", &minutes), 2000, 0);
	T_NEAR(eval("1k2odd", &minutes), 1006, 0);
	T_NEAR(eval("1k 2odd", &minutes), 1006, 0);
	T_NEAR(eval("-1k2odd", &minutes), -1006, 0);
	T_NEAR(eval("(7k%2k)", &minutes), 1000, 0);
	T_EQ(eval("2k*3k", &minutes) == -777, 1);
	T_EQ(eval("(3/3k)", &minutes) == -777, 1);
	T_EQ(eval("(3k%2)", &minutes) == -777, 1);
	T_EQ(eval("(1k)k", &minutes) == -777, 1);
	T_EQ(eval("(2k^2)", &minutes) == -777, 1);
	T_EQ(eval("1odd2k", &minutes) == -777, 1);
	T_EQ(eval("1k1k", &minutes) == -777, 1);
	T_EQ(eval("1k30", &minutes) == -777, 1);
	T_TRUE(strstr(err.text, "unit is missing"));
	T_EQ(err.col, 2);
}

/* A text of n times `piece`. */
static char *repeat(const char *piece, size_t n)
{
	size_t len = strlen(piece);
	char *text = malloc(n * len + 1);

	for (size_t i = 0; i < n; i++)
		memcpy(text + i * len, piece, len);
	text[n * len] = '\0';
	return text;
}

TEST(long_and_deep_input)
{
	const char *const pieces[] = { "(", "-", "1^", "2*", "1+", "9", " ", "(1+",
				       "0.", "1k", ")" };

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		char *text = repeat(pieces[i], 1 << 20);

		T_EQ(eval(text, &plain) == -777, 1);
		T_EQ(eval(text, &minutes) == -777, 1);
		T_TRUE(err.col >= 0 && err.col <= (int)strlen(text));
		free(text);
	}
	IS("((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))", 1);
}
