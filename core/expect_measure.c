/* SPDX-License-Identifier: MIT */
/* From the name of a quantity to its value: sums over the jobs and directions it is about. */
#include "core/expect_measure.h"

#include "core/reporter.h"
#include "lib/hist.h"
#include "lib/interval.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MS_NS	1000000.0

static struct expect_value known(double value)
{
	return (struct expect_value){ .known = true, .value = value };
}

static const struct expect_value unknown = { .known = false };

/* ---- Directions ------------------------------------------------------------------------------ */

/* The directions that a place stands for: first .. last of struct result_job. */
static int first_dir(const struct expectation *e)
{
	return e->place == EXPECT_MIXED ? 0 : (int)e->place;
}

static int last_dir(const struct expectation *e)
{
	return e->place == EXPECT_MIXED ? DIRS - 1 : (int)e->place;
}

#define EACH_DIR(e, s, d)						\
	for (size_t i_ = 0; i_ < (s)->nr_jobs; i_++)			\
		for (int k_ = first_dir(e); k_ <= last_dir(e); k_++)	\
			if (((d) = &(s)->jobs[i_]->dir[k_]))

struct sums {
	uint64_t bytes, ios, shorts, errors, runtime_ms;
};

static struct sums sum_dirs(const struct expectation *e, const struct expect_scope *s)
{
	const struct result_dir *d;
	struct sums sum = { 0 };

	EACH_DIR(e, s, d) {
		sum.bytes += d->bytes;
		sum.ios += d->ios;
		sum.shorts += d->short_ios;
		sum.errors += d->errors;
		sum.runtime_ms = fl_max(sum.runtime_ms, d->runtime_ms);
	}
	return sum;
}

static struct expect_value per_second(uint64_t count, uint64_t ms)
{
	return ms ? known((double)count * 1000 / (double)ms) : unknown;
}

/* Of a job alone, and of a direction alone: the parser sees to it. */
static struct expect_value bound_of_iops(const struct expectation *e, const struct expect_scope *s)
{
	const struct result_interval *mean = &s->jobs[0]->dir[e->place].iops_mean;

	if (!mean->batches)
		return unknown;
	return known(e->what == EXPECT_IOPS_LOW ? mean->low : mean->high);
}

static struct expect_value bandwidth_of_group(const struct expectation *e,
					      const struct expect_scope *s)
{
	const struct result_together *t;

	if (!s->group)
		return unknown;
	t = &s->group->dir[e->place].together;	/* EXPECT_MIXED is the place of RESULT_MIXED */
	if (!t->workers || (e->what == EXPECT_BW_ALL && !t->all_ns))
		return unknown;
	return known(e->what == EXPECT_BW_ALL ? t->all_bw :
		     e->what == EXPECT_BW_END ? t->whole_bw :
		     e->what == EXPECT_BW_MIN ? t->min_bw :
		     e->what == EXPECT_BW_MEDIAN ? t->median_bw : t->max_bw);
}

static struct expect_value measure_dir(const struct expectation *e, const struct expect_scope *s)
{
	struct sums sum = sum_dirs(e, s);

	_Static_assert((int)EXPECT_MIXED == (int)RESULT_MIXED, "places are those of results");
	switch (e->what) {
	case EXPECT_IOPS:
		return per_second(sum.ios, sum.runtime_ms);
	case EXPECT_IOPS_LOW:
	case EXPECT_IOPS_HIGH:
		return bound_of_iops(e, s);
	case EXPECT_BW:
		return per_second(sum.bytes, sum.runtime_ms);
	case EXPECT_MOVED:
		return known((double)sum.bytes);
	case EXPECT_IOS:
		return known((double)sum.ios);
	case EXPECT_SHORTS:
		return known((double)sum.shorts);
	case EXPECT_ERRORS:
		return known((double)sum.errors);
	case EXPECT_RUNTIME:
		return sum.runtime_ms ? known((double)sum.runtime_ms * MS_NS) : unknown;
	default:
		return bandwidth_of_group(e, s);
	}
}

/* ---- Latencies ------------------------------------------------------------------------------- */

static void add_latency(const struct result_lat *l, struct moments *m, struct hist *h)
{
	if (!l->n)
		return;
	moments_merge(m, &l->moments);
	hist_merge(h, (const struct hist *)l->bins);
}

static void add_latencies(const struct expectation *e, const struct expect_scope *s,
			  struct moments *m, struct hist *h)
{
	const struct result_dir *d;

	if (e->place == EXPECT_SYNC) {
		for (size_t i = 0; i < s->nr_jobs; i++)
			add_latency(&s->jobs[i]->sync, m, h);
		return;
	}
	EACH_DIR(e, s, d)
		add_latency(e->latency == EXPECT_SLAT ? &d->slat :
			    e->latency == EXPECT_CLAT ? &d->clat :
			    e->latency == EXPECT_LAT ? &d->lat : &d->intended, m, h);
}

static struct expect_value percentile_of(const struct expectation *e, const struct expect_scope *s,
					 const struct hist *h, const struct moments *m)
{
	struct expect_value v = { .known = true };
	uint64_t value;

	v.samples = hist_percentiles(h, &e->percent, 1, m->min, m->max, &value);
	v.value = (double)value;
	v.weak = !interval_carried(v.samples, e->percent, s->jobs[0]->confidence);
	return v;
}

