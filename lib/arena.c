/* SPDX-License-Identifier: MIT */
/* Chunks in a list; what does not fit the newest chunk opens another. */
#include "lib/arena.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_CHUNK_BYTES	8192u

struct arena_chunk {
	struct arena_chunk *next;
	size_t used;
	size_t room;
	alignas(max_align_t) char bytes[];
};

static struct arena_chunk *arena_chunk_new(size_t room)
{
	struct arena_chunk *chunk = NULL;

	if (room < SIZE_MAX / 2)
		chunk = calloc(1, sizeof(*chunk) + room);
	if (!chunk) {
		fprintf(stderr, "fio-like: out of memory (%zu bytes)\n", room);
		abort();
	}
	chunk->room = room;
	return chunk;
}

void *arena_alloc(struct arena *a, size_t len)
{
	const size_t align = alignof(max_align_t);
	struct arena_chunk *chunk = a->head;
	void *at;

	/* Odd lengths are rounded up, so that every piece begins aligned. */
	if (len < SIZE_MAX / 2)
		len = (len + align - 1) / align * align;
	if (!chunk || chunk->room - chunk->used < len) {
		chunk = arena_chunk_new(fl_max(len, ARENA_CHUNK_BYTES));
		chunk->next = a->head;
		a->head = chunk;
	}
	at = chunk->bytes + chunk->used;
	chunk->used += len;
	return at;
}

char *arena_strndup(struct arena *a, const char *text, size_t len)
{
	char *copy = arena_alloc(a, len + 1);

	if (len)
		memcpy(copy, text, len);
	return copy;
}

char *arena_strdup(struct arena *a, const char *text)
{
	return arena_strndup(a, text, strlen(text));
}

void arena_free(struct arena *a)
{
	struct arena_chunk *chunk = a->head;

	while (chunk) {
		struct arena_chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
	a->head = NULL;
}
