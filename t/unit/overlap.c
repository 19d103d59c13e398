/* SPDX-License-Identifier: MIT */
/*
 * The board of ranges in flight: what it lets pass is compared with a look at every slot, and it
 * outlives workers that are killed while they hold its lock.
 */
#include "core/overlap.h"
#include "lib/rand.h"
#include "t/test.h"

#include <time.h>

#define BLOCK 4096u

static struct overlap *board;
static uint32_t seen;

static void make_board(uint32_t slots, bool shared)
{
	int err = 0;

	board = overlap_new(slots, BLOCK, shared, &err);
	T_TRUE(board != NULL);
}

static bool claim(uint32_t slot, uint64_t file, uint64_t lo, uint64_t hi, bool write)
{
	const struct overlap_range r = { .file = file, .lo = lo, .hi = hi, .write = write };

	return overlap_claim(board, slot, &r, &seen);
}

TEST(what_overlaps)
{
	make_board(8, false);
	T_TRUE(claim(0, 1, 4096, 8192, true));
	T_TRUE(!claim(1, 1, 8191, 8192, false));
	T_TRUE(!claim(1, 1, 0, 4097, false));
	T_TRUE(claim(1, 1, 8192, 12288, false));	/* beside it */
	T_TRUE(claim(2, 1, 0, 4096, true));
	T_TRUE(claim(3, 2, 4096, 8192, true));		/* another file */
	T_TRUE(claim(4, 1, 9000, 10000, false));	/* reads do not mind each other */
	T_TRUE(!claim(5, 1, 9000, 10000, true));
	overlap_release(board, 1);
	T_TRUE(!claim(5, 1, 9000, 10000, true));
	overlap_release(board, 4);
	T_TRUE(claim(5, 1, 9000, 10000, true));
	overlap_clear(board, 0, 8);
	T_TRUE(claim(6, 1, 0, 1 << 20, true));
	overlap_release(board, 7);			/* nothing is up there */
	overlap_free(board);
}

TEST(ranges_longer_than_blocks)
{
	make_board(4, false);
	T_TRUE(claim(0, 1, 100000, 104096, false));
	T_TRUE(!claim(1, 1, 0, 1 << 30, true));
	T_TRUE(claim(1, 1, 0, 1 << 30, false));
	T_TRUE(!claim(2, 1, 500000, 500001, true));
	T_TRUE(claim(2, 2, 0, UINT64_MAX, true));
	T_TRUE(!claim(3, 2, UINT64_MAX - 1, UINT64_MAX, false));
	overlap_free(board);
}

/* Random ranges on few blocks, against a look at every slot. */
static void compare(uint32_t slots, bool shared, unsigned steps)
{
	struct overlap_range *up = calloc(slots, sizeof(*up));
	struct rand rand;
	unsigned clear_ones = 0;

	rand_seed(&rand, slots, shared);
	make_board(slots, shared);
	for (unsigned i = 0; i < steps; i++) {
		uint32_t slot = (uint32_t)rand_below(&rand, slots);
		uint64_t lo = rand_below(&rand, 4 * slots * BLOCK);
		uint64_t len = 1 + rand_below(&rand, i % 16 ? BLOCK : 10 * BLOCK);
		struct overlap_range r = {
			.file = rand_below(&rand, 2), .lo = lo, .hi = lo + len,
			.write = rand_below(&rand, 2),
		};
		bool clear = true;

		if (up[slot].hi) {
			overlap_release(board, slot);
			up[slot].hi = 0;
			continue;
		}
		for (uint32_t k = 0; k < slots; k++)
			clear &= !up[k].hi || !overlap_conflict(&up[k], &r);
		T_EQ(overlap_claim(board, slot, &r, &seen), clear);
		if (clear)
			up[slot] = r;
		clear_ones += clear;
	}
	T_TRUE(clear_ones > steps / 8 && clear_ones < steps);
	overlap_free(board);
	free(up);
}

TEST(random_ranges)
{
	compare(2, false, 20000);
	compare(64, false, 50000);
	compare(64, true, 50000);
	compare(1000, true, 50000);
}

/* ---- Many slots ------------------------------------------------------------------------------ */

/* A claim looks at what may be near, not at every slot: of a million, all may be up. */
TEST(a_million_slots)
{
	const uint32_t slots = 1 << 20;

	make_board(slots, true);
	for (uint32_t i = 0; i < slots; i++)
		T_TRUE(claim(i, 7, (uint64_t)i * BLOCK, (uint64_t)(i + 1) * BLOCK, true));
	for (uint32_t i = 0; i < slots; i++)
		overlap_release(board, i);
	for (uint32_t i = 0; i < slots; i++)
		T_TRUE(claim(slots - 1 - i, 7, (uint64_t)i * BLOCK + 512,
			     (uint64_t)(i + 1) * BLOCK + 512, true));
	overlap_release(board, 0);
	T_TRUE(!claim(0, 7, BLOCK, BLOCK + 513, false));
	overlap_free(board);
}

/* ---- Killed ---------------------------------------------------------------------------------- */

static void claim_for_ever(uint32_t slot)
{
	for (uint64_t i = 0; ; i++)
		if (claim(slot, 1, i % 7 * 1000, i % 7 * 1000 + 5000, i % 3))
			overlap_release(board, slot);
}

TEST(killed_with_the_lock)
{
	make_board(16, true);
	for (int round = 0; round < 200; round++) {
		struct timespec nap = { 0, 100000 + rand() % 200000 };
		pid_t pid[2];

		for (uint32_t i = 0; i < 2; i++) {
			pid[i] = fork();
			if (!pid[i])
				claim_for_ever(i);
		}
		nanosleep(&nap, NULL);
		for (uint32_t i = 0; i < 2; i++) {
			T_EQ(kill(pid[i], SIGKILL), 0);
			T_EQ(waitpid(pid[i], NULL, 0), pid[i]);
		}
		overlap_clear(board, 0, 2);
		T_TRUE(claim(2, 1, 0, 1 << 20, true));	/* nothing is left up */
		T_TRUE(!claim(3, 1, 4000, 4001, false));
		overlap_release(board, 2);
		T_TRUE(claim(3, 1, 4000, 4001, false));
		overlap_release(board, 3);
	}
	overlap_free(board);
}
