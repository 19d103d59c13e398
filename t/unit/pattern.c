/* SPDX-License-Identifier: MIT */
/* Patterns: what each spelling means (the bytes are those that fio writes), filling, comparing. */
#include "t/test.h"

#include "lib/pattern.h"

#define LEN_MAX	20000

static struct arena arena;
static struct parse_err err;
static struct pattern p;

/* 'f' holds FILE, 'g' a, 'big' as many bytes as may be read, 'empty' none. */
static int load(void *ctx, const char *path, size_t max, char **bytes, size_t *len)
{
	const char *text = !strcmp(path, "f") ? "FILE" : !strcmp(path, "g") ? "a" : "";

	T_TRUE(ctx == &arena && max > 0);
	if (!strcmp(path, "nope"))
		return -ENOENT;
	*len = !strcmp(path, "big") ? max : strlen(text);
	*bytes = calloc(1, *len + 1);
	T_TRUE(*bytes != NULL);
	memcpy(*bytes, text, strlen(text));
	return 0;
}

static int parse(const char *text)
{
	const struct pattern_files files = { load, &arena };

	err = (struct parse_err){ "", -1 };
	return pattern_parse(span_of(text), &files, &arena, &p, &err);
}

/* The text means these bytes, written in hex. */
static void means(const char *text, const char *hex)
{
	char got[256] = "";

	if (parse(text))
		T_FAIL("%s: %s at %d", text, err.text, err.col);
	T_TRUE(p.len < sizeof(got) / 2);
	for (size_t i = 0; i < p.len; i++)
		snprintf(got + 2 * i, 3, "%02x", p.bytes[i]);
	if (strcmp(got, hex))
		T_FAIL("%s is %s instead of %s", text, got, hex);
}

static void refused(const char *text, int col, const char *words)
{
	p.len = 77;
	T_EQ(parse(text), -EINVAL);
	if (!strstr(err.text, words) || err.col != col)
		T_FAIL("%s: '%s' at %d instead of '%s' at %d", text, err.text, err.col, words, col);
	T_EQ(p.len, 77);
}

TEST(hex)
{
	means("0xdeadbeef", "deadbeef");
	means("0XDEADBEEF", "deadbeef");
	means("0xabc", "0abc");
	means("0x1", "01");
	means("0x0", "00");
	means("0x0012", "0012");
	means("0x123456789abcdef0123", "0123456789abcdef0123");
	means("0x120x34", "1234");
	means("0x1200x34", "012034");
	means("0x12-5", "12fbffffff");
	refused("0x", 2, "hex digits");
	refused("0xg", 2, "hex digits");
	refused("0x0x12", 2, "hex digits");
	refused("0x12g", 4, "'g' is no part");
	refused("0x-12", 2, "hex digits");
}

TEST(decimal)
{
	means("305419896", "78563412");
	means("0", "00");
	means("12", "0c");
	means("010", "0a");
	means("255", "ff");
	means("256", "0001");
	means("65536", "000001");
	means("+5", "05");
	means("-0", "00000000");
	means("-1", "ffffffff");
	means("-12", "f4ffffff");
	means("-129", "7fffffff");
	means("-2147483648", "00000080");
	means("2147483647", "ffffff7f");
	means("4294967295", "ffffffff");
	means("10x12", "0112");
	means("-00x12", "0000000012");
	means("12-13", "0cf3ffffff");
	means("12 13", "0c0d");
	refused("4294967296", 0, "32 bits");
	refused("1-2147483649", 1, "32 bits");
	refused("99999999999999999999999999", 0, "32 bits");
	refused("-", 1, "follow the sign");
	refused("--1", 1, "follow the sign");
	refused("-0x12", 1, "follow the sign");
	refused("12k", 2, "'k' is no part");
	refused("1.5", 1, "'.5' is no part");
}

TEST(strings_and_files)
{
	means("\"ab\"", "6162");
	means("\"ab\"0x12", "616212");
	means("\"a\\n%o'\"", "615c6e256f27");
	means("\"a b\"", "612062");
	means("'f'", "46494c45");
	means("'f'\"z\"'g'", "46494c457a61");
	means("'f''g'", "46494c4561");
	means("\"abcd\"-120xdeadface", "61626364f4ffffffdeadface");
	refused("\"\"", 0, "empty string");
	refused("0x12\"ab", 4, "no partner");
	refused("12'f", 2, "no partner");
	refused("''", 0, "empty file name");
	refused("1'nope'", 1, "cannot read 'nope': No such file");
	refused("'empty'", 0, "is empty");
	refused("\"a\\\"b\"", 4, "'b\"' is no part");
}

