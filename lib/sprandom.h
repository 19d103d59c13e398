/* SPDX-License-Identifier: MIT */
/*
 * The order of writes that brings an empty SSD into the state which endless random writes would
 * bring it into, in one pass over its physical capacity.
 *
 * The model. A drive offers L bytes and has P = L (1 + op) bytes of flash, which it writes like a
 * log that goes round. Cleaning moves what is still valid, a share u of the oldest part; the rest
 * of each round, 1 - u, is written by the host, uniformly at random, so that each write makes any
 * one block invalid with probability 1/L. Of what lies x rounds behind the head, with 0 <= x <= 1,
 * there is therefore still valid
 *
 *	v(x) = exp(-lambda x),	lambda = (1 - u) (1 + op),	u = v(1).
 *
 * All that is valid together is L, which the same u makes true; it is a fixed point that iteration
 * reaches from 0. (J. Menon, "A performance comparison of RAID-5 and log-structured arrays", HPDC
 * 1995; P. Desnoyers, "Analytic models of SSD write performance", ACM Transactions on Storage
 * 10(2), 2014: the cleaning policy LRU.)
 *
 * The order. Physical capacity is cut into regions, in the order they are written. Region i is to
 * end with the mean of v over its distance from the head. So that share of what is written in it,
 * chosen at random, is left alone, and the rest is written once more in region i + 1, mixed with
 * blocks that come for the first time. Rewrites are chosen for a rewrite again like any other. At
 * the end each block has been written at least once, in random order, and each region is as valid
 * as the model says; the last one is left whole, as nothing comes after it.
 *
 * Blocks are numbers in a random permutation, which the caller has: "the k-th new one".
 */
#ifndef LIB_SPRANDOM_H
#define LIB_SPRANDOM_H

#include "lib/base.h"
#include "lib/rand.h"

#define SPRANDOM_REGIONS_MAX	65536u

/* What is to be made. */
struct sprandom_conf {
	uint64_t blocks;		/* logical capacity */
	uint32_t regions;		/* 2 to SPRANDOM_REGIONS_MAX */
	double op;			/* over-provisioning: 0 < op < 1 */
	uint64_t apart;			/* blocks between a write and its rewrite; 0: any number */
};

struct sprandom {
	struct rand rand;
	uint64_t seed, stream;
	uint64_t blocks, total;		/* writes of a pass */
	uint32_t regions;
	double lambda;
	double region_blocks;		/* physical, of each region; need not be whole */
	/* the region at hand */
	uint32_t region;
	uint64_t left;			/* writes of it */
	uint64_t again_left;		/* of them, rewrites */
	uint64_t choose_left;		/* writes of it still to be chosen for a rewrite */
	uint64_t fresh;			/* blocks that have come so far */
	uint64_t drawn;
	/* what was chosen in the region before, and is in this one; two halves that change roles */
	uint64_t *list[2];
	uint64_t room, count[2], at;
};

/*
 * sprandom_init - for this many blocks. Fewer regions are made where they would be shorter than
 * twice `apart`. Owns: two lists, together up to 16 bytes per block of a region.
 * Returns 0; -ERANGE: fewer than two regions are left, or no two blocks for each; -ENOMEM.
 */
int sprandom_init(struct sprandom *s, const struct sprandom_conf *c, uint64_t seed,
		  uint64_t stream);
void sprandom_free(struct sprandom *s);

/* sprandom_begin - a pass begins; pass: which random numbers it takes. */
void sprandom_begin(struct sprandom *s, uint64_t pass);

/* sprandom_next - the next block, < blocks; false: the pass is over. The I/O path. */
bool sprandom_next(struct sprandom *s, uint64_t *block);

/* sprandom_valid - what share of region i is valid at the end, as the model has it. */
double sprandom_valid(const struct sprandom *s, uint32_t region);

/* sprandom_fixed_point - u of the model: valid in the oldest part of the drive. */
double sprandom_fixed_point(double op);

#endif
