/* SPDX-License-Identifier: MIT */
/*
 * Text that others wrote, made fit for a terminal: names of jobs and files, values, messages of
 * plugins. What is no character of its own there could move the cursor, colour or hide text, or
 * answer in the user's name; a '?' in its place does nothing.
 */
#ifndef LIB_PRINTABLE_H
#define LIB_PRINTABLE_H

#include "lib/base.h"
#include "lib/strbuf.h"

#include <stdio.h>

/*
 * printable_length - how many bytes the character at text takes (1 to 4, at most len, which is not
 * 0); or 0 where none is that may be shown as it stands: control characters (those of
 * U+0080-U+009F and U+2028-U+202E, U+2066-U+2069, which turn lines and directions around, too) and
 * bytes that are no UTF-8. Then the byte counts for itself.
 */
size_t printable_length(const char *text, size_t len);

/* printable_fix - put '?' in the place of every byte of text that may not be shown. */
void printable_fix(char *text, size_t len);

/* printable_add - append text to sb, likewise. */
void printable_add(struct strbuf *sb, const char *text, size_t len);

/*
 * printable_put - write text to out, likewise. escaped: characters that get a backslash before
 * them; "" if none.
 */
void printable_put(const char *text, size_t len, const char *escaped, FILE *out);

#endif
