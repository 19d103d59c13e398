/* SPDX-License-Identifier: MIT */
/*
 * All numbers go through expr_eval(); what differs is the units it is told about and the range in
 * which the outcome must lie.
 */
#include "lib/units.h"

#include <math.h>
#include <stdio.h>

#include "lib/expr.h"

#define SIZE_UNITS	"k, m, g, t, p"
#define TIME_UNITS	"d, h, m, s, ms, us, ns"
#define SIZE_MOST	"18446744073709551615"
#define TIME_MOST	"36500d (100 years)"
#define MARK_KIB	1u

/* The exponents of k m g t p, in this order. */
static const char size_letters[] = "kmgtp";

/* expr_rules.unit for sizes; base is kb_base. */
static long double size_unit(const struct expr_rules *rules, struct span word, unsigned int *marks)
{
	int base = rules->base;
	const char *letter;
	long double factor = 1;

	if (span_is_nocase(word, "b"))
		return 1;
	letter = strchr(size_letters, span_char_lower(word.at[0]));
	if (!letter)
		return 0;
	word = span_from(word, 1);
	if (span_is_nocase(word, "ib")) {
		base = base == 1024 ? 1000 : 1024;
		*marks |= MARK_KIB;
	} else if (word.len && !span_is_nocase(word, "b") && !span_is_nocase(word, "i")) {
		return 0;
	}
	for (const char *at = size_letters; at <= letter; at++)
		factor *= base;
	return factor;
}

struct time_name {
	const char *name;
	uint64_t ns;
};

static const struct time_name time_names[] = {
	{ "d", 86400 * UNITS_S }, { "day", 86400 * UNITS_S }, { "days", 86400 * UNITS_S },
	{ "h", 3600 * UNITS_S }, { "hr", 3600 * UNITS_S }, { "hrs", 3600 * UNITS_S },
	{ "hour", 3600 * UNITS_S }, { "hours", 3600 * UNITS_S },
	{ "m", 60 * UNITS_S }, { "min", 60 * UNITS_S }, { "mins", 60 * UNITS_S },
	{ "minute", 60 * UNITS_S }, { "minutes", 60 * UNITS_S },
	{ "s", UNITS_S }, { "sec", UNITS_S }, { "secs", UNITS_S },
	{ "second", UNITS_S }, { "seconds", UNITS_S },
	{ "ms", UNITS_MS }, { "msec", UNITS_MS }, { "msecs", UNITS_MS },
	{ "millisecond", UNITS_MS }, { "milliseconds", UNITS_MS },
	{ "us", UNITS_US }, { "usec", UNITS_US }, { "usecs", UNITS_US },
	{ "microsecond", UNITS_US }, { "microseconds", UNITS_US },
	{ "ns", UNITS_NS }, { "nsec", UNITS_NS }, { "nsecs", UNITS_NS },
	{ "nanosecond", UNITS_NS }, { "nanoseconds", UNITS_NS },
};

/* expr_rules.unit for times, in ns. */
static long double time_unit(const struct expr_rules *rules, struct span word, unsigned int *marks)
{
	(void)rules;
	(void)marks;
	for (size_t i = 0; i < ARRAY_SIZE(time_names); i++)
		if (span_is_nocase(word, time_names[i].name))
			return (long double)time_names[i].ns;
	return 0;
}

static struct expr_rules size_rules(int kb_base)
{
	fl_assert(kb_base == 1000 || kb_base == 1024);
	return (struct expr_rules){ .unit = size_unit, .known = SIZE_UNITS, .most = SIZE_MOST,
				    .base = kb_base };
}

/* Evaluate text, with errors that name it and columns that count from its untrimmed start. */
static int evaluate(struct span text, const struct expr_rules *rules, const char *expected,
		    struct expr_result *result, struct parse_err *err)
{
	struct span trimmed = span_trim(text);
	int rc;

	if (!trimmed.len)
		return parse_fail(err, 0, "the value is missing: %s is expected", expected);
	rc = expr_eval(trimmed, rules, result, err);
	if (rc) {
		parse_fail_shift(err, (size_t)(trimmed.at - text.at));
		parse_fail_prefix(err, trimmed);
	}
	return rc;
}

/* An error about the value as a whole. */
static int fail_whole(struct span text, struct parse_err *err, const char *what)
{
	struct span trimmed = span_trim(text);

	return parse_fail(err, (size_t)(trimmed.at - text.at), "'%s' %s",
			  parse_show(trimmed).text, what);
}

/*
 * Drop the fraction, after mending what binary fractions do to decimal ones: 0.3 * 10 is 3 and
 * not 2.
 */
static long double drop_fraction(long double v)
{
	long double near = roundl(v);

	return fabsl(near - v) <= fabsl(v) * 0x1p-58L ? near : truncl(v);
}

/* The value as a count without sign, for sizes and times. */
static int to_u64(struct span text, const struct expr_result *result, uint64_t *value,
		  struct parse_err *err)
{
	long double v = drop_fraction(result->value);

