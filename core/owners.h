/* SPDX-License-Identifier: MIT */
/*
 * Whose option is it? Options of engines count only with their engine; one that was written beside
 * another engine is no typing error, and the engine that has it is the answer.
 */
#ifndef CORE_OWNERS_H
#define CORE_OWNERS_H

#include "lib/base.h"

/*
 * owners_explain - if some engine has this option, say which. engine: the one it was given to;
 * NULL: none was named. Loads every engine there is: for use in complaints only.
 * Returns true with a sentence in why; false if no engine has it.
 */
bool owners_explain(const char *option, const char *engine, char *why, size_t why_bytes);

/* owners_list - the names of these engines with ", " between, into list. Returns how many. */
unsigned owners_list(const char *option, char *list, size_t list_bytes);

#endif
