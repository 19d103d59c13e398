/* SPDX-License-Identifier: MIT */
/*
 * Latencies: a log-linear histogram for percentiles, and moments for the exact rest.
 *
 * Each power of two is cut into 64 equal buckets, so a bucket is at most 1/64 of its value wide and
 * its middle is off by at most 1/128; below 128 every value has a bucket of its own. (The geometry
 * fio reports in, so that bucket values compare; the idea is G. Tene's HdrHistogram.) Recording is
 * one increment; merging is adding. N is the sum of the bins: there is no second count that could
 * disagree. Minimum, maximum, mean and standard deviation come from exact sums, not from buckets.
 *
 * The units are nanoseconds wherever a latency is meant, but nothing here depends on it except
 * hist_latency_table().
 */
#ifndef LIB_HIST_H
#define LIB_HIST_H

#include "lib/base.h"

#define HIST_BITS	6u
#define HIST_LINEAR	(1u << HIST_BITS)		/* buckets per power of two */
#define HIST_GROUPS	40u
#define HIST_BINS	(HIST_GROUPS * HIST_LINEAR)	/* 2560 bins, 20 KiB */
#define HIST_LIMIT	(1ull << (HIST_GROUPS + HIST_BITS - 1))	/* 2^45 ns, 9.7 hours */

struct hist {
	uint64_t bins[HIST_BINS];
};

struct moments {
	uint64_t min;			/* UINT64_MAX while empty; see moments_reset() */
	uint64_t max;
	uint64_t sum;			/* modulo 2^64 */
	uint64_t wraps;			/* of the sum, where moments_unwrap() found them */
	unsigned __int128 sumsq;
};

/* hist_index - the bin of value v; values of HIST_LIMIT and above share the last bin. */
fl_inline unsigned hist_index(uint64_t v)
{
	/* Setting bit 6 puts all small values into group 0 or 1, which are both one wide. */
	unsigned shift = 63 - HIST_BITS - __builtin_clzll(v | HIST_LINEAR);

	if (unlikely(v >= HIST_LIMIT))
		return HIST_BINS - 1;
	return (shift << HIST_BITS) + (unsigned)(v >> shift);
}

/* hist_shift - a bin is 2^shift wide. */
fl_inline unsigned hist_shift(unsigned index)
{
	return index < 2 * HIST_LINEAR ? 0 : (index >> HIST_BITS) - 1;
}

/* hist_low - the smallest value of bin `index` (< HIST_BINS). */
fl_inline uint64_t hist_low(unsigned index)
{
	unsigned shift = hist_shift(index);

	return (uint64_t)(index - (shift << HIST_BITS)) << shift;
}

/* hist_high - the largest value of bin `index`; UINT64_MAX for the last one, which has no end. */
fl_inline uint64_t hist_high(unsigned index)
{
	if (index == HIST_BINS - 1)
		return UINT64_MAX;
	return hist_low(index) + (1ull << hist_shift(index)) - 1;
}

/* hist_value - the value that stands for bin `index` in reports: its lowest plus half its width. */
fl_inline uint64_t hist_value(unsigned index)
{
	return hist_low(index) + (1ull << hist_shift(index) >> 1);
}

/* hist_add - count one sample of value v. A plain increment: one writer per histogram. */
fl_inline void hist_add(struct hist *h, uint64_t v)
{
	h->bins[hist_index(v)]++;
}

/* hist_merge - add the counts of `from` to those of `into`. */
void hist_merge(struct hist *into, const struct hist *from);

/* hist_count - N: the number of samples in all bins. */
uint64_t hist_count(const struct hist *h);

/*
 * hist_percentiles - the values that given percentages of the samples do not exceed.
 *
 * Nearest rank: percentile p of N samples is the sample of rank ceil(p / 100 x N), at least 1,
 * reported by the middle of its bin, but never outside [min, max], the exact extremes; 0 and 100
 * are these. list holds `count` percentages, 0 to 100, in any order, told apart to a millionth (as
 * they are printed); values outside are taken as the nearest bound.
 *
 * Writes out[0..count-1]; all 0 when there are no samples. Returns N.
 */
