/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a calculation, with units and without. What is refused has a sentence and a place in
 * the text; what comes out is a number, and the same number once more in parentheses.
 */
#include "lib/expr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* k is 1000, and s and m are of the kind that is marked. */
static long double unit(const struct expr_rules *rules, struct span word, unsigned int *marks)
{
	(void)rules;
	fl_assert(word.len);
	if (span_is_nocase(word, "k"))
		return 1000;
	if (!span_is_nocase(word, "s") && !span_is_nocase(word, "m"))
		return 0;
	*marks |= 2;
	return span_is_nocase(word, "s") ? 1 : 60;
}

/* In parentheses it lies one deeper, so that what is at the limit is one too many there. */
static bool is_deep(struct span text)
{
	size_t deep = 0;

	for (size_t i = 0; i < text.len; i++)
		deep += text.at[i] == '(' || text.at[i] == '^';
	return deep >= EXPR_DEPTH_MAX;
}

static void check(struct span text, const struct expr_rules *rules)
{
	struct expr_result result = { 0 }, again = { 0 };
	struct parse_err err = { "", -1 };
	char *copy;

	if (expr_eval(text, rules, &result, &err)) {
		fl_assert(err.text[0] && memchr(err.text, '\0', sizeof(err.text)));
		fl_assert(err.col >= 0 && (size_t)err.col <= text.len);
		return;
	}
	fl_assert(isfinite(result.value));
	if (is_deep(text))
		return;
	copy = malloc(text.len + 2);
	fl_assert(copy);
	copy[0] = '(';
	memcpy(copy + 1, text.at, text.len);
	copy[text.len + 1] = ')';
	fl_assert(!expr_eval((struct span){ copy, text.len + 2 }, rules, &again, NULL));
	fl_assert(again.value == result.value && again.marks == result.marks);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct expr_rules plain = { .unit = NULL };
	const struct expr_rules sizes = { .unit = unit, .known = "k, s, m", .most = "a lot" };
	const struct expr_rules times = { .unit = unit, .quantity = true, .plain = 1 };
	/* Of just this length, so that a read beyond it is seen. */
	char *copy = memcpy(malloc(size ? size : 1), data, size);
	struct span text = { copy, size };

	check(text, &plain);
	check(text, &sizes);
	check(text, &times);
	free(copy);
	return 0;
}
