/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as an option value, given to every parser of numbers. What is accepted must lie in the
 * range that was asked for; what is refused must come with a sentence and a place in the text, and
 * must leave the outputs alone.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/nearest.h"
#include "lib/strbuf.h"
#include "lib/units.h"

#define UNTOUCHED	UINT64_C(0x123456789abcdef)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct parse_err err;

/* Passes rc through, after looking at what came with it. */
static int checked(int rc, struct span text)
{
	if (rc < 0) {
		fl_assert(err.text[0] && memchr(err.text, '\0', sizeof(err.text)));
		fl_assert(err.col >= 0 && (size_t)err.col <= text.len);
	}
	err = (struct parse_err){ "", -1 };
	return rc;
}

static void fuzz_sizes(struct span text)
{
	const unsigned int any = UNITS_ALLOW_PERCENT | UNITS_ALLOW_ZONES | UNITS_ALLOW_MEMORY;
	uint64_t a = UNTOUCHED, b = UNTOUCHED;
	struct units_amount amount;
	bool kib;
	int rc;

	rc = checked(units_size(text, 1024, &a, &kib, &err), text);
	fl_assert(!rc || a == UNTOUCHED);
	fl_assert(checked(units_size(text, 1000, &b, NULL, &err), text) == 0 || b == UNTOUCHED);
	if (!checked(units_amount(text, 1024, any, &amount, &err), text))
		fl_assert((amount.kind != UNITS_PERCENT && amount.kind != UNITS_MEMORY) ||
			  amount.percent >= 0);
	if (!rc) {
		fl_assert(amount.kind == UNITS_BYTES && amount.count == a && amount.kib == kib);
		fl_assert(!units_amount(text, 1024, 0, &amount, NULL));
	}
}

static void fuzz_numbers(struct span text)
{
	uint64_t u = UNTOUCHED;
	int64_t i = -1;
	double d = 0;
	bool b;

	if (!checked(units_uint(text, 1024, 3, 70000, &u, NULL, &err), text))
		fl_assert(u >= 3 && u <= 70000);
	else
		fl_assert(u == UNTOUCHED);
	if (!checked(units_int(text, 1024, -300, 300, &i, NULL, &err), text))
		fl_assert(i >= -300 && i <= 300);
	checked(units_int(text, 1024, INT64_MIN, INT64_MAX, &i, NULL, &err), text);
	if (!checked(units_double(text, -1.5, 1e9, &d, &err), text))
		fl_assert(d >= -1.5 && d <= 1e9);
	if (!checked(units_percent(text, 100, &d, &err), text))
		fl_assert(d >= 0 && d <= 100);
	checked(units_bool(text, &b, &err), text);
	checked(units_time(text, UNITS_S, &u, &err), text);
	checked(units_time(text, UNITS_US, &u, &err), text);
}

static void fuzz_lists(struct span text)
{
	struct span dirs[SPAN_DIRS], low, high, rest = text, item;
	struct strbuf name = STRBUF_INIT;

	if (!checked(units_dirs(text, ",-:", dirs, &err), text))
		for (int i = 0; i < SPAN_DIRS; i++)
			fl_assert(!dirs[i].at || dirs[i].len);
	checked(units_dirs(text, ",", dirs, &err), text);
	if (checked(units_range(text, &low, &high, &err), text) >= 0)
		fl_assert(low.len && high.len && low.at <= high.at);
	while (span_next(&rest, ",:", &item))
		fl_assert(item.at >= text.at && item.at + item.len <= text.at + text.len);
	rest = text;
	while (span_next_name(&rest, &name))
		fl_assert(name.len && name.len <= text.len);
	strbuf_free(&name);
}

static const char *one_name(void *ctx, size_t i)
{
	(void)i;
	return ctx;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Of just this length, so that a read beyond it is seen; the NUL is for nearest_name(). */
	char *copy = memcpy(malloc(size + 1), data, size);
	struct span text = { copy, size };

	copy[size] = '\0';
	fuzz_sizes(text);
	fuzz_numbers(text);
	fuzz_lists(text);
	nearest_name(copy, one_name, 1, (void *)"write_bw_log");
	free(copy);
	return 0;
}
