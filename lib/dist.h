/* SPDX-License-Identifier: MIT */
/*
 * Where random I/O goes when not every block is equally likely: zipf, pareto, normal, zones, and
 * plain lists of blocks.
 *
 * All the shaped distributions are drawn in one way. The ranks [0, n) are cut into a few hundred
 * pieces within which the probability hardly changes. A draw picks a piece (by an alias table: one
 * multiplication, one comparison; M. Vose, IEEE TSE 1991), then a rank of it uniformly, and accepts
 * that rank with the ratio of its probability to the piece's highest. Whatever lies below the
 * piece's lowest ratio, 15 draws of 16, is accepted without computing anything. So pow() and exp()
 * are rarely met, and yet the result is exact for every n and parameter (zipf's theta = 1 needs no
 * special care), and no sum over n terms is ever taken. Zones are pieces that accept all.
 *
 * zipf and pareto speak of ranks, the most popular first. A keyed permutation spreads the ranks
 * over the blocks, one to one, so that popular blocks are not neighbours.
 */
#ifndef LIB_DIST_H
#define LIB_DIST_H

#include "lib/base.h"
#include "lib/permute.h"
#include "lib/rand.h"

#define DIST_ZONES_MAX		256
#define DIST_SEQUENCE_MAX	65536
#define DIST_PIECES_MAX		1024

#define DIST_CENTER_DEFAULT	(-1.0)	/* 1/2 for normal, a random block for zipf and pareto */
#define DIST_ZIPF_THETA		1.1
#define DIST_ZIPF_THETA_MAX	100.0
#define DIST_PARETO_H		0.2
#define DIST_NORMAL_DEV		(100.0 / 12)	/* what a mean of 12 uniform draws has */
#define DIST_NORMAL_DEV_MIN	1e-6

enum dist_kind {
	DIST_UNIFORM,
	DIST_ZIPF,		/* rank k (from 0) has probability ~ (k + 1)^-theta */
	DIST_PARETO,		/* self-similar: 1 - h of all draws fall on the first h n ranks */
	DIST_NORMAL,		/* a bell, cut off at both ends of the file */
	DIST_ZONED,		/* shares of the draws for zones sized in percent */
	DIST_ZONED_ABS,		/* ... in bytes */
	DIST_SEQUENCE,		/* these blocks in turn */
};

/* One zone: it begins where the zone before it ends. */
struct dist_zone {
	double share;		/* percent of all draws; all zones together have 100 */
	double size_percent;	/* DIST_ZONED: percent of the blocks; together at most 100 */
	uint64_t size_bytes;	/* DIST_ZONED_ABS */
};

/* What a user asked for. */
struct dist_conf {
	enum dist_kind kind;
	double param;		/* zipf: theta >= 0; pareto: 0 < h < 1; normal: deviation, % of n */
	double center;		/* 0 to 1: where the most likely block is; or DIST_CENTER_DEFAULT */
	bool in_order;		/* zipf, pareto: ranks are not spread; to choose among files */
	bool stride;		/* sequence: after each round all numbers grow by their count */
	uint32_t count;		/* of zones or of sequence */
	struct dist_zone *zones;
	uint64_t *sequence;
};

struct dist_piece {
	uint64_t keep;		/* alias table: below it the piece itself is meant, else ... */
	uint64_t sure;		/* draws up to this are accepted at once, in 2^-64 */
	uint64_t lo, width;	/* the ranks [lo, lo + width) */
	double peak;		/* the largest weight of a rank in it */
	uint32_t alias;		/* ... this one */
};

struct dist {
	enum dist_kind kind;
	uint32_t count;			/* pieces, or numbers of the sequence */
	uint64_t n;
	struct dist_piece *pieces;
	struct permute perm;		/* n == 0: ranks are not spread */
	uint64_t shift;			/* added to every block, modulo n */
	double param;			/* theta; exponent of pareto's CDF; deviation in blocks */
	double mean;			/* normal, in blocks */
	const uint64_t *sequence;	/* the conf's */
	uint32_t at;			/* next of the sequence */
	uint64_t base, base_step;	/* of a sequence with stride, both < n */
};

/*
 * dist_init - set up draws from [0, n).
 *
 * 1 <= n <= PERMUTE_N_MAX. block_bytes > 0 is what DIST_ZONED_ABS counts in; zones that reach past
 * the end are cut. seedsource gives the spread and the random center; equal states give equal
 * distributions. conf must hold the bounds named there (the parser sees to it); its sequence is
 * borrowed until dist_free(). A zone smaller than a block is the block it begins in.
 * Owns: up to 48 KiB of pieces, and a permutation as permute_init(). Costs up to 1 ms.
 * Returns 0, -EINVAL (n), -ERANGE (a zone of DIST_ZONED_ABS that has draws begins at or behind the
 * end, or a number of the sequence is there) or -ENOMEM; on failure there is nothing to free.
 */
int dist_init(struct dist *d, const struct dist_conf *conf, uint64_t n, uint64_t block_bytes,
	      struct rand *seedsource);

/*
 * dist_draw - the next block, < n. For the I/O path: no allocation, no division.
 * One thread at a time per struct when it is a sequence; others only move *r.
 */
uint64_t dist_draw(struct dist *d, struct rand *r);

/* dist_rewind - a sequence begins anew; others have nothing to forget. For the next pass. */
void dist_rewind(struct dist *d);

/* dist_free - give memory back. Harmless on a struct that is zeroed or freed. */
void dist_free(struct dist *d);

#endif
