/* SPDX-License-Identifier: MIT */
/*
 * How far a number that was measured may be off: confidence intervals of percentiles and of means,
 * neither of which supposes that anything is distributed normally.
 *
 * A percentile is one of the samples in order of size; how many samples lie below the true one is
 * binomial, whatever the distribution is. That gives the ranks between which it lies (G. Hahn,
 * W. Meeker, Statistical Intervals, 1991, 5.2; H. David, H. Nagaraja, Order Statistics, 2003, 7.1).
 * Where even the largest sample is not far enough out, there is no upper bound: so few samples
 * cannot carry that percentile.
 *
 * The rates of one second and the next are alike, and so the mean of a hundred seconds is worth
 * less than that of a hundred samples of chance. Means of long enough stretches, batches, are
 * nearly independent: neighbours are joined until a test no longer sees that they are alike
 * (G. Fishman, Grouping observations in digital simulation, Management Science 24, 1978; the test
 * is von Neumann's, Ann. Math. Stat. 12, 1941), and the interval is that of Student's t over the
 * batches.
 *
 * level: the share of cases in which the interval holds the true value, as 0.95; 0.5 to below 1.
 */
#ifndef LIB_INTERVAL_H
#define LIB_INTERVAL_H

#include "lib/base.h"

/* Ranks count from 1, the smallest sample. */
struct interval_ranks {
	uint64_t low;		/* 0: there is no lower bound */
	uint64_t high;		/* above the number of samples: there is no upper bound */
};

/* interval_ranks - between which of n samples in order the true percentile (0 to 100) lies. */
struct interval_ranks interval_ranks(uint64_t n, double percent, double level);

/*
 * interval_carried - do n samples carry this percentile: is it bounded on both sides? 0 and 100 are
 * the smallest and the largest sample, no more is claimed of them, and one sample carries them.
 */
bool interval_carried(uint64_t n, double percent, double level);

struct interval_mean {
	double mean, low, high;
	size_t batches;
	size_t per_batch;	/* values joined in each */
	bool alike;		/* neighbours still were, to the last: it may be too narrow */
};

#define INTERVAL_BATCHES_MIN	4u	/* fewer values than that tell nothing */
#define INTERVAL_BATCHES_LEFT	8u	/* joining does not go below these */

/*
 * interval_of_mean - of n values in the order in which they came, each over the same time. They are
 * overwritten. Returns false, with *out zeroed, for less than INTERVAL_BATCHES_MIN.
 */
bool interval_of_mean(double *values, size_t n, double level, struct interval_mean *out);

#endif
