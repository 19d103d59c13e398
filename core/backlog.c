/* SPDX-License-Identifier: MIT */
#include "core/backlog.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_ROOM	256u

int backlog_init(struct backlog *b, uint64_t every, uint64_t batch)
{
	*b = (struct backlog){ .every = every, .batch = batch, .room = FIRST_ROOM };
	b->ring = calloc(b->room, sizeof(*b->ring));
	return b->ring ? 0 : -ENOMEM;
}

void backlog_free(struct backlog *b)
{
	free(b->ring);
	*b = (struct backlog){ 0 };
}

static void grow(struct backlog *b)
{
	struct backlog_entry *more = calloc(2 * b->room, sizeof(*more));

	fl_assert(more);
	for (uint64_t i = 0; i < b->count; i++)
		more[i] = b->ring[(b->head + i) & (b->room - 1)];
	free(b->ring);
	b->ring = more;
	b->head = 0;
	b->room *= 2;
}

void backlog_add(struct backlog *b, const struct backlog_entry *e)
{
	if (b->count == b->room)
		grow(b);
	b->ring[(b->head + b->count++) & (b->room - 1)] = *e;
}

bool backlog_take(struct backlog *b, struct backlog_entry *e)
{
	if (!b->count)
		return false;
	*e = b->ring[b->head];
	b->head = (b->head + 1) & (b->room - 1);
	b->count--;
	return true;
}

bool backlog_due(struct backlog *b, uint64_t so_far)
{
	if (!b->burst && b->fresh && b->count && b->every && so_far % b->every == 0) {
		b->burst = b->batch ? b->batch : b->count;
		b->fresh = false;
	}
	return b->burst;
}