static struct expect_value measure_latency(const struct expectation *e,
					   const struct expect_scope *s)
{
	struct hist *h = calloc(1, sizeof(*h));
	struct expect_value v = unknown;
	struct moments m;
	uint64_t n = 0;

	moments_reset(&m);
	if (h) {
		add_latencies(e, s, &m, h);
		n = hist_count(h);
	}
	if (n)
		v = e->what == EXPECT_MIN ? known((double)m.min) :
		    e->what == EXPECT_MAX_LATENCY ? known((double)m.max) :
		    e->what == EXPECT_MEAN ? known(moments_mean(&m, n)) :
		    e->what == EXPECT_STDDEV ? known(moments_stddev(&m, n)) :
		    percentile_of(e, s, h, &m);
	free(h);
	return v;
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

static struct expect_value measure_trust(const struct expect_scope *s)
{
	enum trust_grade worst = TRUST_OK;

	for (size_t i = 0; i < s->nr_jobs; i++) {
		const struct result_job *j = s->jobs[i];

		worst = fl_max(worst, trust_grade_of(s->trust, j->members, (size_t)j->jobs));
	}
	return known(worst == TRUST_OK ? EXPECT_OK :
		     worst == TRUST_DOUBTFUL ? EXPECT_DOUBTFUL : EXPECT_INVALID);
}

static struct expect_value measure_cpu(const struct expectation *e, const struct expect_scope *s)
{
	uint64_t us = 0, ms = 0;

	for (size_t i = 0; i < s->nr_jobs; i++) {
		const struct result_job *j = s->jobs[i];

		us += (e->what != EXPECT_CPU_SYS ? j->usr_us : 0) +
		      (e->what != EXPECT_CPU_USR ? j->sys_us : 0);
		ms += j->runtime_ms;
	}
	return ms ? known((double)us / 10 / (double)ms) : unknown;
}

static struct expect_value measure_job(const struct expectation *e, const struct expect_scope *s)
{
	uint64_t sum = 0, longest_ms = 0;

	for (size_t i = 0; i < s->nr_jobs; i++) {
		const struct result_job *j = s->jobs[i];

		longest_ms = fl_max(longest_ms, j->wall_ms);
		sum += e->what == EXPECT_ERRORS ? j->errors :
		       e->what == EXPECT_CTX ? j->ctx :
		       e->what == EXPECT_MAJF ? j->majf :
		       e->what == EXPECT_MINF ? j->minf : j->sync_ios;
	}
	return known(e->what == EXPECT_RUNTIME ? (double)longest_ms * MS_NS : (double)sum);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static bool any_began(const struct expect_scope *s)
{
	for (size_t i = 0; i < s->nr_jobs; i++)
		if (s->jobs[i]->start_wall_ms)
			return true;
	return false;
}

struct expect_value expect_measure(const struct expectation *e, const struct expect_scope *s)
{
	if (!any_began(s))
		return unknown;
	switch (e->what) {
	case EXPECT_TRUST:
		return measure_trust(s);
	case EXPECT_CPU:
	case EXPECT_CPU_USR:
	case EXPECT_CPU_SYS:
		return measure_cpu(e, s);
	case EXPECT_MIN:
	case EXPECT_MAX_LATENCY:
	case EXPECT_MEAN:
	case EXPECT_STDDEV:
	case EXPECT_PERCENTILE:
		return measure_latency(e, s);
	default:
		return e->place >= EXPECT_SYNC ? measure_job(e, s) : measure_dir(e, s);
	}
}

/* ---- Words ----------------------------------------------------------------------------------- */

static void show_time(double ns, char *buf, size_t n)
{
	const char *unit;
	double value = num_time(ns, 1000, &unit);

	snprintf(buf, n, "%.6g%s", value, unit);
}

const char *expect_show(const struct expectation *e, double value, struct num_style style,
			char *buf, size_t n)
{
	static const char *const grades[] = {
		[EXPECT_INVALID] = "invalid", [EXPECT_DOUBTFUL] = "doubtful", [EXPECT_OK] = "ok",
	};

	switch (e->unit) {
	case EXPECT_COUNT:
		snprintf(buf, n, value < 1e15 && value == (double)(uint64_t)value ? "%.0f" : "%.2f",
			 value);
		break;
	case EXPECT_BYTES:
		snprintf(buf, n, "%s", num_bytes((uint64_t)value, style).s);
		break;
	case EXPECT_BANDWIDTH:
		snprintf(buf, n, "%s", num_rate((uint64_t)value, style).s);
		break;
	case EXPECT_TIME:
		show_time(value, buf, n);
		break;
	case EXPECT_PERCENT:
		snprintf(buf, n, "%.2f%%", value);
		break;
	case EXPECT_GRADE:
		snprintf(buf, n, "%s", grades[(int)value]);
		break;
	}
	return buf;
}

const char *expect_words(const struct expect_outcome *o, struct num_style style, char *buf,
			 size_t n)
{
	const struct expect_value *v = &o->measured;
	char value[64];

	if (!v->known)
		snprintf(buf, n, "nothing of it was measured");
	else if (v->weak)
		snprintf(buf, n, "%s (of %" PRIu64 " samples, too few to tell)",
			 expect_show(o->e, v->value, style, value, sizeof(value)), v->samples);
	else
		expect_show(o->e, v->value, style, buf, n);
	return buf;
}

const char *expect_unit_name(enum expect_unit unit)
{
	static const char *const names[] = {
		[EXPECT_COUNT] = "count", [EXPECT_BYTES] = "bytes", [EXPECT_BANDWIDTH] = "bytes/s",
		[EXPECT_TIME] = "ns", [EXPECT_PERCENT] = "percent", [EXPECT_GRADE] = "grade",
	};

	return names[unit];
}
