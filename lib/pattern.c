/* SPDX-License-Identifier: MIT */
/* One period is put together when the text is read; use is copying and comparing. */
#include "lib/pattern.h"
#include "lib/strbuf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OFFSET_BYTES	8
/* Copies come from a start of the buffer no longer than this: one that stays in the cache. */
#define SOURCE_BYTES	((size_t)16 << 10)
/* How far a difference is narrowed down before bytes are looked at one by one. */
#define NARROW_BYTES	4096

/* ---- Reading the text ---- */

struct reader {
	struct span text;
	size_t at;		/* the next byte of it */
	const struct pattern_files *files;
	struct strbuf bytes;
	struct strbuf places;	/* size_t each */
	struct parse_err *err;
};

/* The byte `ahead` bytes on, or NUL. */
static char peek(const struct reader *r, size_t ahead)
{
	return ahead < r->text.len - r->at ? r->text.at[r->at + ahead] : '\0';
}

static bool at_hex(const struct reader *r)
{
	return peek(r, 0) == '0' && span_char_lower(peek(r, 1)) == 'x';
}

static int hex_value(char c)
{
	if (span_char_digit(c))
		return c - '0';
	c = span_char_lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Add len bytes; start is where the piece that they come from begins. */
static int add(struct reader *r, size_t start, const char *bytes, size_t len)
{
	if (len > PATTERN_BYTES_MAX - r->bytes.len)
		return parse_fail(r->err, start, "a pattern has at most %zu bytes",
				  PATTERN_BYTES_MAX);
	strbuf_append(&r->bytes, bytes, len);
	return 0;
}

static int add_number(struct reader *r, size_t start, uint64_t value, unsigned int len)
{
	char bytes[OFFSET_BYTES];

	for (unsigned int i = 0; i < len; i++)
		bytes[i] = (char)(value >> 8 * i);
	return add(r, start, bytes, len);
}

static int read_offset(struct reader *r)
{
	size_t start = r->at, place = r->bytes.len;

	if (peek(r, 1) != 'o')
		return parse_fail(r->err, start, "of the formats only %%o is known, the offset");
	r->at += 2;
	strbuf_append(&r->places, (const char *)&place, sizeof(place));
	return add_number(r, start, 0, OFFSET_BYTES);
}

static int read_hex(struct reader *r)
{
	size_t start = r->at, first = start + 2, digits;
	bool odd;

	r->at = first;
	while (r->at < r->text.len && hex_value(peek(r, 0)) >= 0 && !at_hex(r))
		r->at++;
	digits = r->at - first;
	if (!digits)
		return parse_fail(r->err, r->at, "hex digits must follow 0x");
	odd = digits & 1;
	for (size_t i = 0; i < digits + odd; i += 2) {
		const char *d = r->text.at + first + i - odd;
		int high = i || !odd ? hex_value(d[0]) : 0;
		int low = hex_value(d[1]);
		char byte;

		fl_assert(high >= 0 && low >= 0);
		byte = (char)(high << 4 | low);
		if (add(r, start, &byte, 1))
			return -EINVAL;
	}
	return 0;
}

static int read_decimal(struct reader *r)
{
	size_t start = r->at, first;
	bool negative = peek(r, 0) == '-';
	uint64_t value = 0, max = negative ? UINT64_C(1) << 31 : UINT32_MAX;
	unsigned int len = 1;

	r->at += negative || peek(r, 0) == '+';
	first = r->at;
	for (; span_char_digit(peek(r, 0)) && !at_hex(r); r->at++) {
		value = value * 10 + (uint64_t)(peek(r, 0) - '0');
		if (value > max)
			return parse_fail(r->err, start, "a decimal number must fit 32 bits; "
					  "longer ones are written in hex, 0x...");
	}
	if (r->at == first)
		return parse_fail(r->err, r->at, "a decimal number must follow the sign");
	if (negative)
		return add_number(r, start, -value, 4);
	while (len < 4 && value >> 8 * len)
		len++;
	return add_number(r, start, value, len);
}

/* Take a quoted piece; *inside is what stands between its quotes. */
static int take_quoted(struct reader *r, const char *what, struct span *inside)
{
	char quote = peek(r, 0);
	struct span rest = span_from(r->text, r->at + 1);
	const char *end = memchr(rest.at, quote, rest.len);

	if (!end)
		return parse_fail(r->err, r->at, "this %c has no partner", quote);
	*inside = (struct span){ rest.at, (size_t)(end - rest.at) };
	if (!inside->len)
		return parse_fail(r->err, r->at, "an empty %s", what);
	r->at += inside->len + 2;
	return 0;
}

static int read_string(struct reader *r)
{
	size_t start = r->at;
	struct span s;
	int err = take_quoted(r, "string", &s);

	return err ? err : add(r, start, s.at, s.len);
}

static int read_file(struct reader *r)
{
	size_t start = r->at, len = 0;
	char *bytes = NULL, *path;
	struct span name;
	int err = take_quoted(r, "file name", &name);

	if (err)
		return err;
	path = strndup(name.at, name.len);
	if (!path)
		return parse_fail(r->err, start, "out of memory");
	/* At the limit one byte more is asked for, and refused below. */
	err = r->files->load(r->files->ctx, path, fl_max(PATTERN_BYTES_MAX - r->bytes.len, 1u),
			     &bytes, &len);
	free(path);
	if (err < 0)
		return parse_fail(r->err, start, "cannot read '%s': %s", parse_show(name).text,
				  strerror(-err));
	if (!len)
		err = parse_fail(r->err, start, "the file '%s' is empty", parse_show(name).text);
	else
		err = add(r, start, bytes, len);
	free(bytes);
	return err;
}

static int read_piece(struct reader *r)
{
	char c = peek(r, 0);

	if (c == '"')
		return read_string(r);
	if (c == '\'')
		return read_file(r);
	if (c == '%')
		return read_offset(r);
	if (at_hex(r))
		return read_hex(r);
	if (span_char_digit(c) || c == '-' || c == '+')
		return read_decimal(r);
	return parse_fail(r->err, r->at, "'%s' is no part of a pattern: these are \"text\", "
			  "'file', 0x12ab, 123, -123 and %%o",
			  parse_show(span_from(r->text, r->at)).text);
}

static int read_pieces(struct reader *r)
{
	int err = 0;

	while (!err && r->at < r->text.len) {
		if (span_char_blank(peek(r, 0)))
			r->at++;
		else
			err = read_piece(r);
	}
	if (!err && !r->bytes.len)
		err = parse_fail(r->err, 0, "an empty pattern");
	return err;
}

static void *keep(struct arena *arena, const struct strbuf *sb)
{
	return sb->len ? memcpy(arena_alloc(arena, sb->len), sb->text, sb->len) : NULL;
}

int pattern_parse(struct span text, const struct pattern_files *files, struct arena *arena,
		  struct pattern *p, struct parse_err *err)
{
	struct reader r = { .text = text, .files = files, .err = err };
	int ret = read_pieces(&r);

	if (!ret) {
		p->bytes = keep(arena, &r.bytes);
		p->len = r.bytes.len;
		p->offsets_at = keep(arena, &r.places);
		p->offsets = r.places.len / sizeof(*p->offsets_at);
	}
	strbuf_free(&r.bytes);
	strbuf_free(&r.places);
	return ret;
}

/* ---- Use ---- */

static void store_offset(unsigned char bytes[OFFSET_BYTES], uint64_t offset)
{
	for (int i = 0; i < OFFSET_BYTES; i++)
		bytes[i] = (unsigned char)(offset >> 8 * i);
}

void pattern_fill(const struct pattern *p, void *buf, size_t len, uint64_t offset)
{
	unsigned char number[OFFSET_BYTES], *to = buf;
	size_t done = fl_min(len, p->len), source = done;

	memcpy(to, p->bytes, done);
	store_offset(number, offset);
	for (size_t i = 0; i < p->offsets && p->offsets_at[i] < done; i++) {
		size_t at = p->offsets_at[i];

		memcpy(to + at, number, fl_min(done - at, sizeof(number)));
	}
	/* What is filled is whole periods, so it can serve as the source of as much again. */
	while (done < len) {
		size_t n = fl_min(source, len - done);

		memcpy(to + done, to, n);
		done += n;
		if (done <= SOURCE_BYTES)
			source = done;
	}
}

/* The first of len bytes where a and b differ, or len. */
static size_t first_difference(const unsigned char *a, const unsigned char *b, size_t len)
{
	size_t at = 0;

	while (at < len) {
		size_t n = fl_min(len - at, (size_t)NARROW_BYTES);

		if (memcmp(a + at, b + at, n))
			break;
		at += n;
	}
	while (at < len && a[at] == b[at])
		at++;
	return at;
}

/* The first difference within one period. */
static size_t check_period(const struct pattern *p, const unsigned char *buf, size_t len,
			   uint64_t offset)
{
	unsigned char number[OFFSET_BYTES];
	size_t at = 0, n, same;

	store_offset(number, offset);
	for (size_t i = 0; i < p->offsets && p->offsets_at[i] < len; i++) {
		n = p->offsets_at[i] - at;
		same = first_difference(buf + at, p->bytes + at, n);
		at += same;
		if (same < n)
			return at;
		n = fl_min(len - at, sizeof(number));
		same = first_difference(buf + at, number, n);
		at += same;
		if (same < n)
			return at;
	}
	return at + first_difference(buf + at, p->bytes + at, len - at);
}

size_t pattern_check(const struct pattern *p, const void *buf, size_t len, uint64_t offset)
{
	const unsigned char *b = buf;
	size_t period = fl_min(len, p->len);
	size_t same = check_period(p, b, period, offset);

	/* When the first period is right, the rest is if each byte is that of a period before. */
	if (same < period)
		return same;
	return period + first_difference(b + period, b, len - period);
}

unsigned char pattern_byte(const struct pattern *p, size_t at, uint64_t offset)
{
	at %= p->len;
	for (size_t i = 0; i < p->offsets && p->offsets_at[i] <= at; i++)
		if (at - p->offsets_at[i] < OFFSET_BYTES)
			return (unsigned char)(offset >> 8 * (at - p->offsets_at[i]));
	return p->bytes[at];
}

size_t pattern_check_from(const struct pattern *p, size_t at, const void *buf, size_t len,
			  uint64_t offset)
{
	const unsigned char *b = buf;
	size_t period = fl_min(len, p->len);

	for (size_t i = 0; i < period; i++)
		if (b[i] != pattern_byte(p, at + i, offset))
			return i;
	return period + first_difference(b + period, b, len - period);
}
