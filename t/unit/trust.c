/* SPDX-License-Identifier: MIT */
/* The list of findings and the grade that follows from it. */
#include "core/trust.h"
#include "t/test.h"

TEST(no_findings_are_ok)
{
	struct trust t = { 0 };
	size_t job = 3;

	T_EQ(trust_grade_of(&t, NULL, 0), TRUST_OK);
	T_EQ(trust_grade_of(&t, &job, 1), TRUST_OK);
	trust_done(&t);
}

TEST(the_worst_severity_is_the_grade)
{
	struct trust t = { 0 };
	size_t zero = 0, one = 1, two = 2, both[] = { 1, 2 };
	struct trust_finding *f;

	trust_add(&t, "a", TRUST_OK, 0, "a note");
	T_EQ(trust_grade_of(&t, NULL, 0), TRUST_OK);
	f = trust_add(&t, "b", TRUST_DOUBTFUL, 1, "%d%% of it", 7);
	trust_number(trust_number(trust_fix(f, "x=%d", 1), "y_percent", 7), "z_bytes", 4096);
	T_STR(f->text, "7% of it");
	T_STR(f->fix, "x=1");
	T_EQ(f->nr_numbers, 2);
	T_STR(f->numbers[1].name, "z_bytes");
	trust_add(&t, "c", TRUST_INVALID, 2, "bad");
	T_EQ(trust_grade_of(&t, NULL, 0), TRUST_INVALID);
	T_EQ(trust_grade_of(&t, &zero, 1), TRUST_OK);
	T_EQ(trust_grade_of(&t, &one, 1), TRUST_DOUBTFUL);
	T_EQ(trust_grade_of(&t, &two, 1), TRUST_INVALID);
	T_EQ(trust_grade_of(&t, both, 2), TRUST_INVALID);
	T_EQ(t.count, 3);
	T_STR(t.list[0].id, "a");
	trust_done(&t);
	T_EQ(t.count, 0);
}

TEST(a_finding_of_the_run_is_one_of_every_job)
{
	struct trust t = { 0 };
	size_t job = 5;

	trust_add(&t, "a", TRUST_DOUBTFUL, TRUST_RUN, "steal");
	T_EQ(trust_grade_of(&t, &job, 1), TRUST_DOUBTFUL);
	trust_done(&t);
}

TEST(what_has_no_place_counts_for_the_grade)
{
	struct trust t = { 0 };
	size_t job = 0, other = 1, beyond = 9;

	for (size_t i = 0; i < TRUST_FINDINGS_MAX; i++)
		trust_add(&t, "a", TRUST_OK, 1, "%zu", i);
	T_EQ(t.dropped, 0);
	trust_fix(trust_add(&t, "b", TRUST_INVALID, 0, "beyond"), "none");
	T_EQ(t.count, TRUST_FINDINGS_MAX);
	T_EQ(t.dropped, 1);
	T_EQ(trust_grade_of(&t, &job, 1), TRUST_INVALID);
	T_EQ(trust_grade_of(&t, &other, 1), TRUST_OK);
	T_EQ(trust_grade_of(&t, &beyond, 1), TRUST_OK);
	T_STR(t.list[TRUST_FINDINGS_MAX - 1].text, "1023");
	trust_done(&t);
}

TEST(long_texts_are_cut_off)
{
	struct trust t = { 0 };
	char text[1000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	T_EQ(strlen(trust_add(&t, "a", TRUST_OK, 0, "%s", text)->text), TRUST_TEXT_BYTES - 1);
	trust_done(&t);
}
