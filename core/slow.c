/* SPDX-License-Identifier: MIT */
/* Lists of slow I/Os that are whole at every moment. */
#include "core/slow.h"

#include <string.h>

#define PLACES		(SLOW_KEPT + 1)
#define READ_TRIES	1000	/* a writer that is faster than 1000 copies does no I/O */

static uint32_t spare_of(uint64_t state)
{
	return (uint32_t)(state & 0xff);
}

static bool is_same(const struct slow_io *a, const struct slow_io *b)
{
	return a->end == b->end && a->start == b->start && a->offset == b->offset &&
	       a->file == b->file;
}

/* The entry that took least among those that would be valid if this place were spare. */
static uint32_t fastest_beside(const struct slow_list *l, uint32_t spare)
{
	uint32_t at = spare ? 0 : 1;

	for (uint32_t i = 0; i < PLACES; i++)
		if (i != spare && slow_ticks(&l->io[i]) < slow_ticks(&l->io[at]))
			at = i;
	return at;
}

static bool is_kept(const struct slow_list *l, uint32_t spare, const struct slow_io *io)
{
	for (uint32_t i = 0; i < PLACES; i++)
		if (i != spare && is_same(&l->io[i], io))
			return true;
	return false;
}

uint64_t slow_add(struct slow_list *l, const struct slow_io *io)
{
	uint64_t state = atomic_load_explicit(&l->state, memory_order_relaxed);
	uint32_t spare = spare_of(state), fastest = fastest_beside(l, spare);

	if (slow_ticks(io) > slow_ticks(&l->io[fastest]) && !is_kept(l, spare, io)) {
		/* What made this place spare is seen before what is written there. */
		atomic_thread_fence(memory_order_release);
		l->io[spare] = *io;
		state = ((state >> 8) + 1) << 8 | fastest;
		atomic_store_explicit(&l->state, state, memory_order_release);
		fastest = fastest_beside(l, fastest);
	}
	return slow_ticks(&l->io[fastest]);
}

void slow_reset(struct slow_list *l)
{
	uint64_t state = atomic_load_explicit(&l->state, memory_order_relaxed);

	memset(l->io, 0, sizeof(l->io));
	atomic_store_explicit(&l->state, ((state >> 8) + 1) << 8, memory_order_release);
}

size_t slow_read(const struct slow_list *l, struct slow_io out[SLOW_KEPT])
{
	struct slow_io copy[PLACES];
	uint64_t before, after;
	size_t n = 0;
	int tries = 0;

	do {
		before = atomic_load_explicit(&l->state, memory_order_acquire);
		memcpy(copy, l->io, sizeof(copy));
		atomic_thread_fence(memory_order_acquire);
		after = atomic_load_explicit(&l->state, memory_order_relaxed);
	} while (before != after && ++tries < READ_TRIES);
	for (uint32_t i = 0; i < PLACES; i++)
		if (i != spare_of(after) && copy[i].end)
			out[n++] = copy[i];
	return n;
}
