/* SPDX-License-Identifier: MIT */
/*
 * Many small strings with one lifetime. The names, values and lines of a job file are pointed to
 * from everywhere until the run is over; an arena lets all of them go at once, and nobody has to
 * know which of them was shared. Running out of memory ends the program with a message.
 */
#ifndef LIB_ARENA_H
#define LIB_ARENA_H

#include "lib/base.h"

struct arena_chunk;

/* All zero is an empty arena. */
struct arena {
	struct arena_chunk *head;
};

/* arena_alloc - len zeroed bytes, aligned for any type, valid until arena_free(). Never NULL. */
void *arena_alloc(struct arena *a, size_t len);

/* arena_strndup - a copy of len bytes with a NUL behind them, valid until arena_free(). */
char *arena_strndup(struct arena *a, const char *text, size_t len);

/* arena_strdup - a copy of a C string, valid until arena_free(). */
char *arena_strdup(struct arena *a, const char *text);

/* arena_free - give back everything the arena handed out; it is empty again. */
void arena_free(struct arena *a);

#endif
