/* SPDX-License-Identifier: MIT */
/* Sentences about text that cannot be read, made from text that cannot be trusted. */
#include "lib/parse_err.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

/* The byte is inside a UTF-8 sequence, not its first. */
static bool utf8_continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

int parse_fail(struct parse_err *err, size_t col, const char *fmt, ...)
{
	va_list ap;

	if (err) {
		va_start(ap, fmt);
		vsnprintf(err->text, sizeof(err->text), fmt, ap);
		va_end(ap);
		err->col = col > INT_MAX ? INT_MAX : (int)col;
	}
	return -EINVAL;
}

void parse_fail_shift(struct parse_err *err, size_t add)
{
	if (!err)
		return;
	if (add > (size_t)(INT_MAX - err->col))
		err->col = INT_MAX;
	else
		err->col += (int)add;
}

void parse_fail_prefix(struct parse_err *err, struct span piece)
{
	struct parse_err old;

	if (!err)
		return;
	old = *err;
	parse_fail(err, (size_t)old.col, "'%s': %.*s", parse_show(piece).text,
		   (int)(sizeof(old.text) - sizeof(struct parse_shown) - 5), old.text);
}

struct parse_shown parse_show(struct span piece)
{
	struct parse_shown shown;
	const size_t max = sizeof(shown.text) - sizeof("...");
	size_t len = piece.len;

	if (len > sizeof(shown.text) - 1) {
		len = max;
		while (len && utf8_continues(piece.at[len]))
			len--;
	}
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)piece.at[i];

		shown.text[i] = c < 0x20 || c == 0x7f ? '?' : (char)c;
	}
	memcpy(shown.text + len, len < piece.len ? "..." : "", len < piece.len ? 4 : 1);
	return shown;
}
