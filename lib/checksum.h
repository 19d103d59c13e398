/* SPDX-License-Identifier: MIT */
/*
 * Checksums of data by the libraries that are best at them, behind one interface.
 *
 * ISA-L, xxHash and libcrypto choose the fastest code of this CPU themselves, at run time. The two
 * that none of them has, crc16 and crc7, are tables of our own. What a build lacks stays in the
 * list, so that a message can name the package.
 */
#ifndef LIB_CHECKSUM_H
#define LIB_CHECKSUM_H

#include "lib/base.h"

#define CHECKSUM_BYTES_MAX	64	/* of the longest value: sha512, sha3-512 */

/* One kind of checksum. */
struct checksum_kind {
	const char *name;	/* "crc32c", "sha256" */
	unsigned bytes;		/* of its value */
	unsigned bits;		/* that differ in the value: 7 for crc7 */
	const char *library;	/* whose code computes it: "ISA-L 2.30", "our own table" */
	const char *package;	/* the Debian package this build lacks; NULL: it can be computed */
	const struct checksum_ops *ops;		/* NULL when package is not */
	const char *variant;	/* what ops want to know; "" mostly */
};

/* A sum being computed. One thread at a time; used over and over. */
struct checksum {
	const struct checksum_kind *kind;
	uint64_t value;		/* of those that fit in here */
	void *state;		/* of the library's, owned; NULL for the others */
};

/* checksum_at - the kinds by index, in the order of the manual; NULL behind the last. */
const struct checksum_kind *checksum_at(size_t i);

/* checksum_count - how many of them there are. */
size_t checksum_count(void);

/* checksum_by_name - the kind of this name, or NULL. Names are exact. */
const struct checksum_kind *checksum_by_name(const char *name);

/*
 * checksum_open - get ready to compute sums of a kind that this build has. Returns 0, -ENOMEM, or
 * -ENOTSUP where the library itself refuses (a hardened libcrypto may refuse md5).
 */
int checksum_open(struct checksum *c, const struct checksum_kind *kind);
void checksum_close(struct checksum *c);

/*
 * checksum_begin, checksum_add, checksum_end - the sum over pieces of data, in order. end writes
 * kind->bytes bytes, most significant byte first. Nothing can fail between open and close.
 */
void checksum_begin(struct checksum *c);
void checksum_add(struct checksum *c, const void *data, size_t bytes);
void checksum_end(struct checksum *c, uint8_t out[CHECKSUM_BYTES_MAX]);

#endif
