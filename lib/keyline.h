/* SPDX-License-Identifier: MIT */
/*
 * Files of the kernel that say one thing per line, a key first: "MemTotal:  2048 kB", "rchar: 12",
 * "oom_kill 3". A key is the whole beginning of its line: "bytes: " is not found in "read_bytes: ".
 */
#ifndef LIB_KEYLINE_H
#define LIB_KEYLINE_H

#include "lib/base.h"

#include <stdbool.h>

/*
 * keyline_find - what stands behind the key in the first line that begins with it. mark: what
 * separates the two, ':' (which blanks may stand before) or ' '; blanks behind it are passed over.
 * Returns a place in text, up to the end of it and not only of the line; or NULL.
 */
const char *keyline_find(const char *text, const char *key, char mark);

/*
 * keyline_u64 - the decimal number there: whether there is such a line; *value is 0 where no number
 * stands in it, and stays as it is where there is no line.
 */
bool keyline_u64(const char *text, const char *key, char mark, uint64_t *value);

#endif
