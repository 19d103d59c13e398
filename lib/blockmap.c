/* SPDX-License-Identifier: MIT */
/*
 * A 64-ary tree of bits, stored level by level in one array.
 *
 * Level 0 has a bit per block, 1 for used. A bit of level k+1 is 1 when its word of level k is all
 * ones. Bits beyond the end of a level are ones for good, so that "all ones" needs no special case
 * for the last word, and so that a search never returns a block that does not exist.
 */
#include "lib/blockmap.h"

#include <stdlib.h>
#include <string.h>

#define FULL		UINT64_MAX
#define LEVELS_MAX	8		/* 64^8 is the most blocks there may be */

struct blockmap {
	uint64_t blocks, left;
	unsigned levels;
	uint64_t *level[LEVELS_MAX];	/* into words[]; level[levels - 1] is one word */
	uint64_t words[];
};

static uint64_t words_for(uint64_t bits)
{
	return (bits + 63) / 64;
}

/* ones - a word with the bits from `from` up to, not including, `to` set; 0 <= from < to <= 64. */
static uint64_t ones(unsigned from, unsigned to)
{
	return FULL << from & FULL >> (64 - to);
}

/* tree_words - words of all levels together. */
static uint64_t tree_words(uint64_t blocks)
{
	uint64_t words = words_for(blocks), total = words;

	while (words > 1) {
		words = words_for(words);
		total += words;
	}
	return total;
}

uint64_t blockmap_bytes(uint64_t n_blocks)
{
	if (n_blocks < 1 || n_blocks > BLOCKMAP_BLOCKS_MAX)
		return 0;
	return sizeof(struct blockmap) + tree_words(n_blocks) * sizeof(uint64_t);
}

struct blockmap *blockmap_new(uint64_t n_blocks)
{
	uint64_t bytes = blockmap_bytes(n_blocks), bits = n_blocks;
	struct blockmap *m = bytes && bytes <= SIZE_MAX ? malloc(bytes) : NULL;
	uint64_t *next;

	if (!m)
		return NULL;
	m->blocks = n_blocks;
	m->levels = 0;
	next = m->words;
	do {
		fl_assert(m->levels < LEVELS_MAX);
		m->level[m->levels++] = next;
		bits = words_for(bits);
		next += bits;
	} while (bits > 1);
	blockmap_reset(m);
	return m;
}

void blockmap_free(struct blockmap *m)
{
	free(m);
}

void blockmap_reset(struct blockmap *m)
{
	uint64_t bits = m->blocks;

	for (unsigned k = 0; k < m->levels; k++) {
		uint64_t words = words_for(bits);

		memset(m->level[k], 0, words * sizeof(uint64_t));
		if (bits % 64)
			m->level[k][words - 1] = ones(bits % 64, 64);
		bits = words;
	}
	m->left = m->blocks;
}

bool blockmap_test(const struct blockmap *m, uint64_t block)
{
	fl_assert(block < m->blocks);
	return m->level[0][block / 64] >> block % 64 & 1;
}

uint64_t blockmap_left(const struct blockmap *m)
{
	return m->left;
}

/* word_filled - word `index` of level 0 became all ones: tell the levels above. */
static void word_filled(struct blockmap *m, uint64_t index)
{
	for (unsigned k = 1; k < m->levels; k++) {
		uint64_t *word = &m->level[k][index / 64];

		*word |= 1ull << index % 64;
		if (*word != FULL)
			return;
		index /= 64;
	}
}

uint64_t blockmap_set_range(struct blockmap *m, uint64_t first, uint64_t count)
{
	uint64_t at = first, end;

	fl_assert(first < m->blocks);
	end = first + fl_min(count, m->blocks - first);
	while (at < end) {
		uint64_t *word = &m->level[0][at / 64];
		unsigned from = at % 64, to = fl_min(end - at, (uint64_t)64 - from) + from;
		uint64_t used = *word & ones(from, to);

		if (used)
			to = __builtin_ctzll(used);
		if (to > from) {
			*word |= ones(from, to);
			if (*word == FULL)
				word_filled(m, at / 64);
			at += to - from;
		}
		if (used)
			break;
	}
	m->left -= at - first;
	return at - first;
}

static uint64_t level_words(const struct blockmap *m, unsigned k)
{
	return k + 1 < m->levels ? (uint64_t)(m->level[k + 1] - m->level[k]) : 1;
}

/* find_from - the first free block at or after `from`, or BLOCKMAP_NONE. */
static uint64_t find_from(const struct blockmap *m, uint64_t from)
{
	uint64_t at = from;	/* on level k: the first bit that may still be free */
	unsigned k = 0;

	for (;; k++) {
		uint64_t free_bits;

		if (k == m->levels || at / 64 >= level_words(m, k))
			return BLOCKMAP_NONE;
		free_bits = ~m->level[k][at / 64] & FULL << at % 64;
		if (free_bits) {
			at = at / 64 * 64 + __builtin_ctzll(free_bits);
			break;
		}
		at = at / 64 + 1;
	}
	while (k-- > 0)
		at = at * 64 + __builtin_ctzll(~m->level[k][at]);
	return at;
}

uint64_t blockmap_next_free(const struct blockmap *m, uint64_t from)
{
	uint64_t found;

	fl_assert(from < m->blocks);
	if (!m->left)
		return BLOCKMAP_NONE;
	found = find_from(m, from);
	if (found == BLOCKMAP_NONE)
		found = find_from(m, 0);
	fl_assert(found < m->blocks);
	return found;
}
