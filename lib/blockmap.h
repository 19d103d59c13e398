/* SPDX-License-Identifier: MIT */
/*
 * Which blocks of a file were already touched, for random I/O whose block sizes vary.
 *
 * A permutation (lib/permute.h) covers a file only when all I/Os have the same size. Otherwise
 * every minimum-size block gets one bit. Near the end of a pass almost all bits are set and a
 * random draw almost always hits a used one; so each 64-bit word has a bit one level up that says
 * "no free block in here", and so on until one word remains. The next free block is then found in
 * one step up and one down per level: 5 levels for a billion blocks. Cost: 1.016 bits per block.
 */
#ifndef LIB_BLOCKMAP_H
#define LIB_BLOCKMAP_H

#include "lib/base.h"

#define BLOCKMAP_BLOCKS_MAX	(1ull << 48)
#define BLOCKMAP_NONE		UINT64_MAX	/* blockmap_next_free(): every block is used */

struct blockmap;

/*
 * blockmap_new - a map of n_blocks blocks, all free.
 *
 * 1 <= n_blocks <= BLOCKMAP_BLOCKS_MAX. The memory, blockmap_bytes(n_blocks), is one allocation.
 * Returns the map, released by blockmap_free(); or NULL when out of memory or out of bounds.
 */
struct blockmap *blockmap_new(uint64_t n_blocks);

/* blockmap_free - release a map; NULL is harmless. */
void blockmap_free(struct blockmap *m);

/* blockmap_bytes - the memory that a map of n_blocks takes, in bytes; 0 when out of bounds. */
uint64_t blockmap_bytes(uint64_t n_blocks);

/* blockmap_reset - make all blocks free again, for the next pass. Touches the whole map. */
void blockmap_reset(struct blockmap *m);

/* blockmap_test - true when block (< n_blocks, asserted) is used. */
bool blockmap_test(const struct blockmap *m, uint64_t block);

/*
 * blockmap_set_range - use up to `count` blocks from `first` on, as far as they are free.
 *
 * Stops before the first used block and at the end of the map. first < n_blocks, asserted.
 * Returns how many blocks were free and are now used, 0 to count: the caller cuts its I/O there.
 */
uint64_t blockmap_set_range(struct blockmap *m, uint64_t first, uint64_t count);

/*
 * blockmap_next_free - the first free block at or after `from`, going on at block 0 after the end.
 *
 * from < n_blocks, asserted. Returns a block, or BLOCKMAP_NONE when blockmap_left() is 0.
 */
uint64_t blockmap_next_free(const struct blockmap *m, uint64_t from);

/* blockmap_left - number of free blocks. */
uint64_t blockmap_left(const struct blockmap *m);

#endif
