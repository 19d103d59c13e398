/* SPDX-License-Identifier: MIT */
/* What a complaint looks like, wherever its place is, and that nothing is said twice. */
#include "core/diag.h"
#include "t/said.h"
#include "t/test.h"

TEST(a_file_is_shown_with_a_caret)
{
	struct diag *d = diag_new(false);
	const struct origin at = { "a.fio", 3, 4, "\tbs=4kx" };

	diag_error(d, &at, "bs=%s: no such unit", "4kx");
	T_EQ(diag_errors(d), 1);
	T_STR(said_by(d), "a.fio:3:4: error: bs=4kx: no such unit\n    \tbs=4kx\n    \t  ^\n");
	T_STR(said_by(d), "");
	diag_free(d);
}

TEST(the_command_line_shows_its_argument_once)
{
	struct diag *d = diag_new(false);
	const struct origin at = { NULL, 2, 0, "--bs=4kx" };

	diag_error(d, &at, "bs=4kx: no such unit");
	diag_error(d, &at, "something else");
	T_STR(said_by(d), "command line: --bs=4kx: error: no such unit\n"
			  "command line: --bs=4kx: error: something else\n");
	diag_free(d);
}

TEST(places_may_be_unknown)
{
	struct diag *d = diag_new(false);
	const struct origin file_only = { "a.fio", 0, 0, NULL }, no_col = { "a.fio", 2, 0, "x=1" };

	diag_error(d, NULL, "one");
	diag_error(d, &file_only, "two");
	diag_error(d, &no_col, "three");
	T_STR(said_by(d), "error: one\na.fio: error: two\na.fio:2: error: three\n    x=1\n");
	diag_free(d);
}

TEST(the_same_is_said_once)
{
	struct diag *d = diag_new(false);
	const struct origin at = { "a.fio", 3, 4, "bs=4kx" };

	for (int i = 0; i < 3; i++) {
		diag_error(d, &at, "bad");
		diag_note(d, &at, "odd");
	}
	T_EQ(diag_errors(d), 1);
	T_EQ(diag_notes(d), 1);
	T_STR(diag_note_text(d, 0), "a.fio:3: odd");
	diag_free(d);
}

TEST(notes_can_be_fatal)
{
	struct diag *d = diag_new(false);

	diag_note(d, NULL, "odd");
	T_EQ(diag_errors(d), 0);
	T_STR(said_by(d), "");
	diag_warnings_fatal(d);
	T_EQ(diag_errors(d), 1);
	T_TRUE(strstr(said_by(d), "odd") != NULL);
	diag_free(d);
}

TEST(long_and_dirty_lines_fit_a_terminal)
{
	struct diag *d = diag_new(false);
	char line[1001];
	const struct origin at = { "a.fio", 1, 501, line };
	const char *text;

	memset(line, 'x', 1000);
	line[1000] = '\0';
	line[499] = '\033';
	diag_error(d, &at, "bad");
	text = said_by(d);
	T_TRUE(strlen(text) < 300);
	T_TRUE(!strchr(text, '\033'));
	T_TRUE(strstr(text, "x?x") != NULL);
	/* The caret is below the byte at column 501, behind the '?'. */
	T_EQ(strchr(text, '^') - strstr(text, "\n       "), strstr(text, "x?x") + 2 -
	     strchr(text, '\n'));
	diag_free(d);
}

TEST(the_caret_counts_characters_not_bytes)
{
	struct diag *d = diag_new(false);
	const struct origin at = { "a.fio", 1, 4, "\xc3\xa4=1" };

	diag_error(d, &at, "bad");
	T_TRUE(strstr(said_by(d), "\n      ^\n") != NULL);
	diag_free(d);
}

TEST(bytes_that_are_no_text_are_shown_as_such)
{
	struct diag *d = diag_new(false);
	const struct origin at = { "a\033.fio", 1, 8, "\xff=\xc2\x9b\xc3\xa4\t3" };

	diag_error(d, &at, "bad \x80%s", "\a");
	/* Two bytes of a control character are two marks, two of a letter are one column. */
	T_STR(said_by(d), "a?.fio:1:8: error: bad ??\n    ?=??\xc3\xa4\t3\n         \t^\n");
	diag_note(d, NULL, "a\nb");
	T_STR(diag_note_text(d, 0), "a?b");
	diag_free(d);
}

TEST(a_thousand_complaints)
{
	struct diag *d = diag_new(false);

	for (int i = 0; i < 2000; i++)
		diag_error(d, NULL, "bad %d", i % 1000);
	T_EQ(diag_errors(d), 1000);
	T_TRUE(diag_full(d));
	T_TRUE(strstr(said_by(d), "error: bad 49\nand 950 more\n") != NULL);
	for (int i = 0; i < 2000; i++)
		diag_note(d, NULL, "odd %d", i % 1000);
	T_EQ(diag_notes(d), 1000);
	diag_free(d);
}
