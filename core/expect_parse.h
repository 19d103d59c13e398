/* SPDX-License-Identifier: MIT */
/*
 * What a user expects of a result, as a language of its own:
 *
 *	read.clat.p99 < 2ms; write.iops >= 50k; group.write.bw >= 500m; trust = ok
 *
 * A quantity is named by parts with points between them, as it stands in the result; a comparison
 * and a value follow. Several expectations are parted by ';' or ','. The names are a tree of
 * tables in expect_parse.c: a quantity is a row there and a case in expect_measure.c. The manual
 * has the whole grammar (doc/expect.md).
 */
#ifndef CORE_EXPECT_PARSE_H
#define CORE_EXPECT_PARSE_H

#include "lib/parse_err.h"
#include "lib/span.h"

#define EXPECT_MAX	64	/* expectations in one text */

/* What values are counted in, and how they are read and shown. */
enum expect_unit {
	EXPECT_COUNT,		/* 50k is 50,000 */
	EXPECT_BYTES,
	EXPECT_BANDWIDTH,	/* bytes per second */
	EXPECT_TIME,		/* ns */
	EXPECT_PERCENT,
	EXPECT_GRADE,		/* the better the larger: see enum expect_grade */
};

enum expect_grade { EXPECT_INVALID, EXPECT_DOUBTFUL, EXPECT_OK };

enum expect_op { EXPECT_LESS, EXPECT_LESS_EQUAL, EXPECT_MORE, EXPECT_MORE_EQUAL, EXPECT_EQUAL,
		 EXPECT_UNEQUAL };

/* Which part of a result: the first three are as enum fl_op. */
enum expect_place { EXPECT_READ, EXPECT_WRITE, EXPECT_TRIM, EXPECT_MIXED, EXPECT_SYNC, EXPECT_JOB };

enum expect_latency { EXPECT_SLAT, EXPECT_CLAT, EXPECT_LAT, EXPECT_INTENDED };

enum expect_what {
	EXPECT_NOTHING,		/* the name goes on */
	EXPECT_IOPS, EXPECT_IOPS_LOW, EXPECT_IOPS_HIGH,
	EXPECT_BW, EXPECT_BW_ALL, EXPECT_BW_END, EXPECT_BW_MIN, EXPECT_BW_MEDIAN, EXPECT_BW_MAX,
	EXPECT_MOVED, EXPECT_IOS, EXPECT_SHORTS, EXPECT_ERRORS, EXPECT_RUNTIME,
	EXPECT_MIN, EXPECT_MAX_LATENCY, EXPECT_MEAN, EXPECT_STDDEV, EXPECT_PERCENTILE,
	EXPECT_CPU, EXPECT_CPU_USR, EXPECT_CPU_SYS, EXPECT_CTX, EXPECT_MAJF, EXPECT_MINF,
	EXPECT_TRUST,
};

struct expectation {
	struct span text;	/* as it was written, without blanks around it */
	bool group;		/* of all jobs of the group together */
	enum expect_place place;
	enum expect_latency latency;	/* EXPECT_MIN to EXPECT_PERCENTILE */
	enum expect_what what;
	double percent;		/* EXPECT_PERCENTILE: 0 to 100 */
	enum expect_unit unit;
	enum expect_op op;
	double limit;
};

/*
 * expect_parse - read a text; list has room for EXPECT_MAX. kb_base: what a k of bytes is worth,
 * 1024 or 1000; spelled KiB, MiB ... it is 1024 at any rate, as the results print it.
 * Returns 0 with *count of them, at least one, whose texts point into text; or -EINVAL with err
 * filled: the place, what is wrong there, and the nearest valid name.
 */
int expect_parse(struct span text, int kb_base, struct expectation *list, size_t *count,
		 struct parse_err *err);

/* expect_holds - is this value within the limit? */
bool expect_holds(const struct expectation *e, double value);

/*
 * expect_name - the i-th of all quantities there are, written out ("read.clat.mean"); a percentile
 * as p99. Into buf, cut off to fit. Returns false behind the last. For the manual and for tests.
 */
bool expect_name(size_t i, char *buf, size_t n);

#endif
