/* SPDX-License-Identifier: MIT */
/* What a result has for the quantity of an expectation. */
#ifndef CORE_EXPECT_MEASURE_H
#define CORE_EXPECT_MEASURE_H

#include "core/expect_parse.h"
#include "core/result.h"
#include "core/trust.h"

/* One job of a result, or all of a group. */
struct expect_scope {
	const struct result_job *const *jobs;
	size_t nr_jobs;
	const struct result_group *group;	/* NULL: of a job */
	const struct trust *trust;
};

struct expect_value {
	bool known;			/* false: nothing of it was measured */
	double value;
	uint64_t samples;		/* of a percentile */
	bool weak;			/* they are too few for this percentile */
};

struct expect_value expect_measure(const struct expectation *e, const struct expect_scope *s);

/* One expectation, and what became of it. */
struct expect_outcome {
	const struct expectation *e;
	size_t job;			/* place in the result; of a group's: unused */
	size_t group;			/* place in the result's groups */
	struct expect_value measured;
	bool holds;
};

/* expect_show - a value as a person reads it: "1.234ms", "500MiB/s", "ok". Returns buf. */
const char *expect_show(const struct expectation *e, double value, struct num_style style,
			char *buf, size_t n);

/*
 * expect_words - what was measured, in words: "1.234ms", "nothing of it was measured". Returns buf.
 */
const char *expect_words(const struct expect_outcome *o, struct num_style style, char *buf,
			 size_t n);

/* expect_unit_name - what value counts, for JSON: "ns", "bytes", "bytes/s", "percent", ... */
const char *expect_unit_name(enum expect_unit unit);

#endif
