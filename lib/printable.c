/* SPDX-License-Identifier: MIT */
/* One '?' for one byte, so that a text keeps its length and a column in it its meaning. */
#include "lib/printable.h"

#include <string.h>

/* The bytes of a sequence that begins so; 0: none does. */
static size_t sequence_bytes(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first <= 0xdf)
		return 2;
	if (first >= 0xe0 && first <= 0xef)
		return 3;
	return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

/* Overlong forms, surrogates and numbers above the last are no characters. */
static bool is_character(uint32_t c, size_t bytes)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	return c >= least[bytes] && c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff);
}

static bool steers(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

size_t printable_length(const char *text, size_t len)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t bytes = sequence_bytes(at[0]);
	uint32_t c;

	if (!bytes || bytes > len)
		return 0;
	c = bytes == 1 ? at[0] : at[0] & (0x7fu >> bytes);
	for (size_t i = 1; i < bytes; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (at[i] & 0x3f);
	}
	return is_character(c, bytes) && !steers(c) ? bytes : 0;
}

void printable_fix(char *text, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t bytes = printable_length(text + i, len - i);

		if (!bytes)
			text[i] = '?';
		i += bytes ? bytes : 1;
	}
}

void printable_add(struct strbuf *sb, const char *text, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t bytes = printable_length(text + i, len - i);

		if (bytes)
			strbuf_append(sb, text + i, bytes);
		else
			strbuf_putc(sb, '?');
		i += bytes ? bytes : 1;
	}
}

void printable_put(const char *text, size_t len, const char *escaped, FILE *out)
{
	for (size_t i = 0; i < len;) {
		size_t bytes = printable_length(text + i, len - i);

		if (bytes && strchr(escaped, text[i]))
			fputc('\\', out);
		if (bytes)
			fwrite(text + i, 1, bytes, out);
		else
			fputc('?', out);
		i += bytes ? bytes : 1;
	}
}
