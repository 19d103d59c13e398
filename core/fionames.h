/* SPDX-License-Identifier: MIT */
/*
 * What fio has and we don't, by name, so that a job file written for fio is refused for the right
 * reason: "not supported yet" is another message than "no such option".
 */
#ifndef CORE_FIONAMES_H
#define CORE_FIONAMES_H

#include "lib/base.h"

/* fionames_has - is this an option of fio or of one of its engines? '-' equals '_'. */
bool fionames_has(const char *name);

/*
 * fionames_no_effect - is this accepted for the sake of old job files and command lines, without
 * doing anything? Then *why is the reason, half a sentence.
 */
bool fionames_no_effect(const char *name, const char **why);

/*
 * fionames_explain - the sentence for an option that has no row. nearest: the most similar name
 * that has one, or NULL.
 * Returns 1 with a note in why for a name without effect, else -EINVAL with a complaint.
 */
int fionames_explain(const char *name, const char *nearest, char *why, size_t why_bytes);

/*
 * fionames_foreign - whose option is this, if it can never be one of ours: the words go behind
 * "belongs to" ("fio's engine rdma"). NULL: it is none of these.
 */
const char *fionames_foreign(const char *name);

/* fionames_at - all names that fionames_has() knows, in order; NULL behind the last. */
const char *fionames_at(size_t i);

/*
 * fionames_refuse - the sentence for an option of fio that has no row, into why: where it belongs,
 * or that it is not supported yet.
 */
void fionames_refuse(const char *name, char *why, size_t why_bytes);

enum fioname_value {
	FIONAME_ALONE,
	FIONAME_VALUE,
	FIONAME_MAYBE,			/* only behind '=' */
	FIONAME_WORD,			/* behind '=', or the next argument if it is no option */
};

/* A flag of fio's command line that we refuse. */
struct fioname_flag {
	const char *name;		/* without the -- */
	enum fioname_value value;
	const char *why;		/* as a sentence; NULL: it is still to come */
};

/* fionames_flag - these flags by index; NULL behind the last. */
const struct fioname_flag *fionames_flag(size_t i);

#endif
