/* SPDX-License-Identifier: MIT */
/*
 * A verified block: what a write puts into it, and what is wrong with one that was read.
 *
 * A write is cut into blocks of one size, each complete in itself: a header that names the block
 * and the write, and a payload. doc/verify-format.md has the bytes. Header and payload follow from
 * (key, offset, write number), so that any block can be made again: a wrong one is compared byte by
 * byte with what it should be.
 *
 * The payload identifies itself: every 8 bytes of it are a scrambled counter that begins at a value
 * made of block and write number, and the scrambling can be undone. So each word of a wrong block
 * tells which write of which block it belongs to, and the diagnosis is read off the data.
 */
#ifndef LIB_VBLOCK_H
#define LIB_VBLOCK_H

#include "lib/base.h"
#include "lib/checksum.h"
#include "lib/pattern.h"

#define VBLOCK_MAGIC		0x4256534cu	/* "LSVB" in memory */
#define VBLOCK_HEADER_BYTES	56u	/* without the checksum */
#define VBLOCK_HEADER_MAX	(VBLOCK_HEADER_BYTES + CHECKSUM_BYTES_MAX)
#define VBLOCK_BYTES_MAX	(1u << 31)

/* How the blocks of a job look. */
struct vblock {
	uint32_t bytes;			/* of a block: at least vblock_header_bytes() */
	uint32_t header_at;		/* where in it the header begins */
	bool header;			/* false: payload only (verify=pattern) */
	const struct checksum_kind *sum;	/* of the payload; NULL: it is not checked */
	const struct pattern *pattern;	/* NULL: the payload identifies itself */
	bool compare;			/* without a sum: payload and pattern are compared */
	uint32_t pattern_bytes;		/* it begins anew every so many bytes; 0: with the block */
	uint32_t zeroes;		/* without a pattern: so many of its last bytes are zero */
	uint64_t key;			/* of this job and file: two that differ never agree */
	uint32_t job;
};

/* The block that is meant. */
struct vblock_id {
	uint64_t offset;		/* in the file, a multiple of bytes plus any base */
	/* of the write, from 1; its low 32 bits are compared; as expected: 0 means any */
	uint64_t number;
	uint64_t time_ns;		/* when it was made; not compared */
};

/* vblock_header_bytes - of the header with this sum (NULL: none). */
uint32_t vblock_header_bytes(const struct checksum_kind *sum);

/*
 * vblock_fill - make the block at buf: b->bytes bytes, any alignment. sum: open for b->sum; unused
 * where that is NULL.
 */
void vblock_fill(const struct vblock *b, struct checksum *sum, void *buf,
		 const struct vblock_id *id);

/* What is wrong with a block. */
enum vblock_wrong {
	VBLOCK_RIGHT = 0,
	VBLOCK_NO_HEADER,		/* no magic where the header should be */
	VBLOCK_BAD_HEADER,		/* its own sum does not fit it */
	VBLOCK_BAD_LENGTH,		/* of another block size, or another kind of sum */
	VBLOCK_BAD_OFFSET,		/* it names another place */
	VBLOCK_BAD_KEY,			/* of another job or file, or a run with another seed */
	VBLOCK_BAD_NUMBER,		/* it names another write */
	VBLOCK_BAD_PAYLOAD,		/* the payload does not fit its sum, or its pattern */
};

/*
 * vblock_check - is the block at buf what it should be? any_key: key and job are not
 * compared (data of a run that is not known). Returns what is wrong first.
 */
enum vblock_wrong vblock_check(const struct vblock *b, struct checksum *sum, const void *buf,
			       const struct vblock_id *id, bool any_key);

/*
 * vblock_header_id - what the header at buf says of its block, if it is a valid one of this kind.
 * Returns true with *id and *key (whose block it is), or false.
 */
bool vblock_header_id(const struct vblock *b, const void *buf, struct vblock_id *id,
		      uint64_t *key);

/* What became of a wrong block. */
enum vblock_cause {
	VBLOCK_STALE,			/* an older version of this block */
	VBLOCK_NEWER,			/* a later one */
	VBLOCK_MISPLACED,		/* another block, or this one shifted */
	VBLOCK_TORN,			/* part of it right, part older, zeros or misplaced */
	VBLOCK_ZEROS,
	VBLOCK_DAMAGED,			/* right but for a few bytes */
	VBLOCK_FOREIGN,			/* a verified block of another file or run */
	VBLOCK_NOISE,			/* nothing of ours */
};

struct vblock_diagnosis {
	enum vblock_cause cause;
	uint32_t first;			/* the first wrong byte of the block */
	uint32_t wrong;			/* how many bytes are wrong */
	uint8_t expected, found;	/* of the first */
	uint32_t right_from, right_to;	/* torn: the longest right part */
	uint64_t number;		/* of the write found, where it is known; else 0 */
	uint64_t offset;		/* misplaced: where the data found belongs */
	bool own;			/* misplaced: it is this block itself, shifted */
	int64_t shift;			/* misplaced: by so many bytes, within the block; 0 */
};

/*
 * vblock_diagnose - look closely at a block that vblock_check() found wrong. id->number 0: the
 * number in its header is believed, if that is valid. scratch: b->bytes bytes; afterwards it holds
 * the block as it should be. Time of its order is that of making a block; never on a clean path.
 */
void vblock_diagnose(const struct vblock *b, struct checksum *sum, const void *buf,
		     const struct vblock_id *id, void *scratch, struct vblock_diagnosis *d);

/* vblock_pattern - is all of it but the header what b->pattern says? offset: of the block. */
bool vblock_pattern(const struct vblock *b, const void *buf, uint64_t offset);

/*
 * vblock_newer - can the block at buf be what write id->number left, replaced since by later writes
 * of the same block, in whole or in part? Parts may be cut off anywhere. Bytes that no such write
 * has made do not pass, however few: of an older version, of another block, zeroes.
 */
bool vblock_newer(const struct vblock *b, const void *buf, const struct vblock_id *id,
		  bool any_key);

/*
 * vblock_tell - the diagnosis in words, without a full stop: "stale: the block as write 17 left
 * it, not write 42". Cut off at n bytes; returns buf.
 */
const char *vblock_tell(const struct vblock_diagnosis *d, const struct vblock_id *id, char *buf,
			size_t n);

/* vblock_wrong_text - what is wrong in words: "the header names another place". */
const char *vblock_wrong_text(enum vblock_wrong wrong);

#endif
