/* SPDX-License-Identifier: MIT */
/*
 * A run before it runs: planned as in earnest, with what each job is going to do, what of its
 * settings is doubtful, and what would be refused. Nothing is made, written or locked.
 */
#ifndef CORE_PREVIEW_H
#define CORE_PREVIEW_H

#include "core/cli_flags.h"
#include "core/doubts.h"

struct preview_job {
	const struct section *section;
	const struct job *job;
	const struct plan_job *clones;	/* n of them */
	uint32_t n;
	bool planned;			/* else its run would be refused */
	struct doubt_facts facts;
	struct outlook outlook;
	struct doubt *doubts;
	size_t nr_doubts;
};

struct preview {
	struct plan plan;
	struct doubt_machine machine;
	struct preview_job *jobs;	/* one for each section */
	size_t count;
	const struct diag *parsed;	/* notes of the parser; NULL: told elsewhere */
	struct diag *refusals;		/* complaints: why it, or one of its jobs, would fail; and
					 * notes of the plan */
};

/*
 * preview_make - of jobs that have been parsed well. steps: I/Os that may be gone through to count
 * them, OUTLOOK_STEPS or 0. preview_free() afterwards; spec and jobs must outlive it.
 */
void preview_make(struct preview *p, const struct cli_flags *flags, const struct spec *spec,
		  const struct jobs *jobs, uint64_t steps);
void preview_free(struct preview *p);

/* preview_note - what would be refused, and what is hardly meant so, as notes into diag. */
void preview_note(const struct preview *p, struct diag *diag);

/* preview_origin - the setting a doubt is about, or the job where it is about none. */
struct origin preview_origin(const struct preview_job *j, const struct doubt *d);

#endif
