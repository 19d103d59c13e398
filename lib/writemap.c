/* SPDX-License-Identifier: MIT */
/* The radix tree. A slot of an inner node is the number of the node below, of a leaf the value. */
#include "lib/writemap.h"

#include <string.h>

#define SLOT_BITS	6u

uint64_t writemap_bytes(uint64_t blocks)
{
	uint64_t nodes = 0;

	fl_assert(blocks && blocks <= WRITEMAP_BLOCKS_MAX);
	do {
		blocks = (blocks + WRITEMAP_SLOTS - 1) / WRITEMAP_SLOTS;
		nodes += blocks;
	} while (blocks > 1);
	return nodes * sizeof(struct writemap_node);
}

void writemap_init(struct writemap *m, uint64_t blocks, void *memory)
{
	*m = (struct writemap){ .nodes = memory, .blocks = blocks, .used = 1 };
	while ((blocks - 1) >> m->shift >= WRITEMAP_SLOTS)
		m->shift += SLOT_BITS;
}

static unsigned slot_of(uint64_t index, unsigned shift)
{
	return (unsigned)(index >> shift) % WRITEMAP_SLOTS;
}

void writemap_set(struct writemap *m, uint64_t index, uint32_t number)
{
	uint32_t node = 0;

	fl_assert(index < m->blocks);
	for (unsigned shift = m->shift; shift; shift -= SLOT_BITS) {
		uint32_t *below = &m->nodes[node].slot[slot_of(index, shift)];

		if (!*below) {
			if (!number)
				return;
			*below = m->used++;
		}
		node = *below;
	}
	m->nodes[node].slot[slot_of(index, 0)] = number;
}

uint32_t writemap_get(const struct writemap *m, uint64_t index)
{
	uint32_t node = 0;

	fl_assert(index < m->blocks);
	for (unsigned shift = m->shift; shift; shift -= SLOT_BITS) {
		node = m->nodes[node].slot[slot_of(index, shift)];
		if (!node)
			return 0;
	}
	return m->nodes[node].slot[slot_of(index, 0)];
}

/* Behind an empty slot of a node of this level nothing is set: go on where the next slot begins. */
static uint64_t skip(uint64_t index, unsigned shift)
{
	return ((index >> shift) + 1) << shift;
}

bool writemap_next(const struct writemap *m, uint64_t from, uint64_t *index, uint32_t *number)
{
	while (from < m->blocks) {
		uint32_t node = 0;
		unsigned shift = m->shift;
		uint32_t slot = m->nodes[node].slot[slot_of(from, shift)];

		for (; slot && shift; shift -= SLOT_BITS) {
			node = slot;
			slot = m->nodes[node].slot[slot_of(from, shift - SLOT_BITS)];
		}
		if (slot) {
			*index = from;
			*number = slot;
			return true;
		}
		from = skip(from, shift);
	}
	return false;
}

void writemap_forget(struct writemap *m)
{
	memset(m->nodes, 0, (size_t)m->used * sizeof(*m->nodes));
	m->used = 1;
}
