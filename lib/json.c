/* SPDX-License-Identifier: MIT */
/* Writing JSON as it comes: the only memory is which brackets are open, and a buffer. */
#include "lib/json.h"

#include <math.h>
#include <string.h>

/*
 * utf8_length - bytes of the well-formed UTF-8 sequence at s, or 0 when there is none.
 *
 * After the table of well-formed byte sequences in the Unicode standard (3.9, D92): the second byte
 * carries the limits that keep out overlong forms, surrogates and values above U+10FFFF.
 */
static unsigned utf8_length(const unsigned char *s)
{
	unsigned char low = 0x80, high = 0xbf;
	unsigned length;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f;
	if (s[1] < low || s[1] > high)
		return 0;
	for (unsigned i = 2; i < length; i++)
		if (s[i] < 0x80 || s[i] > 0xbf)
			return 0;
	return length;
}

static void flush(struct json *j)
{
	fwrite(j->buffer, 1, j->used, j->out);
	j->used = 0;
}

static void put(struct json *j, const char *text, size_t n)
{
	if (n > sizeof(j->buffer) - j->used)
		flush(j);
	if (n > sizeof(j->buffer)) {
		fwrite(text, 1, n, j->out);
		return;
	}
	memcpy(j->buffer + j->used, text, n);
	j->used += n;
}

static void put_char(struct json *j, char c)
{
	if (j->used == sizeof(j->buffer))
		flush(j);
	j->buffer[j->used++] = c;
}

static void put_number(struct json *j, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + value % 10);
	while (value /= 10);
	put(j, digits + at, sizeof(digits) - at);
}

static void put_escaped(struct json *j, unsigned char c)
{
	static const char letters[] = "btnvfr";		/* of the codes 8 to 13 */
	char text[8];
	int n;

	if (c == '"' || c == '\\')
		n = snprintf(text, sizeof(text), "\\%c", c);
	else if (c >= 8 && c <= 13 && c != 11)		/* 11, \v, is no escape of JSON */
		n = snprintf(text, sizeof(text), "\\%c", letters[c - 8]);
	else
		n = snprintf(text, sizeof(text), "\\u%04x", c);
	put(j, text, (size_t)n);
}

static void put_string(struct json *j, const char *text)
{
	const unsigned char *s = (const unsigned char *)(text ? text : "");

	put_char(j, '"');
	while (*s) {
		unsigned length = utf8_length(s);

		if (!length)
			put(j, "\xef\xbf\xbd", 3);
		else if (*s < 0x20 || *s == 0x7f || *s == '"' || *s == '\\')
			put_escaped(j, *s);
		else
			put(j, (const char *)s, length);
		s += fl_max(length, 1u);
	}
	put_char(j, '"');
}

static void put_line_start(struct json *j)
{
	static const char blanks[2 * JSON_DEPTH_MAX + 1] = "\n"
		"                                                                ";

	if (!j->line)
		put(j, blanks, 1 + 2 * (size_t)j->depth);
}

static void put_colon(struct json *j)
{
	if (j->line)
		put_char(j, ':');
	else
		put(j, " : ", 3);
}

/* member_start - comma and indent, before the key. */
static void member_start(struct json *j, bool has_key)
{
	fl_assert(j->depth > 0);
	fl_assert(j->open[j->depth - 1].is_array == !has_key);
	if (j->open[j->depth - 1].has_members)
		put_char(j, ',');
	j->open[j->depth - 1].has_members = true;
	put_line_start(j);
}

/* member_begin - everything before the value: comma, indent, key. */
static void member_begin(struct json *j, const char *key)
{
	member_start(j, key);
	if (key) {
		put_string(j, key);
		put_colon(j);
	}
}

static void nested_begin(struct json *j, const char *key, bool is_array)
{
	fl_assert(j->depth < JSON_DEPTH_MAX);
	if (j->depth)
		member_begin(j, key);
	else
		fl_assert(!key);
	put_char(j, is_array ? '[' : '{');
	j->open[j->depth].is_array = is_array;
	j->open[j->depth].has_members = false;
	j->depth++;
}

void json_init(struct json *j, FILE *out)
{
	j->out = out;
	j->line = false;
	j->used = 0;
	j->depth = 0;
}

void json_init_line(struct json *j, FILE *out)
{
	json_init(j, out);
	j->line = true;
}

void json_object(struct json *j, const char *key)
{
	nested_begin(j, key, false);
}

void json_array(struct json *j, const char *key)
{
	nested_begin(j, key, true);
}

void json_end(struct json *j)
{
	fl_assert(j->depth > 0);
	j->depth--;
	put_line_start(j);
	put_char(j, j->open[j->depth].is_array ? ']' : '}');
	if (j->depth)
		return;
	put_char(j, '\n');
	flush(j);
}

void json_u64(struct json *j, const char *key, uint64_t value)
{
	member_begin(j, key);
	put_number(j, value);
}

void json_i64(struct json *j, const char *key, int64_t value)
{
	member_begin(j, key);
	if (value < 0)
		put_char(j, '-');
	put_number(j, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void json_bin(struct json *j, uint64_t key, uint64_t value)
{
	member_start(j, true);
	put_char(j, '"');
	put_number(j, key);
	put_char(j, '"');
	put_colon(j);
	put_number(j, value);
}

void json_f64(struct json *j, const char *key, double value)
{
	char text[340];		/* of the largest: 309 digits, and six more */
	int n = snprintf(text, sizeof(text), "%f", isfinite(value) ? value : 0.0);

	member_begin(j, key);
	put(j, text, (size_t)n);
}

void json_str(struct json *j, const char *key, const char *value)
{
	member_begin(j, key);
	put_string(j, value);
}

void json_bool(struct json *j, const char *key, bool value)
{
	member_begin(j, key);
	put(j, value ? "true" : "false", value ? 4 : 5);
}
