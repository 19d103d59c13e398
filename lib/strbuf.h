/* SPDX-License-Identifier: MIT */
/*
 * A string that grows. For text that is put together while a run is set up or reported, never on
 * the I/O path. There is no error to check: when memory is out while a job file is read or a
 * report is written, there is nothing better to do than to say so and stop.
 */
#ifndef LIB_STRBUF_H
#define LIB_STRBUF_H

#include "lib/base.h"

#include <stdarg.h>

/* All zero is an empty string. text is NULL or ends in a NUL that len does not count. */
struct strbuf {
	char *text;
	size_t len;
	size_t room;
};

#define STRBUF_INIT	{ NULL, 0, 0 }

/* strbuf_append - add len bytes; bytes may be NULL when len is 0, and may not point into sb. */
void strbuf_append(struct strbuf *sb, const char *bytes, size_t len);

/* strbuf_puts - add a C string. */
void strbuf_puts(struct strbuf *sb, const char *text);

/* strbuf_putc - add one byte. */
void strbuf_putc(struct strbuf *sb, char c);

/* strbuf_printf - add formatted text; no argument may point into sb. */
void strbuf_printf(struct strbuf *sb, const char *fmt, ...) fl_printf(2, 3);

/* strbuf_vprintf - strbuf_printf() with the arguments as a list; ap is used up. */
void strbuf_vprintf(struct strbuf *sb, const char *fmt, va_list ap) fl_printf(2, 0);

/* strbuf_clear - make it empty and keep the memory for the next text. */
void strbuf_clear(struct strbuf *sb);

/* strbuf_str - the text, never NULL, valid until the next change of sb. */
const char *strbuf_str(const struct strbuf *sb);

/* strbuf_steal - the text, never NULL, now the caller's to free(); sb is empty again. */
char *strbuf_steal(struct strbuf *sb);

/* strbuf_free - give the memory back; sb is an empty string again. */
void strbuf_free(struct strbuf *sb);

#endif
