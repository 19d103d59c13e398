/* SPDX-License-Identifier: MIT */
/*
 * The language in which distributions of random I/O are written:
 *
 *	random | zipf[:THETA[:CENTER]] | pareto[:H[:CENTER]] | normal[:DEVIATION[:CENTER]]
 *	zoned:SHARE[/[SIZE]]:... | zoned_abs:SHARE/BYTES:...
 *	sequence:BLOCK,BLOCK,...
 *
 * A list `A,B,C` is one distribution each for reads, writes, trims; a part that begins with a digit
 * is more zones of the kind before it. A sequence is a list itself, so it is always for all.
 */
#ifndef LIB_DIST_PARSE_H
#define LIB_DIST_PARSE_H

#include "lib/dist.h"
#include "lib/parse_err.h"
#include "lib/span.h"

struct dist_confs {
	struct dist_conf dir[SPAN_DIRS];	/* read, write, trim; only [0] unless per_dir */
	bool per_dir;				/* the directions differ */
};

/*
 * dist_parse - read text. kb_base (1000 or 1024) is for the sizes of zoned_abs.
 *
 * Directions that are not written take the one before them. Left out: theta is 1.1, h 0.2, the
 * deviation (or 0) 100/12, sizes of zones an equal part each of what the others leave.
 * Owns: lists in *confs; release them with dist_confs_free().
 * Returns 0, -EINVAL with err filled (may be NULL) or -ENOMEM; *confs has nothing to free then.
 */
int dist_parse(struct span text, int kb_base, struct dist_confs *confs, struct parse_err *err);

/* dist_confs_free - give the lists back. Harmless on what is zeroed or freed. */
void dist_confs_free(struct dist_confs *confs);

#endif
