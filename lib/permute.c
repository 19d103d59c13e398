/* SPDX-License-Identifier: MIT */
/* Setting up a keyed permutation; the drawing itself is inline in the header. */
#include "lib/permute.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/rand.h"

/* Streams of the key, so that table and round keys never share numbers. */
enum { STREAM_TABLE = 1, STREAM_ROUNDS = 2 };

/* The order of a single block. Shared: a job may have a million files that are no larger. */
static uint16_t table_of_one[1];

static void permute_shuffle(struct permute *p, uint64_t key)
{
	struct rand r;

	if (p->n == 1)
		return;
	rand_seed(&r, key, STREAM_TABLE);
	/* Inside-out: entry i is placed at a random spot among those already there. */
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t j = rand_below(&r, i + 1);

		p->table[i] = p->table[j];
		p->table[j] = i;
	}
}

static void permute_round_keys(struct permute *p, uint64_t key)
{
	struct rand r;

	rand_seed(&r, key, STREAM_ROUNDS);
	for (unsigned i = 0; i < PERMUTE_ROUNDS; i++) {
		p->add[i] = rand_u64(&r);
		p->mul[i] = rand_u64(&r) | 1;
	}
}

int permute_init_feistel(struct permute *p, uint64_t n, uint64_t key)
{
	unsigned bits;

	*p = (struct permute){ .n = n };
	if (n < 1 || n > PERMUTE_N_MAX)
		return -EINVAL;
	bits = n <= 2 ? 1 : 64 - __builtin_clzll(n - 1);
	/* At least one bit: a right half of none would leave the left one unmoved by position. */
	p->right_bits = fl_max(bits / 2, 1u);
	p->left = ((n - 1) >> p->right_bits) + 1;
	permute_round_keys(p, key);
	return 0;
}

int permute_init(struct permute *p, uint64_t n, uint64_t key)
{
	if (n < 1 || n > PERMUTE_TABLE_MAX)
		return permute_init_feistel(p, n, key);
	*p = (struct permute){ .n = n };
	p->table = n == 1 ? table_of_one : calloc(n, sizeof(*p->table));
	if (!p->table)
		return -ENOMEM;
	permute_shuffle(p, key);
	return 0;
}

void permute_rekey(struct permute *p, uint64_t key)
{
	if (p->table)
		permute_shuffle(p, key);
	else
		permute_round_keys(p, key);
}

void permute_free(struct permute *p)
{
	if (p->table != table_of_one)
		free(p->table);
	*p = (struct permute){ .n = 0 };
}
