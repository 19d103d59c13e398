/* SPDX-License-Identifier: MIT */
/*
 * Every block once, in random order, without remembering which blocks were visited.
 *
 * A keyed permutation p of [0, n) turns a counter into offsets: p(0), p(1), ... p(n-1) touches each
 * block exactly once, and the only state is the counter. Up to PERMUTE_TABLE_MAX blocks it is a
 * shuffled table (Fisher and Yates; Durstenfeld, CACM 1964): a perfect shuffle of at most 128 KiB.
 * Above, it is a Feistel network over the smallest domain of the form left x 2^k that holds n, with
 * both halves near the square root of n, walked until it lands inside [0, n) (J. Black and
 * P. Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002). Because the left half may have
 * any size, the domain exceeds n by less than 2^k: above the table's sizes hardly one draw in 256
 * walks twice, whatever n is. (A power-of-two domain would walk twice as far just above each power
 * of two.) Four rounds are visibly not random on small domains (the variance of the runs test is
 * off at 256 blocks); eight pass.
 *
 * This is no cipher: it hides nothing from an adversary, it only has to look random to a drive.
 */
#ifndef LIB_PERMUTE_H
#define LIB_PERMUTE_H

#include "lib/base.h"

#define PERMUTE_TABLE_MAX	65536u	/* largest n that gets a table; its entries are 16 bits */
#define PERMUTE_ROUNDS		8
#define PERMUTE_N_MAX		(1ull << 62)	/* sums of halves stay far from 2^64 */

struct permute {
	uint64_t n;
	uint16_t *table;		/* NULL: the Feistel network is used */
	uint64_t left;			/* size of the left half of the domain */
	unsigned right_bits;		/* width of the right half */
	uint64_t add[PERMUTE_ROUNDS];	/* round keys: added to the half ... */
	uint64_t mul[PERMUTE_ROUNDS];	/* ... and multiplied with it, odd */
};

/*
 * permute_init - make the permutation of [0, n) that belongs to `key`.
 *
 * 1 <= n <= PERMUTE_N_MAX. Equal n and key give the same order on every machine.
 * Owns: a table of 2n bytes when 1 < n <= PERMUTE_TABLE_MAX; release it with permute_free().
 * Returns 0, -EINVAL (n out of bounds) or -ENOMEM; on failure there is nothing to free.
 */
int permute_init(struct permute *p, uint64_t n, uint64_t key);

/*
 * permute_init_feistel - the same, but always by the Feistel network and never allocating.
 *
 * For tests that want to see every value of a small network. Returns 0 or -EINVAL.
 */
int permute_init_feistel(struct permute *p, uint64_t n, uint64_t key);

/* permute_rekey - another order of the same n, at no allocation; for the next pass over a file. */
void permute_rekey(struct permute *p, uint64_t key);

/* permute_free - give the table back. Harmless on a permutation that is zeroed or freed. */
void permute_free(struct permute *p);

/*
 * permute_round - what one half of the domain contributes to the other: the two halves of a
 * 64 x 64 -> 128 bit product, folded (the step W. Yi's wyhash is built on). The high half alone
 * would move in near-even steps with the counter; the fold makes every output bit depend on all
 * bits of half and key.
 */
fl_inline uint64_t permute_round(const struct permute *p, unsigned round, uint64_t half)
{
	unsigned __int128 product = (unsigned __int128)(half + p->add[round]) * p->mul[round];

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* permute_network - one pass through the rounds: a bijection of the domain. */
fl_inline uint64_t permute_network(const struct permute *p, uint64_t x)
{
	uint64_t right_mask = (1ull << p->right_bits) - 1;
	uint64_t left = x >> p->right_bits, right = x & right_mask;

#pragma GCC unroll 8
	for (unsigned round = 0; round < PERMUTE_ROUNDS; round += 2) {
		/*
		 * The left half adds modulo its size. Scaling to [0, left) is a multiplication,
		 * which looks at the top bits first: the well mixed low ones are rotated there.
		 */
		uint64_t mixed = permute_round(p, round, right);

		mixed = mixed << 32 | mixed >> 32;
		left += (unsigned __int128)mixed * p->left >> 64;
		left -= left >= p->left ? p->left : 0;
		right ^= permute_round(p, round + 1, left) & right_mask;
	}
	return left << p->right_bits | right;
}

/*
 * permute_at - which block comes in place i. i < n, asserted: a walk from outside need not end.
 *
 * Safe from several threads at once; fit for the I/O path.
 */
fl_inline uint64_t permute_at(const struct permute *p, uint64_t i)
{
	fl_assert(i < p->n);
	if (p->table)
		return p->table[i];
	do
		i = permute_network(p, i);
	while (i >= p->n);
	return i;
}

#endif
