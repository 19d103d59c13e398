/* SPDX-License-Identifier: MIT */
/*
 * Whose turn it is: the choice of the next file among those that still have blocks in this pass.
 */
#ifndef CORE_TURNS_H
#define CORE_TURNS_H

#include "core/opt.h"
#include "lib/blockmap.h"
#include "lib/dist.h"
#include "lib/rand.h"

enum turns_kind { TURNS_ROUND_ROBIN, TURNS_RANDOM, TURNS_SEQUENTIAL, TURNS_DIST };

/* What file_service_type= said. */
struct turns_conf {
	uint32_t kind;			/* enum turns_kind */
	uint64_t run;			/* I/Os before the next choice */
	struct dist_conf dist;		/* TURNS_DIST: over the files in order */
};

extern const struct opt_table turns_options;

struct turns {
	const struct turns_conf *conf;
	uint32_t nr;			/* files */
	uint32_t file;			/* whose turn it is */
	uint64_t run_left;		/* I/Os it may still have in a row */
	uint32_t left;			/* files that are not done */
	struct blockmap *done;		/* NULL with a single file */
	struct dist dist;
	struct rand rand;
};

/*
 * turns_init - for nr files. Returns 0 or -ENOMEM; turns_free() in both cases.
 */
int turns_init(struct turns *t, const struct turns_conf *conf, uint32_t nr, uint64_t seed,
	       uint64_t stream);
void turns_free(struct turns *t);

/* turns_pass - all files have blocks again, except those turns_done() is told of. */
void turns_pass(struct turns *t);

/* turns_done - this file has no block left in this pass. */
void turns_done(struct turns *t, uint32_t file);

/* turns_next - the file of the next I/O. Returns false when all are done. The I/O path. */
bool turns_next(struct turns *t, uint32_t *file);

#endif
