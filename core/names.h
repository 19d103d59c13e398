/* SPDX-License-Identifier: MIT */
/*
 * The names of a job's files: a list, the files below a folder, or made from a pattern.
 *
 * Made names are put together when needed and never stored, so that a million files cost no memory
 * for them. They are the same as fio's: a data set laid out by one is found by the other.
 */
#ifndef CORE_NAMES_H
#define CORE_NAMES_H

#include "lib/base.h"

#define NAMES_BYTES	4096	/* the longest path, with its NUL */

struct names_conf {
	const char *filename;		/* ':' list, "\:" is a colon; NULL: made */
	const char *directory;		/* ':' list; NULL: the current directory */
	const char *format;		/* of made names; NULL: $jobname.$jobnum.$filenum */
	const char *opendir;		/* the files below it; NULL: none */
	uint32_t nr;			/* nrfiles; 0: not given */
};

/* The names of one job (one clone). */
struct names {
	const struct names_conf *conf;
	const char *job;		/* name of the section */
	uint32_t clone;			/* number among the clones of the section */
	uint32_t nr;
	char **list;			/* nr of them; NULL: made */
	uint32_t nr_listed;		/* so many of the list lie in dir, those behind do not */
	char *dir;			/* folder of this clone, with its '/', or "" */
};

/*
 * names_init - which names there are. sized: the files are given a size, so that those found empty
 * below opendir are of use. Nothing is made. All pointers outlive *n.
 * Returns 0, or -errno with a sentence in why; names_free() in both cases.
 */
int names_init(struct names *n, const struct names_conf *conf, const char *job, uint32_t clone,
	       bool sized, char *why, size_t why_bytes);
/*
 * names_init_given - the same where the names come from elsewhere: get(ctx, i) gives those of nr
 * files. Of the options, only directory counts.
 */
int names_init_given(struct names *n, const struct names_conf *conf, uint32_t clone, uint32_t nr,
		     const char *(*get)(const void *ctx, uint32_t i), const void *ctx, char *why,
		     size_t why_bytes);
void names_free(struct names *n);

/* names_get - the path of file i into buf (NAMES_BYTES), cut off there. Returns buf. */
const char *names_get(const struct names *n, uint32_t i, char *buf);

/* names_folders - does the pattern of made names, or the job's name in it, lead into folders? */
bool names_folders(const struct names *n);

/* names_check - bounds of the options. 0, or -EINVAL with a sentence in why. */
int names_check(const struct names_conf *c, const char *job, char *why, size_t why_bytes);

#endif
