/* SPDX-License-Identifier: MIT */
/*
 * Has a rate become steady? A rolling window of samples, and the two figures it is judged by: how
 * far a sample lies from the mean at most, and the slope of the straight line that fits them best.
 * (The test of SNIA's Solid State Storage Performance Test Specification uses both of them.)
 *
 * Samples are whole numbers, so that what is judged is to the digit what a report can show.
 */
#ifndef LIB_STEADY_H
#define LIB_STEADY_H

#include "lib/base.h"
#include "lib/parse_err.h"

/* What a sample holds. */
enum steady_of {
	STEADY_IOPS,			/* I/Os per second */
	STEADY_BW,			/* bytes per second */
	STEADY_LAT,			/* ns, the mean of a sample's I/Os; 0: there were none */
	STEADY_SERIES
};

/* "iops", "bw", "lat" */
extern const char *const steady_of_names[STEADY_SERIES];

/* The criterion: "iops_slope:0.1%". */
struct steady_criterion {
	enum steady_of of;
	bool slope;			/* of the line through the samples; else the deviation */
	bool percent;			/* limit is a percentage of the mean */
	double limit;			/* else in the unit of the samples; per sample of a slope */
};

/*
 * steady_parse - iops, iops_slope, bw, bw_slope, lat, lat_slope; then ':' and the limit: a number
 * with a % behind it, or absolute: I/Os per second, bytes per second (1m), or a time (50us; without
 * a unit ns). kb_base: what a k is worth. Returns 0, or -EINVAL with err filled and *c untouched.
 */
int steady_parse(struct span text, int kb_base, struct steady_criterion *c, struct parse_err *err);

/* steady_name - the words of the criterion: "iops_slope". */
const char *steady_name(const struct steady_criterion *c);

struct steady_window {
	size_t size;			/* samples that make it full */
	size_t count;			/* samples in it */
	size_t first;			/* where the oldest is, once it is full */
	uint64_t *sample;		/* size times STEADY_SERIES */
};

/* steady_init - an empty window for size samples, 1 or more. Returns 0 or -ENOMEM. */
int steady_init(struct steady_window *w, size_t size);
void steady_free(struct steady_window *w);

/* steady_clear - it is empty again. */
void steady_clear(struct steady_window *w);

/* steady_add - one more sample; the oldest leaves a full window. */
void steady_add(struct steady_window *w, const uint64_t sample[STEADY_SERIES]);

/* steady_at - sample i, the oldest is 0; those a window lacks to be full are 0. i < size. */
uint64_t steady_at(const struct steady_window *w, enum steady_of of, size_t i);

/* steady_mean - the sum of the samples over the size of the window, which may not be full. */
double steady_mean(const struct steady_window *w, enum steady_of of);

/* What a window is worth. All 0 and false while it is not full. */
struct steady_verdict {
	double deviation;		/* largest distance of a sample from the mean */
	double slope;			/* of the least squares line, per sample; may be negative */
	double value;			/* what is held against the limit, in its unit, with sign */
	bool attained;			/* its amount is below the limit */
};

/*
 * steady_judge - hold a window against a criterion. Nothing is steady whose mean is 0: a rate that
 * stands still has stopped. The slope of a single sample is 0.
 */
struct steady_verdict steady_judge(const struct steady_window *w, const struct steady_criterion *c);

#endif