TEST(offsets)
{
	means("%o", "0000000000000000");
	T_EQ(p.offsets, 1);
	T_TRUE(pattern_moves(&p));
	means("\"x\"%o\"y\"%o", "78" "0000000000000000" "79" "0000000000000000");
	T_EQ(p.offsets, 2);
	T_EQ(p.offsets_at[0], 1);
	T_EQ(p.offsets_at[1], 10);
	means("\"%o\"", "256f");
	T_TRUE(!pattern_moves(&p));
	refused("%x", 0, "only %o");
	refused("1%", 1, "only %o");
	refused("%O", 0, "only %o");
}

TEST(refused_texts)
{
	refused("", 0, "empty pattern");
	refused(" \t", 0, "empty pattern");
	refused("abc", 0, "'abc' is no part");
	refused("12,13", 2, "',13' is no part");
	T_EQ(pattern_parse(span_of("x"), NULL, &arena, &p, NULL), -EINVAL);
}

TEST(limit)
{
	T_EQ(parse("'big'"), 0);
	T_EQ(p.len, PATTERN_BYTES_MAX);
	refused("'big'0x12", 5, "at most 16777216 bytes");
	refused("'big''f'", 5, "at most 16777216 bytes");
	refused("'big'%o", 5, "at most 16777216 bytes");
	T_EQ(parse("\"ab\"'big'"), 0);
	T_EQ(p.len, PATTERN_BYTES_MAX);
	T_EQ(p.bytes[0], 'a');
}

TEST(fio_example)
{
	static const unsigned char want[28] = "abcd\xf4\xff\xff\xff\xde\xad\xfa\xce""FILE"
		"\x00\x01\x00\x00\x00\x00\x00\x00""abcd";
	unsigned char buf[sizeof(want)];

	T_EQ(parse("\"abcd\"-120xdeadface'f'%o"), 0);
	pattern_fill(&p, buf, sizeof(buf), 256);
	T_MEM(buf, want, sizeof(want));
}

static const char *const texts[] = {
	"0x5a", "\"abc\"", "%o", "\"x\"%o%o", "%o\"abcdefg\"", "0x0123456789abcdef01",
	"'f'12'f'%o-1",
};
static const size_t lengths[] = {
	0, 1, 2, 7, 8, 9, 20, 511, 512, 513, 4096, 4099, 16384, 16391, LEN_MAX,
};

TEST(fill_is_right_in_each_byte)
{
	const uint64_t offset = 0x0123456789abcdef;
	static unsigned char buf[LEN_MAX + 1];

	for (size_t t = 0; t < ARRAY_SIZE(texts); t++) {
		T_EQ(parse(texts[t]), 0);
		for (size_t l = 0; l < ARRAY_SIZE(lengths); l++) {
			size_t len = lengths[l];

			memset(buf, 0xee, sizeof(buf));
			pattern_fill(&p, buf, len, offset);
			for (size_t i = 0; i < len; i++)
				T_EQ(buf[i], pattern_byte(&p, i, offset));
			T_EQ(buf[len], 0xee);
			T_EQ(pattern_check(&p, buf, len, offset), len);
		}
	}
}

TEST(check_finds_the_first_difference)
{
	static unsigned char buf[LEN_MAX];

	for (size_t t = 0; t < ARRAY_SIZE(texts); t++) {
		T_EQ(parse(texts[t]), 0);
		pattern_fill(&p, buf, LEN_MAX, 4096);
		for (size_t at = 0; at < LEN_MAX; at += at < 40 ? 1 : 487) {
			buf[at] ^= 0x10;
			buf[LEN_MAX - 1] ^= at < LEN_MAX - 1 ? 1 : 0;
			T_EQ(pattern_check(&p, buf, LEN_MAX, 4096), at);
			T_EQ(pattern_check(&p, buf, at, 4096), at);
			buf[at] ^= 0x10;
			buf[LEN_MAX - 1] ^= at < LEN_MAX - 1 ? 1 : 0;
		}
	}
	T_EQ(parse("\"x\"%o"), 0);
	pattern_fill(&p, buf, LEN_MAX, 4096);
	T_EQ(pattern_check(&p, buf, LEN_MAX, 8192), 2);
}
