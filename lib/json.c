/* SPDX-License-Identifier: MIT */
/* Writing JSON as it comes: the only memory is which brackets are open. */
#include "lib/json.h"

#include <inttypes.h>
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

static void put_escaped(FILE *out, unsigned char c)
{
	static const char letters[] = "btnvfr";		/* of the codes 8 to 13 */

	if (c == '"' || c == '\\')
		fprintf(out, "\\%c", c);
	else if (c >= 8 && c <= 13 && c != 11)		/* 11, \v, is no escape of JSON */
		fprintf(out, "\\%c", letters[c - 8]);
	else
		fprintf(out, "\\u%04x", c);
}

static void put_string(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)(text ? text : "");

	fputc('"', out);
	while (*s) {
		unsigned length = utf8_length(s);

		if (!length)
			fputs("\xef\xbf\xbd", out);
		else if (*s < 0x20 || *s == 0x7f || *s == '"' || *s == '\\')
			put_escaped(out, *s);
		else
			fwrite(s, 1, length, out);
		s += fl_max(length, 1u);
	}
	fputc('"', out);
}

static void put_line_start(struct json *j)
{
	if (!j->line)
		fprintf(j->out, "\n%*s", (int)(2 * j->depth), "");
}

/* member_begin - everything before the value: comma, indent, key. */
static void member_begin(struct json *j, const char *key)
{
	fl_assert(j->depth > 0);
	fl_assert(j->open[j->depth - 1].is_array == !key);
	if (j->open[j->depth - 1].has_members)
		fputc(',', j->out);
	j->open[j->depth - 1].has_members = true;
	put_line_start(j);
	if (key) {
		put_string(j->out, key);
		fputs(j->line ? ":" : " : ", j->out);
	}
}

static void nested_begin(struct json *j, const char *key, bool is_array)
{
	fl_assert(j->depth < JSON_DEPTH_MAX);
	if (j->depth)
		member_begin(j, key);
	else
		fl_assert(!key);
	fputc(is_array ? '[' : '{', j->out);
	j->open[j->depth].is_array = is_array;
	j->open[j->depth].has_members = false;
	j->depth++;
}

void json_init(struct json *j, FILE *out)
{
	memset(j, 0, sizeof(*j));
	j->out = out;
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
	fputc(j->open[j->depth].is_array ? ']' : '}', j->out);
	if (!j->depth)
		fputc('\n', j->out);
}

void json_u64(struct json *j, const char *key, uint64_t value)
{
	member_begin(j, key);
	fprintf(j->out, "%" PRIu64, value);
}

void json_i64(struct json *j, const char *key, int64_t value)
{
	member_begin(j, key);
	fprintf(j->out, "%" PRId64, value);
}

void json_f64(struct json *j, const char *key, double value)
{
	member_begin(j, key);
	fprintf(j->out, "%f", isfinite(value) ? value : 0.0);
}

void json_str(struct json *j, const char *key, const char *value)
{
	member_begin(j, key);
	put_string(j->out, value);
}

void json_bool(struct json *j, const char *key, bool value)
{
	member_begin(j, key);
	fputs(value ? "true" : "false", j->out);
}
