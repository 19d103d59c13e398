/* SPDX-License-Identifier: MIT */
/* The window of samples, its figures, and the words of a criterion. */
#include "lib/steady.h"
#include "lib/nearest.h"
#include "lib/units.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The criterion --------------------------------------------------------------------------- */

const char *const steady_of_names[STEADY_SERIES] = { "iops", "bw", "lat" };

static const char *const names[2 * STEADY_SERIES] = {
	"iops", "iops_slope", "bw", "bw_slope", "lat", "lat_slope",
};

static const char *get_name(void *ctx, size_t i)
{
	(void)ctx;
	return names[i];
}

static int parse_name(struct span text, struct steady_criterion *c, struct parse_err *err)
{
	char word[64];
	const char *near;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!span_is(text, names[i]))
			continue;
		c->of = (enum steady_of)(i / 2);
		c->slope = i % 2;
		return 0;
	}
	memset(word, 0, sizeof(word));
	memcpy(word, text.at, fl_min(text.len, sizeof(word) - 1));
	near = nearest_name(word, get_name, ARRAY_SIZE(names), NULL);
	if (near)
		return parse_fail(err, 0, "'%s' is no criterion; did you mean '%s'?",
				  parse_show(text).text, near);
	return parse_fail(err, 0, "'%s' is none of iops, iops_slope, bw, bw_slope, lat, lat_slope",
			  parse_show(text).text);
}

/* A limit in the unit of the samples. */
static int parse_absolute(struct span text, int kb_base, enum steady_of of, double *limit,
			  struct parse_err *err)
{
	struct parse_err ignored;
	uint64_t n = 0;
	int ret;

	if (!units_double(text, 0, DBL_MAX, limit, &ignored))
		return 0;
	if (of == STEADY_LAT)
		ret = units_time(text, UNITS_NS, &n, err);
	else
		ret = units_size(text, kb_base, &n, NULL, err);
	if (!ret)
		*limit = (double)n;
	return ret;
}

int steady_parse(struct span text, int kb_base, struct steady_criterion *c, struct parse_err *err)
{
	const char *colon = memchr(text.at, ':', text.len);
	struct steady_criterion out = { 0 };
	size_t before = colon ? (size_t)(colon - text.at) : text.len;
	struct span limit;
	int ret = parse_name((struct span){ text.at, before }, &out, err);

	if (ret)
		return ret;
	if (!colon || before + 1 == text.len)
		return parse_fail(err, text.len, "the limit is missing, as in %s:5%%",
				  steady_name(&out));
	limit = span_from(text, before + 1);
	out.percent = limit.at[limit.len - 1] == '%';
	if (out.percent)
		ret = units_percent(limit, DBL_MAX, &out.limit, err);
	else
		ret = parse_absolute(limit, kb_base, out.of, &out.limit, err);
	if (ret)
		parse_fail_shift(err, before + 1);
	else
		*c = out;
	return ret;
}

const char *steady_name(const struct steady_criterion *c)
{
	return names[2 * (unsigned)c->of + c->slope];
}

/* ---- The window ------------------------------------------------------------------------------ */

int steady_init(struct steady_window *w, size_t size)
{
	fl_assert(size);
	*w = (struct steady_window){ .size = size };
	w->sample = calloc(size, STEADY_SERIES * sizeof(*w->sample));
	return w->sample ? 0 : -ENOMEM;
}

void steady_free(struct steady_window *w)
{
	free(w->sample);
	memset(w, 0, sizeof(*w));
}

void steady_clear(struct steady_window *w)
{
	w->count = w->first = 0;
}

void steady_add(struct steady_window *w, const uint64_t sample[STEADY_SERIES])
{
	size_t at = w->count < w->size ? w->count : w->first;

	memcpy(w->sample + at * STEADY_SERIES, sample, STEADY_SERIES * sizeof(*sample));
	if (w->count < w->size)
		w->count++;
	else
		w->first = (w->first + 1) % w->size;
}

uint64_t steady_at(const struct steady_window *w, enum steady_of of, size_t i)
{
	fl_assert(i < w->size);
	return i < w->count ? w->sample[(w->first + i) % w->size * STEADY_SERIES + of] : 0;
}

double steady_mean(const struct steady_window *w, enum steady_of of)
{
	double sum = 0;

	for (size_t i = 0; i < w->count; i++)
		sum += (double)steady_at(w, of, i);
	return sum / (double)w->size;
}

/* ---- The verdict ----------------------------------------------------------------------------- */

static double largest_deviation(const struct steady_window *w, enum steady_of of, double mean)
{
	double most = 0;

	for (size_t i = 0; i < w->count; i++)
		most = fmax(most, fabs((double)steady_at(w, of, i) - mean));
	return most;
}

/*
 * Least squares: sum of (x - mean x)(y - mean y) over sum of (x - mean x)^2, where x is 0, 1, 2 ...
 * The second is n (n^2 - 1) / 12.
 */
static double slope_of(const struct steady_window *w, enum steady_of of, double mean)
{
	double n = (double)w->count, middle = (n - 1) / 2, sum = 0;

	if (w->count < 2)
		return 0;
	for (size_t i = 0; i < w->count; i++)
		sum += ((double)i - middle) * ((double)steady_at(w, of, i) - mean);
	return sum / (n * (n * n - 1) / 12);
}

struct steady_verdict steady_judge(const struct steady_window *w, const struct steady_criterion *c)
{
	struct steady_verdict v = { 0 };
	double mean;

	if (w->count < w->size)
		return v;
	mean = steady_mean(w, c->of);
	v.deviation = largest_deviation(w, c->of, mean);
	v.slope = slope_of(w, c->of, mean);
	v.value = c->slope ? v.slope : v.deviation;
	if (!(mean > 0))
		return v;
	if (c->percent)
		v.value = 100.0 * v.value / mean;
	v.attained = fabs(v.value) < c->limit;
	return v;
}
