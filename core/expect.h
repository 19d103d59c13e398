/* SPDX-License-Identifier: MIT */
/* The option `expect`: what of a job's result must hold for the run to have passed. */
#ifndef CORE_EXPECT_H
#define CORE_EXPECT_H

#include "core/expect_parse.h"
#include "core/opt.h"

struct expect_conf {
	const char *text;		/* NULL: not given */
	const struct expectation *list;	/* by expect_check(); lives as long as the run */
	size_t count;
};

extern const struct opt_table expect_options;

/* What the check must know of the job: an expectation that can't come true is an error. */
struct expect_use {
	int kb_base;
	uint32_t dirs;			/* bit per enum fl_op direction it has */
	bool reported;			/* it is part of the results (stats=1) */
	bool has_slat, has_clat, has_lat;	/* these are measured */
	uint32_t intended;		/* bit per direction whose I/Os have intended starts */
};

/*
 * expect_check - parse the text. Returns 0, or -EINVAL with a sentence in why that begins with
 * "expect:" and names the place; col gets the offset of the place in the text.
 */
int expect_check(struct expect_conf *c, const struct expect_use *use, char *why, size_t why_bytes,
		 int *col);

/* expect_keeps_semicolon - in the value of this option of a job file a ';' begins no comment. */
bool expect_keeps_semicolon(struct span name);

#endif
