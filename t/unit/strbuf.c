/* SPDX-License-Identifier: MIT */
/* Strings that grow, strings with one lifetime, and strings cut into pieces. */
#include "t/test.h"

#include "lib/arena.h"
#include "lib/parse_err.h"
#include "lib/span.h"
#include "lib/strbuf.h"

TEST(empty_is_a_string)
{
	struct strbuf sb = STRBUF_INIT;
	char *text;

	T_STR(strbuf_str(&sb), "");
	text = strbuf_steal(&sb);
	T_STR(text, "");
	free(text);
	strbuf_clear(&sb);
	strbuf_free(&sb);
}

TEST(append_puts_putc)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_append(&sb, "abcdef", 3);
	strbuf_puts(&sb, "-x");
	strbuf_putc(&sb, '!');
	strbuf_append(&sb, NULL, 0);
	T_STR(strbuf_str(&sb), "abc-x!");
	T_EQ(sb.len, 6);
	strbuf_clear(&sb);
	T_STR(strbuf_str(&sb), "");
	strbuf_free(&sb);
	T_TRUE(!sb.text && !sb.len && !sb.room);
}

TEST(printf_of_any_length)
{
	struct strbuf sb = STRBUF_INIT;

	for (int width = 0; width < 300; width++) {
		strbuf_clear(&sb);
		strbuf_printf(&sb, "%*d|", width, 7);
		T_EQ(sb.len, strlen(sb.text));
		T_EQ(sb.len, (width > 1 ? width : 1) + 1);
	}
	strbuf_printf(&sb, "%s", "");
	T_EQ(sb.len, 300);
	strbuf_free(&sb);
}

TEST(grows_to_a_megabyte)
{
	struct strbuf sb = STRBUF_INIT;
	char *text;

	for (int i = 0; i < 1 << 20; i++)
		strbuf_putc(&sb, (char)('a' + i % 26));
	text = strbuf_steal(&sb);
	T_EQ(strlen(text), 1 << 20);
	T_EQ(text[27], 'b');
	T_TRUE(!sb.text);
	free(text);
}

TEST(arena_keeps_all)
{
	struct arena a = { NULL };
	char *small[1000], *large;

	for (int i = 0; i < 1000; i++) {
		char text[16];

		snprintf(text, sizeof(text), "n%d", i);
		small[i] = arena_strdup(&a, text);
		T_EQ((uintptr_t)small[i] % _Alignof(max_align_t), 0);
	}
	large = arena_alloc(&a, 100000);
	T_EQ(large[0] | large[99999], 0);
	memset(large, 1, 100000);
	T_STR(small[0], "n0");
	T_STR(small[999], "n999");
	T_STR(arena_strndup(&a, "abc", 2), "ab");
	T_STR(arena_strndup(&a, NULL, 0), "");
	arena_free(&a);
	T_TRUE(!a.head);
}

TEST(shown_text_is_clean_and_short)
{
	struct span odd = { "a\x01\n\x7f\0z", 6 };
	char longer[100];

	T_STR(parse_show(odd).text, "a????z");
	T_STR(parse_show(span_of("a\xff\xc2\x9b\xc3\xa4")).text, "a???\xc3\xa4");
	T_STR(parse_show(span_of("")).text, "");
	memset(longer, 'y', sizeof(longer));
	T_EQ(strlen(parse_show((struct span){ longer, 47 }).text), 47);
	T_EQ(strlen(parse_show((struct span){ longer, 48 }).text), 47);
	T_STR(parse_show((struct span){ longer, 100 }).text + 41, "yyy...");
	/* The cut falls inside of an e with an accent, which goes as a whole. */
	memcpy(longer + 43, "\xc3\xa9", 2);
	T_STR(parse_show((struct span){ longer, 100 }).text + 41, "yy...");
}

TEST(error_has_text_and_place)
{
	struct parse_err err;

	T_EQ(parse_fail(&err, 3, "%s is bad", "this"), -EINVAL);
	T_STR(err.text, "this is bad");
	T_EQ(err.col, 3);
	parse_fail_shift(&err, 4);
	T_EQ(err.col, 7);
	parse_fail_prefix(&err, span_of("all"));
	T_STR(err.text, "'all': this is bad");
	T_EQ(err.col, 7);
	T_EQ(parse_fail(NULL, 0, "x"), -EINVAL);
	parse_fail_shift(NULL, 1);
	parse_fail_prefix(NULL, span_of("x"));
}

TEST(trim_and_compare)
{
	T_TRUE(span_is(span_trim(span_of(" \t a b\r ")), "a b"));
	T_EQ(span_trim(span_of("  ")).len, 0);
	T_TRUE(span_is(span_of(""), ""));
	T_TRUE(!span_is(span_of("ab"), "abc"));
	T_TRUE(span_is_nocase(span_of("KiB"), "kib"));
	T_TRUE(!span_is_nocase(span_of("Ki"), "kib"));
}

/* The items of a list, joined by '|'. */
static const char *items(const char *text, const char *seps)
{
	static struct strbuf out;
	struct span rest = span_of(text), item;

	strbuf_clear(&out);
	while (span_next(&rest, seps, &item)) {
		strbuf_append(&out, item.at, item.len);
		strbuf_putc(&out, '|');
	}
	return strbuf_str(&out);
}

TEST(lists_of_values)
{
	T_STR(items("4k,8k", ","), "4k|8k|");
	T_STR(items("", ","), "|");
	T_STR(items(",", ","), "||");
	T_STR(items("a,, b ", ","), "a||b|");
	T_STR(items("(1,2),3", ","), "(1,2)|3|");
	T_STR(items("(4k-1)-(8k-2)", "-:"), "(4k-1)|(8k-2)|");
	T_STR(items("4k-8k:16k,1", ",-:"), "4k|8k|16k|1|");
	T_STR(items("-5--3", "-"), "-5|-3|");
	T_STR(items("-5:-3", "-:"), "-5|-3|");
	T_STR(items("2*-3-4", "-"), "2*-3|4|");
	T_STR(items("a)b,c", ","), "a)b|c|");
	T_STR(items("(a,b", ","), "(a,b|");
}

static const char *names(const char *text)
{
	static struct strbuf out;
	struct strbuf name = STRBUF_INIT;
	struct span rest = span_of(text);

	strbuf_clear(&out);
	while (span_next_name(&rest, &name))
		strbuf_printf(&out, "%s|", strbuf_str(&name));
	strbuf_free(&name);
	return strbuf_str(&out);
}

TEST(lists_of_names)
{
	T_STR(names("/dev/sda:/dev/sdb"), "/dev/sda|/dev/sdb|");
	T_STR(names("a::b:"), "a|b|");
	T_STR(names(" a b : c "), "a b|c|");
	T_STR(names("a\\:b:c\\d"), "a:b|c\\d|");
	T_STR(names("f(1:2)"), "f(1|2)|");
	T_STR(names("a\\"), "a\\|");
	T_STR(names(""), "");
	T_STR(names(":: :"), "");
}
