/* SPDX-License-Identifier: MIT */
/* What is asked of histograms and moments after the run: nothing here is on the I/O path. */
#include "lib/hist.h"

#include <math.h>
#include <string.h>

_Static_assert(sizeof(struct hist) == HIST_BINS * sizeof(uint64_t), "bins and nothing else");

#define PERCENT_STEPS	1000000u	/* percentages are told apart to a millionth */

const char *const hist_lat_names[HIST_LAT_MS] = {
	"2", "4", "10", "20", "50", "100", "250", "500", "750", "1000", "2000", ">=2000",
};

/* Upper bounds, exclusive, of all columns but the last, which has none. */
static const uint64_t lat_bounds[HIST_LAT_MS - 1] = {
	2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000,
};

void hist_merge(struct hist *into, const struct hist *from)
{
	for (unsigned i = 0; i < HIST_BINS; i++)
		into->bins[i] += from->bins[i];
}

uint64_t hist_count(const struct hist *h)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < HIST_BINS; i++)
		n += h->bins[i];
	return n;
}

/*
 * The rank is computed in integers: in floating point 99.9 / 100 * 1000 comes out a hair above 999
 * and its ceiling would be 1000.
 */
static uint64_t percentile_rank(double percent, uint64_t n)
{
	const uint64_t whole = 100ull * PERCENT_STEPS;
	double bounded = fmin(fmax(percent, 0.0), 100.0);	/* a NaN becomes 0 */
	uint64_t steps = llround(bounded * PERCENT_STEPS);
	uint64_t rank = ((unsigned __int128)steps * n + whole - 1) / whole;

	return fl_max(rank, (uint64_t)1);
}

/* Where a search for ranks has come to: what is before a bin. */
struct cursor {
	unsigned bin;
	uint64_t before;
};

/* The bin of a rank, 1 to N. Of ascending ranks the search goes on where the last one ended. */
static unsigned seek_rank(const struct hist *h, struct cursor *c, uint64_t rank)
{
	unsigned last = 0;

	if (rank <= c->before)
		*c = (struct cursor){ 0, 0 };
	for (; c->bin < HIST_BINS; c->before += h->bins[c->bin++]) {
		if (!h->bins[c->bin])
			continue;
		last = c->bin;
		if (c->before + h->bins[c->bin] >= rank)
			break;
	}
	return last;
}

static unsigned bin_of_rank(const struct hist *h, uint64_t rank)
{
	struct cursor c = { 0, 0 };

	return seek_rank(h, &c, rank);
}

uint64_t hist_percentiles(const struct hist *h, const double *list, unsigned count,
			  uint64_t min, uint64_t max, uint64_t *out)
{
	uint64_t n = hist_count(h);
	struct cursor c = { 0, 0 };

	for (unsigned i = 0; i < count; i++) {
		uint64_t value = hist_value(seek_rank(h, &c, percentile_rank(list[i], n)));

		if (list[i] <= 0)
			value = min;
		else if (list[i] >= 100)
			value = max;
		out[i] = n ? fl_max(min, fl_min(value, max)) : 0;
	}
	return n;
}

uint64_t hist_rank_low(const struct hist *h, uint64_t rank)
{
	return hist_low(bin_of_rank(h, rank));
}

uint64_t hist_rank_high(const struct hist *h, uint64_t rank)
{
	return hist_count(h) ? hist_high(bin_of_rank(h, rank)) : UINT64_MAX;
}

/* lat_column - the first of `columns` columns whose bound lies above v; the last takes the rest. */
static unsigned lat_column(uint64_t v, unsigned columns)
{
	unsigned i = 0;

	while (i < columns - 1 && v >= lat_bounds[i])
		i++;
	return i;
}

void hist_latency_table(const struct hist *h, struct hist_lat_table *table)
{
	memset(table, 0, sizeof(*table));
	for (unsigned i = 0; i < HIST_BINS; i++) {
		uint64_t ns = hist_value(i);

		if (ns < 1000)
			table->ns[lat_column(ns, HIST_LAT_NS)] += h->bins[i];
		else if (ns < 1000000)
			table->us[lat_column(ns / 1000, HIST_LAT_US)] += h->bins[i];
		else
			table->ms[lat_column(ns / 1000000, HIST_LAT_MS)] += h->bins[i];
	}
}

double hist_lat_percent(uint64_t part, uint64_t total)
{
	if (!part || !total)
		return 0.0;
	return fmax(100.0 * (double)part / (double)total, 0.01);
}

void moments_reset(struct moments *m)
{
	*m = (struct moments){ .min = UINT64_MAX };
}

static unsigned __int128 sum_of(const struct moments *m)
{
	return (unsigned __int128)m->wraps << 64 | m->sum;
}

static void set_sum(struct moments *m, unsigned __int128 sum)
{
	m->wraps = (uint64_t)(sum >> 64);
	m->sum = (uint64_t)sum;
}

void moments_unwrap(struct moments *m, const struct hist *h, uint64_t n)
{
	unsigned __int128 near = 0;

	m->wraps = 0;
	if (!((unsigned __int128)m->max * n >> 64))
		return;
	for (unsigned i = 0; i < HIST_BINS; i++)
		near += (unsigned __int128)h->bins[i] * hist_value(i);
	if (near > m->sum)
		m->wraps = (uint64_t)((near - m->sum + (1ull << 63)) >> 64);
}

void moments_merge(struct moments *into, const struct moments *from)
{
	into->min = fl_min(into->min, from->min);
	into->max = fl_max(into->max, from->max);
	set_sum(into, sum_of(into) + sum_of(from));
	into->sumsq += from->sumsq;
}

void moments_take(struct moments *m, const struct moments *part)
{
	set_sum(m, sum_of(m) - sum_of(part));
	m->sumsq -= part->sumsq;
}

uint64_t moments_min(const struct moments *m, uint64_t n)
{
	return n ? m->min : 0;
}

double moments_mean(const struct moments *m, uint64_t n)
{
	return n ? (double)sum_of(m) / (double)n : 0.0;
}

/*
 * sumsq - sum^2/n in floating point loses everything when the spread is small against the mean.
 * Around the integer part q of the mean the squares sum to sumsq - 2q sum + n q^2, which integers
 * modulo 2^128 give exactly, since the result fits; what is left is r = sum - nq, 0 <= r < n.
 */
double moments_stddev(const struct moments *m, uint64_t n)
{
	unsigned __int128 around_q, q, sum = sum_of(m);
	long double r, spread;

	if (n < 2)
		return 0.0;
	q = sum / n;
	r = sum % n;
	around_q = m->sumsq - 2 * q * sum + q * q * n;
	spread = (long double)around_q - r * r / n;
	return spread > 0 ? (double)sqrtl(spread / (n - 1)) : 0.0;
}
