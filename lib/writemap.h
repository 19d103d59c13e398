/* SPDX-License-Identifier: MIT */
/*
 * Which write a block was last written by: a map from block index to write number.
 *
 * A radix tree of nodes with 64 slots. Dense maps cost 4 bytes a block and 1/63 more; a write into
 * the void of a huge file costs a node per level, so that a sample of an 8 TiB file stays small.
 * Nodes come in turn from one piece of memory that the caller reserved: nothing is allocated while
 * I/O runs, and pages that no node needed are never touched.
 */
#ifndef LIB_WRITEMAP_H
#define LIB_WRITEMAP_H

#include "lib/base.h"

#define WRITEMAP_SLOTS	64u

/* Indices below this. */
#define WRITEMAP_BLOCKS_MAX	(1ull << 36)

struct writemap_node {
	uint32_t slot[WRITEMAP_SLOTS];
};

struct writemap {
	struct writemap_node *nodes;	/* the caller's; node 0 is the root */
	uint64_t blocks;		/* indices are below this */
	unsigned shift;			/* of the root: an index >> shift is its slot */
	uint32_t used;			/* nodes */
};

/* writemap_bytes - memory that a map of so many blocks, 1 to WRITEMAP_BLOCKS_MAX, may need. */
uint64_t writemap_bytes(uint64_t blocks);

/*
 * writemap_init - an empty map in memory: writemap_bytes(blocks) bytes, all zero, aligned as
 * malloc() aligns, in the caller's care until the map is no longer used.
 */
void writemap_init(struct writemap *m, uint64_t blocks, void *memory);

/* writemap_set - block `index` was last written by write `number`; 0: by none. */
void writemap_set(struct writemap *m, uint64_t index, uint32_t number);

/* writemap_get - the number that was set last; 0: none. */
uint32_t writemap_get(const struct writemap *m, uint64_t index);

/*
 * writemap_next - the first block at or behind `from` that has a number.
 * Returns true with *index and *number, or false: there is none.
 */
bool writemap_next(const struct writemap *m, uint64_t from, uint64_t *index, uint32_t *number);

/* writemap_forget - empty it; the memory it has touched is zeroed. */
void writemap_forget(struct writemap *m);

#endif
