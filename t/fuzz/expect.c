/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as expectations. What is accepted is whole and measures something of a result; what is
 * refused has a sentence and a place in the text.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/expect_measure.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct expectation *e, struct span text)
{
	size_t members[1] = { 0 };
	struct result_job job = { .jobs = 1, .members = members, .start_wall_ms = 1 };
	const struct result_job *jobs[] = { &job };
	struct result_group group = { 0 };
	const struct trust trust = { 0 };
	struct expect_scope s = { jobs, 1, e->group ? &group : NULL, &trust };
	struct expect_value v = expect_measure(e, &s);
	char shown[64];

	fl_assert(e->text.len && e->text.at >= text.at &&
		  e->text.at + e->text.len <= text.at + text.len);
	fl_assert(e->what != EXPECT_NOTHING && e->place <= EXPECT_JOB && e->limit >= 0);
	fl_assert(isfinite(e->limit) && e->percent >= 0 && e->percent <= 100);
	fl_assert(expect_holds(e, e->limit) == (e->op == EXPECT_LESS_EQUAL ||
						e->op == EXPECT_MORE_EQUAL ||
						e->op == EXPECT_EQUAL));
	if (v.known)
		fl_assert(*expect_show(e, v.value, (struct num_style){ 0 }, shown, sizeof(shown)));
	fl_assert(*expect_unit_name(e->unit));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Of just this length, so that a read beyond it is seen. */
	char *copy = memcpy(malloc(size ? size : 1), data, size);
	struct expectation list[EXPECT_MAX];
	struct span text = { copy, size };
	struct parse_err err = { "", -1 };
	size_t count = 0;

	for (int base = 1000; base <= 1024; base += 24) {
		if (expect_parse(text, base, list, &count, &err)) {
			fl_assert(err.text[0] && memchr(err.text, '\0', sizeof(err.text)));
			fl_assert(err.col >= 0 && (size_t)err.col <= size);
			continue;
		}
		fl_assert(count && count <= EXPECT_MAX);
		for (size_t i = 0; i < count; i++)
			use(&list[i], text);
	}
	free(copy);
	return 0;
}
