/* SPDX-License-Identifier: MIT */
/*
 * Random numbers for the workload: offsets, directions, block sizes, buffer bytes.
 *
 * The generator is drawn from on the I/O path, so it is inline, 32 bytes of state, and has neither
 * division nor branches. Every purpose of every worker owns a stream: drawing one more number for
 * a direction then never shifts the offsets, and a run can be repeated by its seed alone.
 *
 * Generator: xoshiro256** 1.0 by D. Blackman and S. Vigna (public domain, prng.di.unimi.it).
 * Seeding: splitmix64 by S. Vigna, after Steele, Lea and Flood, "Fast splittable pseudorandom
 * number generators", OOPSLA 2014.
 * Bounded numbers: D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 2019.
 */
#ifndef LIB_RAND_H
#define LIB_RAND_H

#include "lib/base.h"

/* One stream of numbers; rand_seed() fills it. Copying the struct copies the position in it. */
struct rand {
	uint64_t s[4];
};

/*
 * rand_seed - start stream number `stream` of the family `seed`.
 *
 * Both may be any value; equal pairs give equal sequences on every machine, pairs that differ
 * anywhere give unrelated ones, also when they differ by one bit. Never leaves the all-zero state,
 * the one state from which the generator does not move.
 */
void rand_seed(struct rand *r, uint64_t seed, uint64_t stream);

/* rand_mix64 - scramble 64 bits one to one, each input bit moving half of the output bits. */
fl_inline uint64_t rand_mix64(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

/*
 * rand_inverse64 - the y for which x * y is 1 modulo 2^64; x odd. By Newton's method: every round
 * doubles the number of right bits (H. S. Warren, Hacker's Delight, 10-16).
 */
fl_inline uint64_t rand_inverse64(uint64_t x)
{
	uint64_t y = x;		/* right in 3 bits */

	for (int i = 0; i < 5; i++)
		y *= 2 - x * y;
	return y;
}

/* rand_unmix64 - the number that rand_mix64() made x of. */
fl_inline uint64_t rand_unmix64(uint64_t x)
{
	x = (x ^ x >> 31 ^ x >> 62) * rand_inverse64(0x94d049bb133111ebull);
	x = (x ^ x >> 27 ^ x >> 54) * rand_inverse64(0xbf58476d1ce4e5b9ull);
	return x ^ x >> 30 ^ x >> 60;
}

/* rand_splitmix64 - the next number of a splitmix64 sequence; for filling states and keys. */
fl_inline uint64_t rand_splitmix64(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15ull;
	return rand_mix64(*state);
}

fl_inline uint64_t rand_rotl64(uint64_t x, unsigned k)
{
	return (x << k) | (x >> (64 - k));
}

/* rand_u64 - the next 64 uniform bits. */
fl_inline uint64_t rand_u64(struct rand *r)
{
	uint64_t result = rand_rotl64(r->s[1] * 5, 7) * 9;
	uint64_t t = r->s[1] << 17;

	r->s[2] ^= r->s[0];
	r->s[3] ^= r->s[1];
	r->s[1] ^= r->s[2];
	r->s[0] ^= r->s[3];
	r->s[2] ^= t;
	r->s[3] = rand_rotl64(r->s[3], 45);
	return result;
}

/* rand_below_slow - the rare tail of rand_below(); product is the draw in doubt. */
uint64_t rand_below_slow(struct rand *r, uint64_t n, unsigned __int128 product);

/*
 * rand_below - a uniform number of [0, n), without bias; 0 when n is 0.
 *
 * The high half of a 64 x 64 bit product is the answer. Only when the low half is smaller than n
 * can the draw belong to the surplus that causes bias (one draw in 2^64/n); the exact check, and
 * the one division it needs, happen out of line.
 */
fl_inline uint64_t rand_below(struct rand *r, uint64_t n)
{
	unsigned __int128 product = (unsigned __int128)rand_u64(r) * n;

	if (unlikely((uint64_t)product < n))
		return rand_below_slow(r, n, product);
	return product >> 64;
}

/*
 * rand_fill - len bytes at buf that nothing compresses; `state` moves on by a word for every 8
 * bytes begun. Equal states give equal bytes, and a piece may be filled in several calls where all
 * but the last are of whole words. It is rand_splitmix64() as it stands: no word waits for the one
 * before, which is faster than rand_u64() time after time.
 */
void rand_fill(uint64_t *state, void *buf, size_t len);

/* rand_double - uniform in [0, 1): a multiple of 2^-53, never 1. */
fl_inline double rand_double(struct rand *r)
{
	return (double)(rand_u64(r) >> 11) * 0x1p-53;
}

#endif
