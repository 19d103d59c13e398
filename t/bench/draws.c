/* SPDX-License-Identifier: MIT */
/*
 * Does a random order repeat itself? Draws from the permutation of so many blocks and remembers
 * every block in a bit map, which for 2^31 blocks takes 256 MiB.
 *
 *	draws BLOCKS [COUNT]
 *
 * COUNT blocks from a place in the pass that the key decides, or the whole pass. Prints how many
 * were drawn, how many came twice, and the time of a draw in ns without the map. Fails if any came
 * twice.
 */
#define _GNU_SOURCE 1
#include "lib/permute.h"
#include "lib/rand.h"
#include "os/clock.h"

#include <stdio.h>
#include <stdlib.h>

/* The map is all over memory: its lines are asked for a few draws ahead. */
#define AHEAD	32u

static uint64_t repeats(const struct permute *p, uint64_t from, uint64_t count, uint64_t *map)
{
	uint64_t coming[AHEAD], twice = 0;

	for (uint64_t i = 0; i < count + AHEAD; i++) {
		uint64_t *next = &coming[i % AHEAD];

		if (i >= AHEAD) {
			uint64_t bit = 1ull << (*next & 63);

			twice += !!(map[*next >> 6] & bit);
			map[*next >> 6] |= bit;
		}
		if (i < count) {
			*next = permute_at(p, (from + i) % p->n);
			__builtin_prefetch(&map[*next >> 6], 1);
		}
	}
	return twice;
}

static double draw_ns(const struct permute *p, uint64_t count)
{
	uint64_t began = clock_ticks(), sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += permute_at(p, i);
	__asm__ volatile("" : : "r"(sum));
	return (double)clock_ns(clock_ticks() - began) / (double)count;
}

int main(int argc, char **argv)
{
	uint64_t blocks = argc > 1 ? strtoull(argv[1], NULL, 10) : 0, count = blocks;
	uint64_t *map, twice, key;
	struct permute p;

	if (argc > 2)
		count = strtoull(argv[2], NULL, 10);
	if (argc < 2 || argc > 3 || !blocks || !count || count > blocks) {
		fprintf(stderr, "usage: draws BLOCKS [COUNT]\n");
		return 2;
	}
	clock_init(CLOCK_USE_AUTO);
	key = clock_gettime_ns();
	map = calloc(blocks / 64 + 1, sizeof(*map));
	if (!map || permute_init(&p, blocks, key)) {
		fprintf(stderr, "draws: no memory for %llu blocks\n", (unsigned long long)blocks);
		return 1;
	}
	twice = repeats(&p, rand_mix64(key) % blocks, count, map);
	printf("%llu %llu %.1f\n", (unsigned long long)count, (unsigned long long)twice,
	       draw_ns(&p, fl_min(count, 1000000ull)));
	if (twice)
		fprintf(stderr, "draws: key %llu repeats itself\n", (unsigned long long)key);
	permute_free(&p);
	free(map);
	return twice ? 1 : 0;
}
