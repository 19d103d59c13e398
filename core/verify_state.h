/* SPDX-License-Identifier: MIT */
/*
 * Where the states of verifying jobs are kept: local-JOB-NUMBER-verify.state in --aux-path, written
 * by the parent when a job has ended, in whatever way; and verify_state_file, written by the worker
 * itself after each fsync, for what no parent survives.
 */
#ifndef CORE_VERIFY_STATE_H
#define CORE_VERIFY_STATE_H

#include "core/observer.h"
#include "lib/vstate.h"

extern const struct observer verify_state;

/*
 * verify_state_keep - write the state of a job to its file, if it has one, as it is just now. The
 * worker may be at work: what it completes meanwhile may be left out.
 */
void verify_state_keep(const struct observed *run, size_t job);

/* What a state is of. */
struct verify_state_of {
	const char *name;		/* of the job */
	uint32_t job;			/* its number in the run */
	uint32_t unit;
	const char *aux_path;		/* --aux-path; NULL: the current directory */
};

/*
 * verify_state_load - read the state of a job. path: verify_state_file, or NULL for the parent's
 * file. Returns 0 with *s for vstate_free(), or -errno with a sentence in why.
 */
int verify_state_load(const struct verify_state_of *of, const char *path, struct vstate *s,
		      char *why, size_t why_bytes);

/*
 * verify_state_append - add a record to verify_state_file and wait until it is on the medium, where
 * there is one. A regular file that has grown long is begun anew beside it and put in its place.
 * Returns 0 or -errno.
 */
int verify_state_append(const struct verify_state_of *of, const char *path,
			const struct frontier *f);

#endif