	if (result->value < 0)
		return fail_whole(text, err, "is negative");
	if (v >= 0x1p64L)
		return fail_whole(text, err, "is too large: " SIZE_MOST " is the most");
	*value = (uint64_t)v;
	return 0;
}

int units_size(struct span text, int kb_base, uint64_t *bytes, bool *kib, struct parse_err *err)
{
	const struct expr_rules rules = size_rules(kb_base);
	struct expr_result result;
	int rc = evaluate(text, &rules, "a size such as 4k or 1g", &result, err);

	if (!rc)
		rc = to_u64(text, &result, bytes, err);
	if (!rc && kib)
		*kib = result.marks & MARK_KIB;
	return rc;
}

/* Take the % at the end off *text, if there are any. */
static bool strip_percent(struct span *text)
{
	struct span s = *text;
	bool found = false;

	for (;;) {
		while (s.len && span_char_blank(s.at[s.len - 1]))
			s.len--;
		if (!s.len || s.at[s.len - 1] != '%')
			break;
		s.len--;
		found = true;
	}
	if (found)
		*text = s;
	return found;
}

/* A real number without units in [min, max]. */
static int real_within(struct span text, double min, double max, const char *expected,
		       double *value, struct parse_err *err)
{
	const struct expr_rules rules = { .unit = NULL };
	struct expr_result result;
	char what[80];
	int rc = evaluate(text, &rules, expected, &result, err);

	if (rc)
		return rc;
	if (result.value >= min && result.value <= max) {
		*value = (double)result.value;
		return 0;
	}
	if (result.value < min)
		snprintf(what, sizeof(what), "is too small: %g is the least", min);
	else
		snprintf(what, sizeof(what), "is too large: %g is the most", max);
	return fail_whole(text, err, what);
}

static int zones(struct span number, struct span text, struct units_amount *amount,
		 struct parse_err *err)
{
	const struct expr_rules rules = { .unit = NULL };
	struct expr_result result;
	uint64_t count = 0;
	int rc = evaluate(number, &rules, "a number of zones such as 3z", &result, err);

	if (!rc)
		rc = to_u64(text, &result, &count, err);
	if (!rc && result.value != (long double)count)
		rc = fail_whole(text, err, "is not a whole number of zones");
	if (!rc)
		*amount = (struct units_amount){ .kind = UNITS_ZONES, .count = count };
	return rc;
}

/* Take the "mem" behind a percentage off *text, if it is there. */
static bool strip_memory(struct span *text)
{
	static const char word[] = "mem";
	struct span s = span_trim(*text), rest;
	size_t len = sizeof(word) - 1;

	if (s.len <= len || !span_is_nocase(span_from(s, s.len - len), word))
		return false;
	s.len -= len;
	rest = s;
	if (!strip_percent(&rest))
		return false;
	*text = s;
	return true;
}

int units_amount(struct span text, int kb_base, unsigned int allow, struct units_amount *amount,
		 struct parse_err *err)
{
	struct span rest = text;
	bool memory = strip_memory(&rest);
	double percent;
	uint64_t bytes;
	bool kib;
	int rc;

	if (strip_percent(&rest)) {
		if (!(allow & (memory ? UNITS_ALLOW_MEMORY : UNITS_ALLOW_PERCENT)))
			return fail_whole(text, err, memory ?
					  "is a share of memory, not a size such as 4k" :
					  "is a percentage, not a size such as 4k");
		rc = real_within(rest, 0, 1e18, "a percentage such as 50%", &percent, err);
		if (!rc)
			*amount = (struct units_amount){
				memory ? UNITS_MEMORY : UNITS_PERCENT, 0, percent, false,
			};
		return rc;
	}
	while (rest.len && span_char_blank(rest.at[rest.len - 1]))
		rest.len--;
	if ((allow & UNITS_ALLOW_ZONES) && rest.len > 1 &&
	    span_char_lower(rest.at[rest.len - 1]) == 'z') {
		rest.len--;
		return zones(rest, text, amount, err);
	}
	rc = units_size(text, kb_base, &bytes, &kib, err);
	if (!rc)
		*amount = (struct units_amount){ .kind = UNITS_BYTES, .count = bytes, .kib = kib };
	return rc;
}

/* Evaluate a whole number with size units into *v; a fraction only if it was computed. */
static int whole(struct span text, int kb_base, long double *v, bool *kib, struct parse_err *err)
{
	const struct expr_rules rules = size_rules(kb_base);
	struct expr_result result;
	struct span rest = text;
	int rc;

	if (strip_percent(&rest))
		return fail_whole(text, err, "is a percentage, a whole number is expected");
	rc = evaluate(text, &rules, "a whole number", &result, err);
	if (rc)
		return rc;
	*v = drop_fraction(result.value);
	if (!result.computed && *v != result.value)
		return fail_whole(text, err, "is not a whole number");
	*kib = result.marks & MARK_KIB;
	return 0;
}

