/* SPDX-License-Identifier: MIT */
/*
 * A streaming JSON writer in the layout that fio's readers expect: two blanks per level, one member
 * per line, `"key" : value`, doubles with six decimals.
 *
 * Existing scripts tell counters from rates by the decimal point, and some read the text line by
 * line, so the layout is part of the interface. Nothing is built up in memory: what is written goes
 * to the FILE in pieces, the last one when the root is closed.
 * Whatever strings it is given, the document stays valid JSON in UTF-8.
 *
 * Misuse (a key in an array, none in an object, too deep, more ends than beginnings) can only be a
 * bug and is asserted. Write errors stay with the FILE: ask ferror() when done.
 */
#ifndef LIB_JSON_H
#define LIB_JSON_H

#include <stdio.h>

#include "lib/base.h"

#define JSON_DEPTH_MAX	32u	/* objects and arrays inside one another */
#define JSON_BUFFER	4096u

struct json {
	FILE *out;
	bool line;			/* all of it on one line */
	size_t used;			/* of the buffer: not given to out yet */
	unsigned depth;			/* how many are open */
	struct {
		bool is_array;
		bool has_members;
	} open[JSON_DEPTH_MAX];
	char buffer[JSON_BUFFER];
};

/*
 * json_init - start a document on `out`, which stays the caller's (open_memstream() works too).
 *
 * The first call after it must be json_object() or json_array() with key NULL: the root.
 */
void json_init(struct json *j, FILE *out);

/* json_init_line - likewise, of a document on one line and without blanks around colons. */
void json_init_line(struct json *j, FILE *out);

/*
 * json_object, json_array - open a nested object or array, closed by json_end().
 *
 * Here and below: key names the member of an object, and is NULL for an element of an array.
 */
void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);

/* json_end - close what was opened last. Closing the root ends the document with a newline. */
void json_end(struct json *j);

/* json_u64, json_i64 - an integer, all digits. */
void json_u64(struct json *j, const char *key, uint64_t value);
void json_i64(struct json *j, const char *key, int64_t value);

/* json_bin - a member whose key is a number, too: a bin of a histogram. */
void json_bin(struct json *j, uint64_t key, uint64_t value);

/* json_f64 - a number with six decimals; NaN and the infinities, which JSON lacks, become 0. */
void json_f64(struct json *j, const char *key, double value);

/*
 * json_str - a string; NULL is written as the empty one. Quotes, backslashes and control characters
 * are escaped; every byte that is no part of well-formed UTF-8 becomes U+FFFD. Keys likewise.
 */
void json_str(struct json *j, const char *key, const char *value);

/* json_bool - true or false. */
void json_bool(struct json *j, const char *key, bool value);

#endif
