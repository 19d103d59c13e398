/* SPDX-License-Identifier: MIT */
/*
 * Judging what was read, block by block. A checker has all it needs to itself, so that each thread
 * of verify_async can have one; what must be there comes with each read, as marks.
 */
#ifndef CORE_CHECKER_H
#define CORE_CHECKER_H

#include "core/files.h"
#include "core/marks.h"
#include "core/verify.h"

#define CHECKER_TEXT_BYTES	(FILES_NAME_BYTES + 512)

/* What a checker is told. All pointers outlive it. */
struct checker_setup {
	const struct verify_conf *conf;
	const struct file_set *files;
	uint64_t seed;
	uint32_t job;			/* number of the job in the run */
};

struct checker {
	struct checker_setup s;
	struct checksum sum;
	bool any_key, any_number;	/* not checked */
	void *scratch;			/* of one unit */
	/* of the last read */
	uint64_t blocks, wrong;		/* that were checked, that were wrong */
	char why[CHECKER_TEXT_BYTES];	/* about the first wrong one */
};

/*
 * checker_init - Returns 0, or -errno with a sentence in why. checker_free() in both cases; a
 * zeroed one is fine, too.
 */
int checker_init(struct checker *c, const struct checker_setup *s, char *why, size_t why_bytes);
void checker_free(struct checker *c);

/* What was read. */
struct checker_read {
	const void *buf;		/* len bytes */
	uint64_t offset, len;
	uint32_t file;			/* index */
	const uint32_t *marks;		/* of its units; NULL: the job has not written them */
	uint64_t last;			/* number of the last write, for mark_number() */
};

/* checker_check - judge it. Returns 0; or -EILSEQ, with a sentence in c->why. */
int checker_check(struct checker *c, const struct checker_read *r);

/*
 * checker_size - of a block with so many bytes left in its I/O. Only the one that ends with the
 * file can be shorter than the others. Returns false if that has no room for a header: nothing is
 * known of it.
 */
bool checker_size(const struct verify_conf *c, struct vblock *b, uint64_t left);

#endif
