/* SPDX-License-Identifier: MIT */
/* Doubling keeps the cost of building a text linear in its length. */
#include "lib/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Make room for extra bytes and a NUL behind what is there. */
static void strbuf_reserve(struct strbuf *sb, size_t extra)
{
	size_t need, room = sb->room ? sb->room : 64;
	char *text;

	if (__builtin_add_overflow(sb->len, extra, &need) ||
	    __builtin_add_overflow(need, 1, &need) || need > SIZE_MAX / 2) {
		fprintf(stderr, "fio-like: a text grew too long\n");
		abort();
	}
	if (need <= sb->room)
		return;
	while (room < need)
		room *= 2;
	text = realloc(sb->text, room);
	if (!text) {
		fprintf(stderr, "fio-like: out of memory (%zu bytes for a text)\n", room);
		abort();
	}
	sb->text = text;
	sb->room = room;
}

void strbuf_append(struct strbuf *sb, const char *bytes, size_t len)
{
	strbuf_reserve(sb, len);
	if (len)
		memcpy(sb->text + sb->len, bytes, len);
	sb->len += len;
	sb->text[sb->len] = '\0';
}

void strbuf_puts(struct strbuf *sb, const char *text)
{
	strbuf_append(sb, text, strlen(text));
}

void strbuf_putc(struct strbuf *sb, char c)
{
	strbuf_append(sb, &c, 1);
}

void strbuf_vprintf(struct strbuf *sb, const char *fmt, va_list ap)
{
	va_list again;
	int len;

	va_copy(again, ap);
	strbuf_reserve(sb, 0);
	len = vsnprintf(sb->text + sb->len, sb->room - sb->len, fmt, ap);
	fl_assert(len >= 0);
	if ((size_t)len >= sb->room - sb->len) {
		strbuf_reserve(sb, (size_t)len);
		vsnprintf(sb->text + sb->len, sb->room - sb->len, fmt, again);
	}
	sb->len += (size_t)len;
	va_end(again);
}

void strbuf_printf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(sb, fmt, ap);
	va_end(ap);
}

void strbuf_clear(struct strbuf *sb)
{
	sb->len = 0;
	if (sb->text)
		sb->text[0] = '\0';
}

const char *strbuf_str(const struct strbuf *sb)
{
	return sb->text ? sb->text : "";
}

char *strbuf_steal(struct strbuf *sb)
{
	char *text;

	strbuf_reserve(sb, 0);
	text = sb->text;
	text[sb->len] = '\0';
	*sb = (struct strbuf)STRBUF_INIT;
	return text;
}

void strbuf_free(struct strbuf *sb)
{
	free(sb->text);
	*sb = (struct strbuf)STRBUF_INIT;
}
