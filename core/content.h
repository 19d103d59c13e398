/* SPDX-License-Identifier: MIT */
/*
 * What blocks hold of which a share is to compress, or is to be found elsewhere already: for
 * devices and file systems that compress and deduplicate.
 *
 * A write is cut into units of the smallest write block. A unit is unique or a duplicate of one
 * that was unique; its bytes follow from a number alone, the key of the job and how many unique
 * units it had made before. So a duplicate needs no memory of what was written, only that number,
 * and a working set of any size costs nothing. Of each hundred units in a row exactly the share
 * that was asked for are duplicates, in random order: what is claimed holds for short jobs, too.
 */
#ifndef CORE_CONTENT_H
#define CORE_CONTENT_H

#include "core/opt.h"
#include "lib/pattern.h"
#include "lib/rand.h"

/* dedupe_mode= */
enum content_mode { CONTENT_REPEAT = 0, CONTENT_WORKING_SET = 1 };

struct content_conf {
	uint32_t compress;		/* percent of each chunk that compresses to nothing */
	uint64_t chunk;			/* bytes; 0: the unit */
	uint32_t dedupe;		/* percent of the units that are duplicates */
	uint32_t mode;			/* enum content_mode */
	uint32_t working_set;		/* percent of the job's bytes: duplicates are of these */
	uint32_t global;		/* duplicates of what other jobs have written count, too */
};

extern const struct opt_table content_options;

/* content_on - is any of it asked for? */
fl_inline bool content_on(const struct content_conf *c)
{
	return c->compress || c->dedupe;
}

/* content_check - 0, or -EINVAL with a sentence in why. pattern: buffer_pattern, or NULL. */
int content_check(const struct content_conf *c, const struct pattern *pattern, char *why,
		  size_t why_bytes);

/* One job of those with dedupe_global, in memory that all of them see. */
struct content_source {
	uint64_t key;			/* set before the job makes its first unit */
	_Atomic uint64_t uniques;	/* units it may be asked for: it has made so many */
	uint64_t set;			/* at most so many: its working set */
};

/* All of them; of a run without dedupe_global there is none. */
struct content_shared {
	size_t count;
	struct content_source sources[];
};

/* content_shared_bytes - the size of one for so many jobs. */
fl_inline size_t content_shared_bytes(size_t jobs)
{
	return sizeof(struct content_shared) + jobs * sizeof(struct content_source);
}

/* Where the content of a job comes from; what must be known besides the options. */
struct content_use {
	uint64_t unit;			/* bytes of the smallest write block */
	uint64_t bytes;			/* of all files of the job */
	uint64_t seed;			/* of this job: no other has it */
	struct content_shared *shared;	/* of dedupe_global, or NULL */
	size_t number;			/* among its sources */
};

struct content {
	const struct content_conf *conf;
	const struct pattern *pattern;	/* of the part that compresses; NULL: zeroes */
	uint64_t unit, chunk;
	struct content_source own;	/* where there is no shared one */
	struct content_source *source;
	struct content_shared *shared;
	struct rand rand;
	uint32_t left, left_dups;	/* of the current hundred units */
};

/* content_init - conf and pattern must outlive it. */
void content_init(struct content *c, const struct content_conf *conf,
		  const struct pattern *pattern, const struct content_use *use);

/* content_fill - len bytes at buf become the next units; offset is that of %o in a pattern. */
void content_fill(struct content *c, void *buf, uint64_t len, uint64_t offset);

#endif
