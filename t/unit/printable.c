/* SPDX-License-Identifier: MIT */
/* What of other people's text may reach a terminal, and what becomes of the rest. */
#include "lib/printable.h"
#include "t/test.h"

static const char *fixed(const char *text)
{
	static char copy[128];
	struct strbuf sb = STRBUF_INIT;

	snprintf(copy, sizeof(copy), "%s", text);
	printable_fix(copy, strlen(copy));
	printable_add(&sb, text, strlen(text));
	T_STR(strbuf_str(&sb), copy);
	T_EQ(strlen(copy), strlen(text));
	strbuf_free(&sb);
	return copy;
}

TEST(text_stays)
{
	T_STR(fixed(""), "");
	T_STR(fixed("a b~!"), "a b~!");
	T_STR(fixed("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
	      "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
	T_STR(fixed("\xc2\xa0\xef\xbf\xbf\xf4\x8f\xbf\xbf"),
	      "\xc2\xa0\xef\xbf\xbf\xf4\x8f\xbf\xbf");
}

TEST(what_steers_a_terminal_does_not)
{
	T_STR(fixed("\033[31m\a\b\t\n\r\x7f"), "?[31m??????");
	T_STR(fixed("\xc2\x9b" "31m\xc2\x80"), "??31m??");
	T_STR(fixed("a\xe2\x80\xae" "b\xe2\x81\xa6\xe2\x80\xa8"), "a???b??????");
}

TEST(what_is_no_utf8)
{
	T_STR(fixed("\xff\x80x\xc3"), "??x?");
	T_STR(fixed("\xc3x\xe2\x82x\xf0\x9f\x98"), "?x??x???");
	T_STR(fixed("\xc0\xaf\xe0\x80\xaf\xf0\x80\x80\xaf"), "?????????");
	T_STR(fixed("\xed\xa0\x80\xf4\x90\x80\x80\xf8"), "????????");
}

TEST(put_says_the_same_and_escapes)
{
	static const char text[] = "a\"b\\\033\xc3\xa4\xff";
	char *said = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&said, &bytes);

	T_TRUE(out);
	printable_put(text, strlen(text), "", out);
	fputc('|', out);
	printable_put(text, strlen(text), "\"\\", out);
	T_EQ(fclose(out), 0);
	T_STR(said, "a\"b\\?\xc3\xa4?|a\\\"b\\\\?\xc3\xa4?");
	free(said);
}

TEST(no_byte_beyond_the_end_is_looked_at)
{
	char *one = malloc(1);

	*one = '\xe2';
	T_EQ(printable_length(one, 1), 0);
	free(one);
}
