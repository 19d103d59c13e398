/* SPDX-License-Identifier: MIT */
/* Confidence intervals of percentiles and means. */
#include "lib/interval.h"

#include "lib/prob.h"

#include <math.h>
#include <string.h>

/* Above this variance the normal distribution tells ranks better than they can be used. */
#define EXACT_VARIANCE	1e3
/* How alike neighbours must be for the test to say so: one such verdict in ten is wrong. */
#define ALIKE_LEVEL	0.9

/* ---- Percentiles ----------------------------------------------------------------------------- */

/* Below how many of n samples the true value lies with this chance at least. */
static uint64_t binomial_quantile(uint64_t n, double p, double chance)
{
	double mean = (double)n * p, variance = mean * (1 - p);
	uint64_t low = 0, high = n;

	if (variance > EXACT_VARIANCE) {
		double k = floor(mean + prob_normal_quantile(chance) * sqrt(variance) + 0.5);

		return k <= 0 ? 0 : fl_min((uint64_t)k, n);
	}
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (prob_binomial(middle, n, p) >= chance)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/*
 * The sample of rank r lies above the true value if at most r - 1 samples lie below it. The largest
 * r for which that is improbable bounds it from below; the other side is its mirror image.
 */
static uint64_t rank_below(uint64_t n, double p, double miss)
{
	uint64_t r;

	if (!n || pow(1 - p, (double)n) > miss)
		return 0;
	r = binomial_quantile(n, p, miss);
	return fl_max(r, (uint64_t)1);
}

struct interval_ranks interval_ranks(uint64_t n, double percent, double level)
{
	double p = fmin(fmax(percent / 100, 0), 1), miss = (1 - level) / 2;

	return (struct interval_ranks){
		.low = rank_below(n, p, miss),
		.high = n + 1 - rank_below(n, 1 - p, miss),
	};
}

bool interval_carried(uint64_t n, double percent, double level)
{
	double p = percent / 100, miss = (1 - level) / 2;

	if (percent <= 0 || percent >= 100)
		return n > 0;
	return pow(p, (double)n) <= miss && pow(1 - p, (double)n) <= miss;
}

/* ---- Means ----------------------------------------------------------------------------------- */

static double mean_of(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum / (double)n;
}

static double squares_around(const double *v, size_t n, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return sum;
}

/* Are neighbours more alike than those of a row in random order? */
static bool neighbours_alike(const double *v, size_t n)
{
	double squares = squares_around(v, n, mean_of(v, n)), steps = 0, deviation;

	if (squares <= 0)
		return false;
	for (size_t i = 0; i + 1 < n; i++)
		steps += (v[i + 1] - v[i]) * (v[i + 1] - v[i]);
	deviation = sqrt((double)(n - 2) / ((double)n * (double)n - 1));
	return 1 - steps / (2 * squares) > prob_normal_quantile(ALIKE_LEVEL) * deviation;
}

static size_t join_pairs(double *v, size_t n)
{
	for (size_t i = 0; i < n / 2; i++)
		v[i] = (v[2 * i] + v[2 * i + 1]) / 2;
	return n / 2;
}

bool interval_of_mean(double *values, size_t n, double level, struct interval_mean *out)
{
	double half;

	memset(out, 0, sizeof(*out));
	if (n < INTERVAL_BATCHES_MIN)
		return false;
	out->per_batch = 1;
	while ((out->alike = neighbours_alike(values, n)) && n / 2 >= INTERVAL_BATCHES_LEFT) {
		n = join_pairs(values, n);
		out->per_batch *= 2;
	}
	out->batches = n;
	out->mean = mean_of(values, n);
	half = prob_t_quantile((1 + level) / 2, (double)(n - 1)) *
	       sqrt(squares_around(values, n, out->mean) / (double)(n - 1) / (double)n);
	out->low = out->mean - half;
	out->high = out->mean + half;
	return true;
}
