/* SPDX-License-Identifier: MIT */
/*
 * The sizes of I/Os, per direction: one size, a range, or a weighted list; and what random offsets
 * are aligned to.
 */
#ifndef CORE_SIZES_H
#define CORE_SIZES_H

#include "core/opt.h"
#include "lib/rand.h"

#define SIZES_SPLIT_MAX	64
#define SIZES_BYTES_MAX	(1ull << 32)

struct size_share {
	uint64_t bytes;
	double percent;
};

/* bssplit of one direction; count 0: not set. */
struct size_split {
	uint32_t count;
	struct size_share share[SIZES_SPLIT_MAX];
};

struct size_splits {
	struct size_split dir[DIRS];
};

/* Behind the directions: I/Os that continue others, where these have sizes of their own. */
#define SIZES_FOLLOWING	DIRS

/* What the sizes must know of the workload. */
struct sizes_need {
	bool random;
	bool follows;			/* some of its I/Os continue the one before all the same */
};

struct sizes_conf {
	struct per_dir bs;
	struct range_dirs bsrange;	/* lo 0: not set */
	struct size_splits split;
	uint32_t by_order;		/* bs_is_seq_rand */
	struct {
		uint64_t bs;
		struct range range;
		struct size_split split;
	} following;			/* bs 0: none; sizes_check() makes it */
	struct per_dir align;		/* blockalign; 0: the smallest block */
	uint32_t unaligned;		/* bsrange: any size, not only multiples of the smallest */
};

extern const struct opt_table sizes_options;

/* sizes_check - order ranges, settle bs_is_seq_rand. 0, or -EINVAL with a sentence in why. */
int sizes_check(struct sizes_conf *c, const struct sizes_need *need, char *why, size_t why_bytes);

/*
 * sizes_range - smallest and largest size of a direction, or of SIZES_FOLLOWING: bssplit beats
 * bsrange beats bs.
 */
struct range sizes_range(const struct sizes_conf *c, int dir);
/*
 * sizes_min, sizes_max - over the directions whose bits are set in dirs, and what continues them.
 */
uint64_t sizes_min(const struct sizes_conf *c, uint32_t dirs);
uint64_t sizes_max(const struct sizes_conf *c, uint32_t dirs);

/* The same, made ready for drawing. */
struct sizes {
	struct {
		uint64_t lo, hi;
		/* a size is lo plus step times a number below steps */
		uint64_t step, steps;
		uint32_t split;			/* entries in use; 0: not a weighted list */
		uint64_t bytes[SIZES_SPLIT_MAX];
		uint64_t upto[SIZES_SPLIT_MAX];	/* draws below it mean this entry */
	} dir[DIRS + 1];
	bool has_following;
};

void sizes_init(struct sizes *s, const struct sizes_conf *c);

/* sizes_draw - a size for one I/O of this direction, or of SIZES_FOLLOWING. The I/O path. */
uint64_t sizes_draw(const struct sizes *s, int dir, struct rand *r);

#endif
