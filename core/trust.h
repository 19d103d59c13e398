/* SPDX-License-Identifier: MIT */
/*
 * What a result is worth: the findings of a run, and the grade that follows from them.
 *
 * A finding says in one sentence why a number may not mean what its reader thinks, with the
 * evidence as numbers, and what to do about it. Any observer may add some, at the latest in its
 * finish(). The grade is final once finish() of all observers has run, so reports and status() may
 * ask for it. doc/trust.md explains every finding by its id.
 */
#ifndef CORE_TRUST_H
#define CORE_TRUST_H

#include "lib/base.h"

/* The worst severity of all findings is the grade. */
enum trust_grade {
	TRUST_OK,			/* of a finding: a note, which changes no grade */
	TRUST_DOUBTFUL,			/* the numbers are right, but may mean something else */
	TRUST_INVALID,			/* something else was measured than was asked for */
};

#define TRUST_RUN		SIZE_MAX	/* in place of a job: the whole run */
#define TRUST_NUMBERS_MAX	6
#define TRUST_TEXT_BYTES	224
#define TRUST_FIX_BYTES		128
#define TRUST_FINDINGS_MAX	1024	/* further ones count for the grades only */

/* One number of the evidence. The name ends in its unit: "unwritten_percent", "dirty_bytes". */
struct trust_number {
	const char *name;		/* lives as long as the program */
	double value;
};

struct trust_finding {
	const char *id;			/* as in doc/trust.md: "unwritten"; lives as long */
	enum trust_grade severity;
	size_t job;			/* place in the crew, or TRUST_RUN */
	char text[TRUST_TEXT_BYTES];	/* a sentence without a full stop */
	char fix[TRUST_FIX_BYTES];	/* what to do: an option, or a few words; "": nothing */
	struct trust_number numbers[TRUST_NUMBERS_MAX];
	unsigned nr_numbers;
};

/* All findings of a run, in the order they were made. All zero: none. */
struct trust {
	struct trust_finding *list;
	size_t count;
	enum trust_grade worst;
	enum trust_grade of_run;	/* the worst of those that are of no job */
	uint8_t *of_job;		/* the worst of each job: enum trust_grade */
	size_t nr_jobs;			/* of them there is room for */
	size_t dropped;			/* findings beyond TRUST_FINDINGS_MAX, or without memory */
};

/*
 * trust_add - one more finding; job: place in the crew, or TRUST_RUN. Its text is cut off to fit.
 * Returns it for trust_fix() and trust_number(), valid until the next call; never NULL.
 */
struct trust_finding *trust_add(struct trust *t, const char *id, enum trust_grade severity,
				size_t job, const char *fmt, ...) fl_printf(5, 6);
/* trust_fix - what to do about it. Returns f. */
struct trust_finding *trust_fix(struct trust_finding *f, const char *fmt, ...) fl_printf(2, 3);
/* trust_number - one number of its evidence; at most TRUST_NUMBERS_MAX. Returns f. */
struct trust_finding *trust_number(struct trust_finding *f, const char *name, double value);

/*
 * trust_grade_of - the grade of some jobs of the crew together: members as in struct result_job, n
 * of them. Findings of the whole run count. NULL and 0: of the run with all its jobs.
 */
enum trust_grade trust_grade_of(const struct trust *t, const size_t *members, size_t n);

/* trust_grade_name - "ok", "doubtful", "INVALID". */
const char *trust_grade_name(enum trust_grade grade);

/* trust_done - release what t holds; it is empty again. */
void trust_done(struct trust *t);

#endif
