/* SPDX-License-Identifier: MIT */
/*
 * A piece of somebody else's text, and the ways in which option values are cut into pieces: lists
 * per direction (`4k,8k`), ranges (`4k-64k`), lists of names (`/dev/sda:/dev/sdb`). Pieces point
 * into the text they were cut from, so the place of an error inside a piece is known in the whole.
 */
#ifndef LIB_SPAN_H
#define LIB_SPAN_H

#include "lib/base.h"

#include <string.h>

struct strbuf;

/* len bytes at `at`, not ended by a NUL, owned by whoever owns the text. at == NULL: no piece. */
struct span {
	const char *at;
	size_t len;
};

/* Values per direction come as read, write, trim. */
#define SPAN_DIRS	3

/* span_of - the whole of a C string. */
static inline struct span span_of(const char *text)
{
	return (struct span){ text, strlen(text) };
}

/* span_from - s without its first skip bytes; skip is at most s.len. */
static inline struct span span_from(struct span s, size_t skip)
{
	return (struct span){ s.at + skip, s.len - skip };
}

/* span_char_blank - c is what may stand around a name or value: space, tab, CR, FF, VT. */
static inline bool span_char_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* span_char_digit - c is 0 to 9, whatever the locale says. */
static inline bool span_char_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* span_char_lower - c in lower case if it is an ASCII letter, else c. */
static inline char span_char_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* span_char_alpha - c is an ASCII letter. */
static inline bool span_char_alpha(char c)
{
	return span_char_lower(c) >= 'a' && span_char_lower(c) <= 'z';
}

/* span_trim - s without blanks at both ends; an empty result still points into s. */
struct span span_trim(struct span s);

/* span_is - s is exactly word. */
bool span_is(struct span s, const char *word);

/* span_is_nocase - s is word when the case of ASCII letters does not count. */
bool span_is_nocase(struct span s, const char *word);

/*
 * span_next - take the next item of a list of values off *rest.
 *
 * Any character of seps ends an item unless it stands inside parentheses. A '-' in seps is a sign,
 * not an end, where an item or an operand begins (`-5`, `2*-3`). Items are trimmed and may
 * be empty: "a,,b" has three items, "a," two, "" one. The items point into the text of *rest.
 * Returns false, with *item untouched, when the list is used up (rest->at is NULL).
 */
bool span_next(struct span *rest, const char *seps, struct span *item);

/*
 * span_next_name - take the next non-empty name off a ':' list of names. A backslash keeps the ':'
 * behind it in the name; other backslashes and parentheses are ordinary characters. Blanks around
 * a name are dropped. The name, unescaped, replaces what name held.
 * Returns false when no name is left.
 */
bool span_next_name(struct span *rest, struct strbuf *name);

#endif
