/* SPDX-License-Identifier: MIT */
/*
 * The payload of verified blocks: words that can be asked where they come from.
 *
 * Word i (8 bytes, lowest first) of a block is scramble(begin + i * step), where `begin` is a one
 * to one mix of the key, the block's index and the write's number. Every step can be undone: from a
 * word and its place follows which block and write it belongs to. That a word was not made by us
 * shows in that its neighbours tell something else.
 *
 * The step is the golden ratio's, as in splitmix64 (lib/rand.h); scramble is one round of multiply
 * and xorshift, the cheapest that leaves neither zlib nor a deduplicating device anything to find.
 */
#ifndef LIB_VPAYLOAD_H
#define LIB_VPAYLOAD_H

#include "lib/rand.h"

#define VPAYLOAD_STEP	0x9e3779b97f4a7c15ull
#define VPAYLOAD_ODD	0xd6e8feb86659fd93ull

/* Low 32 bits each of the block's index and the write's number. */
struct vpayload_origin {
	uint32_t index, number;
};

fl_inline uint64_t vpayload_begin(uint64_t key, struct vpayload_origin o)
{
	return rand_mix64(((uint64_t)o.number << 32 | o.index) ^ key);
}

fl_inline uint64_t vpayload_word(uint64_t begin, uint64_t i)
{
	uint64_t x = begin + i * VPAYLOAD_STEP;

	x = (x ^ x >> 32) * VPAYLOAD_ODD;
	return x ^ x >> 29;
}

/* vpayload_fill - the first `count` words of a block as they lie in memory, at any alignment. */
void vpayload_fill(uint64_t begin, void *to, size_t count);

/* vpayload_origin - of which block and write is `word`, if it is word i of it? */
fl_inline struct vpayload_origin vpayload_origin(uint64_t key, uint64_t word, uint64_t i)
{
	uint64_t x = (word ^ word >> 29 ^ word >> 58) * rand_inverse64(VPAYLOAD_ODD);

	x = rand_unmix64((x ^ x >> 32) - i * VPAYLOAD_STEP) ^ key;
	return (struct vpayload_origin){ (uint32_t)x, (uint32_t)(x >> 32) };
}

#endif
