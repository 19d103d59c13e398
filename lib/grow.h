/* SPDX-License-Identifier: MIT */
/*
 * Lists that grow by one: their room is the next power of two, so that nobody has to remember it,
 * and that a list of n takes n steps, not n x n.
 */
#ifndef LIB_GROW_H
#define LIB_GROW_H

#include "lib/base.h"

#include <stdlib.h>

/*
 * grow - room for one more in a list of count elements of so many bytes, which is NULL when count
 * is 0 and has never grown but by this. Returns the list, maybe in another place; or NULL: no
 * memory, and the old one is as it was. The caller frees it.
 */
static inline void *grow(void *list, size_t count, size_t bytes)
{
	if (count & (count - 1))
		return list;
	return reallocarray(list, count ? 2 * count : 1, bytes);
}

#endif
