/* SPDX-License-Identifier: MIT */
/*
 * "Did you mean ...?" - the known name that a mistyped one most likely stands for. A wrong hint is
 * worse than none, so a name counts as near only if about two thirds of it are right.
 */
#ifndef LIB_NEAREST_H
#define LIB_NEAREST_H

#include "lib/base.h"

/*
 * nearest_name - find the known name with the fewest typing errors between it and given.
 *
 * An error is a letter too many, one missing, one wrong, or two neighbours swapped (the restricted
 * Damerau-Levenshtein distance). Upper and lower case are the same, and so are '-' and '_'.
 * get(ctx, i) gives the i-th of n names, or NULL for one that is not to be proposed. Of
 * equally near names the first wins. Names over 63 bytes are never near anything.
 * Returns the pointer get() gave, or NULL when nothing is near: the limit is a third of the
 * length of given, at least 1 (2 from five letters on), and always less than the whole of it.
 */
const char *nearest_name(const char *given, const char *(*get)(void *ctx, size_t i), size_t n,
			 void *ctx);

#endif