/* A whole number between two others, which a long double holds to the last digit. */
static int whole_within(struct span text, int kb_base, long double min, long double max,
			long double *v, bool *kib, struct parse_err *err)
{
	char what[80];
	bool is_kib;
	int rc = whole(text, kb_base, v, &is_kib, err);

	if (rc)
		return rc;
	if (*v < min || *v > max) {
		if (*v < min)
			snprintf(what, sizeof(what), "is too small: %.0Lf is the least", min);
		else
			snprintf(what, sizeof(what), "is too large: %.0Lf is the most", max);
		return fail_whole(text, err, what);
	}
	if (kib)
		*kib = is_kib;
	return 0;
}

int units_uint(struct span text, int kb_base, uint64_t min, uint64_t max, uint64_t *value,
	       bool *kib, struct parse_err *err)
{
	long double v;
	int rc = whole_within(text, kb_base, (long double)min, (long double)max, &v, kib, err);

	if (!rc)
		*value = (uint64_t)v;
	return rc;
}

int units_int(struct span text, int kb_base, int64_t min, int64_t max, int64_t *value, bool *kib,
	      struct parse_err *err)
{
	long double v;
	int rc = whole_within(text, kb_base, (long double)min, (long double)max, &v, kib, err);

	if (!rc)
		*value = (int64_t)v;
	return rc;
}

int units_double(struct span text, double min, double max, double *value, struct parse_err *err)
{
	return real_within(text, min, max, "a number such as 1.2", value, err);
}

int units_percent(struct span text, double max, double *percent, struct parse_err *err)
{
	struct span rest = text;

	strip_percent(&rest);
	return real_within(rest, 0, max, "a percentage such as 50 or 50%", percent, err);
}

int units_bool(struct span text, bool *value, struct parse_err *err)
{
	static const char *const yes[] = { "true", "yes", "on", "y", "t", "enable", "enabled" };
	static const char *const no[] = { "false", "no", "off", "n", "f", "disable", "disabled" };
	struct span s = span_trim(text);

	if (span_is(s, "0") || span_is(s, "1")) {
		*value = s.at[0] == '1';
		return 0;
	}
	if (!s.len)
		return parse_fail(err, 0, "the value is missing: write 1 for yes or 0 for no");
	for (size_t i = 0; i < ARRAY_SIZE(yes); i++) {
		if (span_is_nocase(s, yes[i]))
			return fail_whole(text, err, "is not understood here: write 1 for yes");
		if (span_is_nocase(s, no[i]))
			return fail_whole(text, err, "is not understood here: write 0 for no");
	}
	return fail_whole(text, err, "is neither 0 nor 1");
}

int units_time(struct span text, uint64_t default_ns, uint64_t *ns, struct parse_err *err)
{
	const struct expr_rules rules = {
		.unit = time_unit,
		.known = TIME_UNITS,
		.most = TIME_MOST,
		.quantity = true,
		.plain = (long double)default_ns,
	};
	struct expr_result result;
	int rc = evaluate(text, &rules, "a time such as 10s or 1h30m", &result, err);

	if (!rc && result.value > (long double)UNITS_TIME_MAX_NS)
		rc = fail_whole(text, err, "is too large: " TIME_MOST " is the most");
	return rc ? rc : to_u64(text, &result, ns, err);
}

int units_dirs(struct span text, const char *seps, struct span dirs[SPAN_DIRS],
	       struct parse_err *err)
{
	static const struct span none = { NULL, 0 };
	struct span rest = text, item, got[SPAN_DIRS];
	bool any = false;
	size_t n = 0;

	while (span_next(&rest, seps, &item)) {
		if (n == SPAN_DIRS)
			return parse_fail(err, (size_t)(item.at - text.at),
					  "a fourth value: there are read, write and trim");
		any = any || item.len;
		got[n++] = item.len ? item : none;
	}
	if (!any)
		return parse_fail(err, 0, "the value is missing");
	for (; n < SPAN_DIRS; n++)
		got[n] = got[n - 1];
	memcpy(dirs, got, sizeof(got));
	return 0;
}

int units_range(struct span text, struct span *low, struct span *high, struct parse_err *err)
{
	struct span rest = text, item[3];
	int n = 0;

	while (n < 3 && span_next(&rest, "-:", &item[n]))
		n++;
	if (n > 2)
		return parse_fail(err, (size_t)(item[2].at - text.at),
				  "a third value: a range has a low and a high end");
	for (int i = 0; i < n; i++)
		if (!item[i].len)
			return parse_fail(err, (size_t)(item[i].at - text.at),
					  n == 1 ? "the value is missing" :
					  i ? "the high end of the range is missing" :
					      "the low end of the range is missing");
	fl_assert(n);
	*low = item[0];
	*high = item[n - 1];
	return n - 1;
}
