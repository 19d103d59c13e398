/* SPDX-License-Identifier: MIT */
/* Sentences about text that cannot be read, made from text that cannot be trusted. */
#include "lib/parse_err.h"

#include "lib/printable.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The byte is inside a UTF-8 sequence, not its first. */
static bool utf8_continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

void parse_fail_note(struct parse_err *err, size_t col, const char *fmt, ...)
{
	va_list ap;

	if (err) {
		va_start(ap, fmt);
		vsnprintf(err->text, sizeof(err->text), fmt, ap);
		va_end(ap);
		err->col = col > INT_MAX ? INT_MAX : (int)col;
	}
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
	struct parse_shown shown = parse_show(piece);
	size_t len = strlen(shown.text);
	struct parse_err old;

	if (!err || (err->text[0] == '\'' && !strncmp(err->text + 1, shown.text, len) &&
		     err->text[1 + len] == '\''))
		return;
	old = *err;
	parse_fail_note(err, (size_t)old.col, "'%s': %.*s", shown.text,
		   (int)(sizeof(old.text) - sizeof(struct parse_shown) - 5), old.text);
}

struct parse_shown parse_show(struct span piece)
{
	struct parse_shown shown;
	const size_t max = sizeof(shown.text) - sizeof("...");
	size_t len = piece.len;

	if (len > sizeof(shown.text) - 1) {
		len = max;
		while (len > max - 4 && utf8_continues(piece.at[len]))
			len--;
	}
	memcpy(shown.text, piece.at, len);
	printable_fix(shown.text, len);
	memcpy(shown.text + len, len < piece.len ? "..." : "", len < piece.len ? 4 : 1);
	return shown;
}
