/* SPDX-License-Identifier: MIT */
/*
 * What a text parser says when it cannot read what a person wrote: one sentence and the place.
 * Every parser in lib/ fills the same struct, so whoever prints it can put a caret under the
 * character that is wrong without knowing which parser spoke.
 */
#ifndef LIB_PARSE_ERR_H
#define LIB_PARSE_ERR_H

#include "lib/base.h"
#include "lib/span.h"

#include <errno.h>

/* The sentence has no full stop at its end and no line break; it is cut to fit. */
struct parse_err {
	char text[160];
	int col;		/* offset in the text that was given; 0 is its first byte */
};

/* A piece of the user's text made fit for a message: short, without control characters. */
struct parse_shown {
	char text[48];
};

/*
 * parse_fail - fill err with a printf-formatted sentence about the byte at offset col.
 * err may be NULL when the caller only wants to know whether the text is good.
 * Is -EINVAL always, so that a parser can `return parse_fail(...)`; a macro, so that whoever checks
 * the parser (a compiler, an analyzer) sees that too.
 */
#define parse_fail(err, col, ...)	(parse_fail_note(err, col, __VA_ARGS__), -EINVAL)
void parse_fail_note(struct parse_err *err, size_t col, const char *fmt, ...) fl_printf(3, 4);

/*
 * parse_fail_shift - move the place of an error by add bytes, when the text that was parsed is a
 * piece of a longer one that begins add bytes before it. err may be NULL.
 */
void parse_fail_shift(struct parse_err *err, size_t add);

/*
 * parse_fail_prefix - put `'piece': ` in front of the sentence, for an error that is read away
 * from the line it is about; a sentence that begins with it stays as it is. err may be NULL.
 */
void parse_fail_prefix(struct parse_err *err, struct span piece);

/*
 * parse_show - piece as it may be printed (lib/printable.h), and what is longer than
 * about 40 bytes ends in "..." (never in the middle of a UTF-8 sequence). The result is a value:
 * `parse_show(piece).text` lives until the end of the full expression it stands in.
 */
struct parse_shown parse_show(struct span piece);

#endif
