/* SPDX-License-Identifier: MIT */
/*
 * What to say of an engine that is not to be found: misspelt, one of fio's, not built, or hidden by
 * a folder that cannot be read.
 */
#ifndef CORE_ENGINE_MISSING_H
#define CORE_ENGINE_MISSING_H

#include "lib/base.h"

/* engine_absent - the i-th engine of ours that this build lacks, or NULL. */
const char *engine_absent(size_t i);

/* engine_absent_explain - why it lacks it, and the way out, in why. */
void engine_absent_explain(size_t i, char *why, size_t why_bytes);

/* A search that has failed. */
struct engine_missing {
	const char *name;
	const char *near;		/* the nearest name there is, or NULL */
	char *const *folders;		/* where files of engines were looked for */
	size_t nr_folders;
	const char *closed;		/* one that could not be looked into, or NULL ... */
	int closed_err;			/* ... and why: -errno */
};

/* engine_missing_explain - one sentence or two in why. Returns -ENOENT, or closed_err. */
int engine_missing_explain(const struct engine_missing *m, char *why, size_t why_bytes);

#endif
