/* SPDX-License-Identifier: MIT */
/*
 * The state of a verifying job, as text: which of its writes have completed, and which are on the
 * medium because an fsync said so. A later run goes by it to tell lost data from data that nobody
 * had promised yet.
 *
 *	fio-like verify state 1
 *	name NAME
 *	job NUMBER
 *	seed NUMBER
 *	unit BYTES
 *	issued NUMBER
 *	inflight NUMBER NUMBER ...
 *	promised FILE NUMBER
 *	end HASH
 *
 * Records may follow one another (a log, a console): the last whole one counts. The hash is over
 * all bytes from "fio-like" to the newline before "end", so a record that was cut off is none.
 */
#ifndef LIB_VSTATE_H
#define LIB_VSTATE_H

#include "lib/parse_err.h"
#include "lib/span.h"
#include "lib/strbuf.h"

#define VSTATE_LIST_MAX		(1u << 20)	/* entries of a list; more is an error */

struct vstate_promise {
	uint32_t file;			/* number among those of the job */
	uint64_t upto;			/* writes to it up to this number are on the medium */
};

struct vstate {
	char name[128];			/* for people; cut off */
	uint32_t job;			/* number of the job in its run */
	uint64_t seed;
	uint32_t unit;			/* bytes of a block */
	uint64_t issued;		/* number of the last write handed out */
	uint64_t *inflight;		/* those of them that have not completed, ascending */
	size_t nr_inflight;
	struct vstate_promise *promised;	/* ascending by file; files not named: nothing */
	size_t nr_promised;
};

/* vstate_write - append a record. */
void vstate_write(const struct vstate *s, struct strbuf *out);

/*
 * vstate_read - the last whole record of a text. Returns 0 with *s to be freed by vstate_free(), or
 * -EINVAL with err->text, a sentence.
 */
int vstate_read(struct span text, struct vstate *s, struct parse_err *err);
void vstate_free(struct vstate *s);

/* vstate_in_flight - is this write one of those that have not completed? */
bool vstate_in_flight(const struct vstate *s, uint64_t number);

/* vstate_promised - up to which number the writes to a file are on the medium; 0: none. */
uint64_t vstate_promised(const struct vstate *s, uint32_t file);

#endif
