/* SPDX-License-Identifier: MIT */
/*
 * The order of random I/O within a file: which block comes next.
 *
 * Each block once per pass: a keyed permutation where all I/Os have one size (memory does not grow
 * with the file), a map of used blocks where sizes vary. Or without regard to earlier ones: every
 * block equally likely, or by a distribution.
 */
#ifndef CORE_ORDER_H
#define CORE_ORDER_H

#include "core/opt.h"
#include "lib/blockmap.h"
#include "lib/dist_parse.h"
#include "lib/permute.h"
#include "lib/sprandom.h"

#define ORDER_MAP_BYTES_MAX	(128ull << 20)	/* a map that takes more is refused */
#define ORDER_NONE		UINT64_MAX

/* sprandom=1 and its parameters. */
struct spr_conf {
	uint32_t on, regions;
	double op;			/* over-provisioning */
	uint64_t cache;			/* bytes */
};

struct order_conf {
	struct dist_confs dist;
	const char *dist_text;		/* random_distribution as it was given; NULL: it was not */
	uint32_t stride;		/* sequence: the base moves on after each round */
	uint32_t norandommap;
	uint32_t soft;			/* softrandommap: do without a map that is too large */
	uint32_t generator;		/* enum order_generator */
	struct per_dir percent;		/* percentage_random */
	struct spr_conf spr;
};

enum order_generator { ORDER_TAUSWORTHE, ORDER_LFSR, ORDER_TAUSWORTHE64 };

extern const struct opt_table order_options;

/* order_check - 0, or -EINVAL with a sentence in why. */
int order_check(struct order_conf *c, char *why, size_t why_bytes);

enum order_kind {
	ORDER_PERMUTED,			/* one permutation for all directions */
	ORDER_EACH,			/* one per direction: each has one size, but they differ */
	ORDER_MAP,			/* sizes vary: used blocks are remembered */
	ORDER_FREE,			/* no regard to earlier ones */
	ORDER_DIST,			/* the same, by a distribution */
	ORDER_SPRANDOM,			/* one permutation, some of it twice: lib/sprandom.h */
};

/* What the order depends on besides its options. */
struct order_need {
	bool fixed;			/* all I/Os have one size */
	bool fixed_each;		/* all I/Os of a direction have one size */
	bool overlap;			/* blockalign: I/Os of different blocks can overlap */
	bool often;			/* new orders begin all the time: that must be cheap */
	/* bytes of a block: what offsets of a direction are multiples of */
	uint64_t unit[DIRS];
	uint64_t seed, stream;
};

/* Which kind of order these options and this need make. */
enum order_kind order_kind(const struct order_conf *c, const struct order_need *need);

/*
 * order_map_bytes - memory of the map of a file of so many bytes; 0 if the order needs none. The
 * plan refuses what is above ORDER_MAP_BYTES_MAX.
 */
uint64_t order_map_bytes(const struct order_conf *c, const struct order_need *need, uint64_t bytes);

/*
 * order_fits - do the distributions make sense for a file of so many bytes? 0, -ERANGE (a zone or a
 * number of a sequence lies beyond it, or it has too few blocks for the regions of sprandom) or
 * -ENOMEM.
 */
int order_fits(const struct order_conf *c, const struct order_need *need, uint64_t bytes);

/* Distributions are made once for each size of file that occurs. */
struct order_dist {
	uint64_t bytes;			/* of the file */
	struct dist dir[DIRS];
	struct order_dist *next;
};

/* Of one worker. */
struct order {
	enum order_kind kind;
	bool often;
	struct rand rand, rand_percent;
	const struct order_conf *conf;
	uint64_t unit[DIRS];
	uint64_t key;
	struct order_dist *dists;
};

/* Of one file. */
struct order_file {
	uint64_t blocks[DIRS];		/* whole units that fit, per direction */
	/* of the permutations in this pass; ORDER_PERMUTED has the first */
	uint64_t drawn[DIRS];
	struct permute *perms;		/* nr_perms of them, ORDER_EACH: one per direction */
	uint32_t nr_perms;		/* 0: at most one block, nothing to permute */
	struct blockmap *map;
	struct order_dist *dist;
	struct sprandom *spr;
};

void order_init(struct order *o, const struct order_conf *c, const struct order_need *need);
void order_free(struct order *o);

/*
 * order_file_init - for the index-th file, of which the job uses so many bytes. Returns 0, -ENOMEM,
 * or -ERANGE (a zone or a number of a sequence lies beyond the file).
 */
int order_file_init(struct order *o, struct order_file *f, uint64_t bytes, uint32_t index);
void order_file_free(struct order_file *f);

/* order_amount - bytes that a pass over a file of `bytes` moves: more where blocks come twice. */
uint64_t order_amount(const struct order *o, const struct order_file *f, uint64_t bytes);

/* order_pass - another order for the pass-th pass, all blocks unused. */
void order_pass(struct order *o, struct order_file *f, uint32_t index, uint64_t pass);

/* order_general - order_draw() for all kinds but the permutation. */
uint64_t order_general(struct order *o, struct order_file *f, int dir);

/*
 * order_draw - the block of the next I/O, in units of its direction; ORDER_NONE: all have been used
 * in this pass. The I/O path.
 */
fl_inline uint64_t order_draw(struct order *o, struct order_file *f, int dir)
{
	if (o->kind == ORDER_FREE && likely(f->blocks[dir]))
		return rand_below(&o->rand, f->blocks[dir]);
	if (unlikely(o->kind != ORDER_PERMUTED))
		return order_general(o, f, dir);
	if (unlikely(f->drawn[0] >= f->blocks[0]))
		return ORDER_NONE;
	if (unlikely(!f->perms))
		return f->drawn[0]++;	/* the only block */
	return permute_at(f->perms, f->drawn[0]++);
}

/*
 * order_is_done - will order_draw() say ORDER_NONE, for every direction? Known of the permutation
 * alone; a file without random order is never done.
 */
fl_inline bool order_is_done(const struct order *o, const struct order_file *f)
{
	return o->kind == ORDER_PERMUTED && f->blocks[0] && f->drawn[0] >= f->blocks[0];
}

/*
 * order_use - an I/O of count blocks begins at this one, which order_draw() gave. Returns how many
 * it may have: a map cuts it short where it meets a used block.
 */
uint64_t order_use(struct order *o, struct order_file *f, uint64_t block, uint64_t count);

/* order_random_now - percentage_random: is this I/O a random one? */
bool order_random_now(struct order *o, int dir);

#endif
