/* SPDX-License-Identifier: MIT */
/*
 * Bytes that repeat: what a write carries when a job names it, and what a read must find again.
 *
 * A pattern is written as pieces run together, `"abcd"-120xdeadface'file'%o`:
 *
 *	"text"	its bytes as they stand: no escapes, so no '"' inside
 *	'path'	the bytes of that file; no "'" inside
 *	0x...	hex digits of any number, in the order written; an odd number gets a 0 in front
 *	123	as few bytes as hold it, lowest first; up to 2^32-1
 *	-12	four bytes, lowest first; down to -2^31
 *	%o	the offset of the block that is filled, 8 bytes, lowest first
 *
 * `0x` always begins a new piece, so that -120xde is -12 and 0xde. Blanks between pieces mean
 * nothing.
 */
#ifndef LIB_PATTERN_H
#define LIB_PATTERN_H

#include "lib/arena.h"
#include "lib/base.h"
#include "lib/parse_err.h"
#include "lib/span.h"

/* A pattern is no longer than this. */
#define PATTERN_BYTES_MAX	((size_t)16 << 20)

/* What a text means. Everything in it belongs to the arena that it was made in. */
struct pattern {
	const unsigned char *bytes;	/* one period, zeroes where offsets go */
	size_t len;			/* bytes of it, 1 to PATTERN_BYTES_MAX */
	const size_t *offsets_at;	/* where in it each %o is, in rising order */
	size_t offsets;			/* how many */
};

/*
 * Where the bytes of a 'file' come from.
 *
 * load: returns 0 or positive with the first bytes of the file, at most max of them, in *bytes,
 * which the parser free()s, and their number in *len; or -errno.
 */
struct pattern_files {
	int (*load)(void *ctx, const char *path, size_t max, char **bytes, size_t *len);
	void *ctx;
};

/*
 * pattern_parse - compile text. The result lives as long as the arena does.
 * Returns 0, or -EINVAL with err filled (may be NULL; err->col counts from text.at) and *p
 * untouched.
 */
int pattern_parse(struct span text, const struct pattern_files *files, struct arena *arena,
		  struct pattern *p, struct parse_err *err);

/* pattern_moves - do the bytes depend on the offset of the block? */
fl_inline bool pattern_moves(const struct pattern *p)
{
	return p->offsets;
}

/*
 * pattern_fill - len bytes at buf become the pattern, over and over from its beginning; the last
 * repetition is cut. offset: of the block in the file, in bytes; the same in all repetitions.
 */
void pattern_fill(const struct pattern *p, void *buf, size_t len, uint64_t offset);

/*
 * pattern_check - does buf hold what pattern_fill() with the same len and offset would put there?
 * Returns the index of the first byte that differs; len if there is none.
 */
size_t pattern_check(const struct pattern *p, const void *buf, size_t len, uint64_t offset);

/*
 * pattern_check_from - the same for the len bytes at buf that stand `at` bytes behind the beginning
 * of the block.
 */
size_t pattern_check_from(const struct pattern *p, size_t at, const void *buf, size_t len,
			  uint64_t offset);

/* pattern_byte - what byte `at` of a block at this offset has to be, for messages. */
unsigned char pattern_byte(const struct pattern *p, size_t at, uint64_t offset);

#endif