uint64_t hist_percentiles(const struct hist *h, const double *list, unsigned count,
			  uint64_t min, uint64_t max, uint64_t *out);

/*
 * hist_rank_low, hist_rank_high - the least and the largest value that the sample of this rank can
 * have had: the ends of its bin. rank: from 1, the smallest sample; above N it is taken as N.
 * 0 and UINT64_MAX when there are no samples.
 */
uint64_t hist_rank_low(const struct hist *h, uint64_t rank);
uint64_t hist_rank_high(const struct hist *h, uint64_t rank);

/*
 * The latency distribution of the reports: samples between one bound and the next. A column named
 * B holds what is below B and not below the column before it: "2" of ns holds 0 and 1 ns, "1000" of
 * ns holds 750 to 999 ns, "2" of us holds 1000 to 1999 ns, the last of ms all from 2 s on.
 */
#define HIST_LAT_NS	10u
#define HIST_LAT_US	10u
#define HIST_LAT_MS	12u

/* Column names in ns, us and ms; the first 10 serve ns and us, all 12 serve ms. */
extern const char *const hist_lat_names[HIST_LAT_MS];

/* Samples per column; hist_lat_percent() makes percentages of them. */
struct hist_lat_table {
	uint64_t ns[HIST_LAT_NS], us[HIST_LAT_US], ms[HIST_LAT_MS];
};

/*
 * hist_latency_table - spread a histogram of nanoseconds over the columns.
 *
 * Adds nothing and loses nothing: the columns sum to N. A bin that lies across a bound goes where
 * its middle lies, so counts are exact for bounds that are multiples of their bin's width (those
 * of ns except 750, and 2 us, 4 us) and misplace samples within 1/128 of the bound otherwise.
 */
void hist_latency_table(const struct hist *h, struct hist_lat_table *table);

/*
 * hist_lat_percent - 100 x part / total as the reports show it: never less than 0.01 when part is
 * not 0, so that a rare slow I/O does not round to nothing; 0 when total is 0.
 */
double hist_lat_percent(uint64_t part, uint64_t total);

/* moments_reset - make *m empty. A block of zeros is not an empty one: its minimum would be 0. */
void moments_reset(struct moments *m);

/*
 * moments_add - take in one sample. One writer per block. The sum holds 2^64: 584 years of
 * nanoseconds, or three days of 65536 requests in flight. Then it begins anew, and the bins tell
 * how often it has (moments_unwrap()). The sum of squares lasts.
 */
fl_inline void moments_add(struct moments *m, uint64_t v)
{
	m->min = v < m->min ? v : m->min;
	m->max = v > m->max ? v : m->max;
	m->sum += v;
	m->sumsq += (unsigned __int128)v * v;
}

/*
 * moments_unwrap - find out how often the sum has passed 2^64, from the bins of the n samples:
 * what they come to is less than 1 % off, so the answer is exact up to 2^70. For what is merged,
 * not for a block that a worker writes to.
 */
void moments_unwrap(struct moments *m, const struct hist *h, uint64_t n);

/* moments_merge - as if the samples of `from` had been added to `into`. Exact, in any order. */
void moments_merge(struct moments *into, const struct moments *from);

/* moments_take - as if the samples of `part` had never been added to `m`; its extremes stay. */
void moments_take(struct moments *m, const struct moments *part);

/* moments_min - the smallest sample of n, and 0 when n is 0. */
uint64_t moments_min(const struct moments *m, uint64_t n);

/* moments_mean - the mean of the n samples (n as counted by the histogram); 0 when n is 0. */
double moments_mean(const struct moments *m, uint64_t n);

/* moments_stddev - the sample standard deviation, divisor n - 1; 0 when n is less than 2. */
double moments_stddev(const struct moments *m, uint64_t n);

#endif
