/* SPDX-License-Identifier: MIT */
/* The parts of the random numbers that need not be inline: seeding and the rare rejection. */
#include "lib/rand.h"

#include <string.h>

void rand_seed(struct rand *r, uint64_t seed, uint64_t stream)
{
	/*
	 * The stream is scrambled before it meets the seed: added raw, seed 1 stream 2 could be
	 * seed 2 stream 1. The other constant keeps seed 0 stream 0 away from state 0.
	 */
	uint64_t state = rand_mix64(seed + 0x9e3779b97f4a7c15ull) ^
			 rand_mix64(rand_mix64(stream) + 0xd1342543de82ef95ull);

	for (size_t i = 0; i < ARRAY_SIZE(r->s); i++)
		r->s[i] = rand_splitmix64(&state);
	/* splitmix64 gives each value once per period, so four zeros in a row cannot come. */
	fl_assert(r->s[0] | r->s[1]);
}

uint64_t rand_below_slow(struct rand *r, uint64_t n, unsigned __int128 product)
{
	uint64_t surplus = -n % n;	/* 2^64 mod n */

	while ((uint64_t)product < surplus)
		product = (unsigned __int128)rand_u64(r) * n;
	return product >> 64;
}

void rand_fill(uint64_t *state, void *buf, size_t len)
{
	uint64_t at = *state, word;
	char *p = buf;

	for (; len >= sizeof(word); len -= sizeof(word), p += sizeof(word)) {
		word = rand_splitmix64(&at);
		memcpy(p, &word, sizeof(word));
	}
	if (len) {
		word = rand_splitmix64(&at);
		memcpy(p, &word, len);
	}
	*state = at;
}
