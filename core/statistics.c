/* SPDX-License-Identifier: MIT */
/*
 * Beside every mean and percentile how far it may be off, and beside the bandwidth of a group what
 * it hides: the observer that keeps counters over time, and tells what lib/interval.h and
 * core/together.h make of them.
 */
#include "core/statistics.h"

#include "core/reporter.h"
#include "core/series.h"
#include "core/together.h"
#include "lib/hist.h"
#include "lib/interval.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct statistics {
	const struct observed *run;
	bool ready;			/* what is below holds */
	struct together together;
};

static void on_ready(void *self, const struct observed *run)
{
	struct statistics *s = self;

	s->run = run;
	/* a result without these is better than none */
	s->ready = run->series && !together_init(&s->together, run->plan);
}

static void on_look(void *self, const struct observed *run, uint64_t now_ns)
{
	struct statistics *s = self;

	if (!s->ready)
		return;
	together_look(&s->together, run->crew, now_ns);
}

static void on_finish(void *self, const struct observed *run)
{
	struct statistics *s = self;

	if (s->ready)
		together_look(&s->together, run->crew, clock_now_ns());
}

static void on_done(void *self)
{
	struct statistics *s = self;

	together_free(&s->together);
}

/* ---- One job --------------------------------------------------------------------------------- */

/* A percentile, and between which values the true one lies. */
struct bounded {
	double percent;
	uint64_t value;
	bool has_low, has_high, carried;
	uint64_t low, high;
};

static size_t bound_percentiles(const struct result_job *j, const struct result_lat *l,
				struct bounded out[RESULT_PERCENTILES_MAX])
{
	const struct hist *h = (const struct hist *)l->bins;
	uint64_t values[RESULT_PERCENTILES_MAX];
	size_t count = reporter_percentiles(j, l, values);

	for (size_t i = 0; i < count; i++) {
		double percent = j->percentiles[i];
		struct interval_ranks at = interval_ranks(l->n, percent, j->confidence);

		out[i] = (struct bounded){
			.percent = percent, .value = values[i], .has_low = at.low > 0,
			.has_high = at.high <= l->n,
			.carried = interval_carried(l->n, percent, j->confidence),
		};
		if (out[i].has_low)
			out[i].low = fl_max(hist_rank_low(h, at.low), l->min);
		if (out[i].has_high)
			out[i].high = fl_min(hist_rank_high(h, at.high), l->max);
	}
	return count;
}

/* The latencies of a direction, by the names they have in the reports. */
struct kind {
	const char *name, *json_name;
	size_t at;
};

static const struct kind kinds[] = {
	{ "slat", "slat_ns", offsetof(struct result_dir, slat) },
	{ "clat", "clat_ns", offsetof(struct result_dir, clat) },
	{ "lat", "lat_ns", offsetof(struct result_dir, lat) },
	{ "intended", "intended_lat_ns", offsetof(struct result_dir, intended) },
};

static const struct result_lat *lat_of(const struct result_dir *d, const struct kind *k)
{
	return (const struct result_lat *)((const char *)d + k->at);
}

static void json_percentiles(const struct result_job *j, const struct result_lat *l,
			     const char *name, struct json *doc)
{
	struct bounded p[RESULT_PERCENTILES_MAX];
	size_t count = bound_percentiles(j, l, p);

	if (!count)
		return;
	json_object(doc, name);
	json_object(doc, "percentile");
	for (size_t i = 0; i < count; i++) {
		char key[32];

		if (i && p[i].percent == p[i - 1].percent)
			continue;
		snprintf(key, sizeof(key), "%.6f", p[i].percent);
		json_object(doc, key);
		json_u64(doc, "value", p[i].value);
		if (p[i].has_low)
			json_u64(doc, "low", p[i].low);
		if (p[i].has_high)
			json_u64(doc, "high", p[i].high);
		json_bool(doc, "carried", p[i].carried);
		json_end(doc);
	}
	json_end(doc);
	json_end(doc);
}

static void json_iops(const struct result_interval *i, struct json *doc)
{
	if (!i->batches)
		return;
	json_object(doc, "iops");
	json_f64(doc, "mean", i->mean);
	json_f64(doc, "low", i->low);
	json_f64(doc, "high", i->high);
	json_u64(doc, "batches", i->batches);
	json_f64(doc, "batch_seconds", i->batch_seconds);
	json_bool(doc, "correlated", i->correlated);
	json_end(doc);
}

static void job_json(const void *self, const struct result *r, const struct result_job *j,
		     struct json *doc)
{
	const struct result_dir *d;
	const char *name;

	(void)self;
	(void)r;
	json_object(doc, "statistics");
	json_f64(doc, "confidence", j->confidence * 100);
	for (size_t i = 0; (d = reporter_dir(j, i, &name)); i++) {
		if (!d->bytes)
			continue;
		json_object(doc, name);
		json_iops(&d->iops_mean, doc);
		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
			json_percentiles(j, lat_of(d, &kinds[k]), kinds[k].json_name, doc);
		json_end(doc);
	}
	json_end(doc);
}

/* No "th=[": what reads fio's tables must not read these. */
static void text_percentiles(const struct result_job *j, const struct result_lat *l,
			     const char *name, FILE *out)
{
	struct bounded p[RESULT_PERCENTILES_MAX];
	size_t count = bound_percentiles(j, l, p);
	struct num_percentile_unit unit;

	if (!count)
		return;
	unit = num_percentile_unit(p[0].value, p[count - 1].value);
	fprintf(out, "     %s percentiles lie between (%s):", name, unit.unit);
	for (size_t i = 0; i < count; i++) {
		fprintf(out, "%s%s%g%%=", i ? "," : "", i % 4 ? " " : "\n       ", p[i].percent);
		if (p[i].has_low)
			fprintf(out, "%" PRIu64, p[i].low / unit.ns);
		fputs("..", out);
		if (p[i].has_high)
			fprintf(out, "%" PRIu64, num_percentile(p[i].high, unit));
	}
	fputc('\n', out);
}

static void text_iops(const struct result_interval *i, FILE *out)
{
	if (i->batches)
		fprintf(out, "IOPS lies between %.1f and %.1f (mean of %" PRIu64 " batches of "
			"%gs%s)\n", i->low, i->high, i->batches, i->batch_seconds,
			i->correlated ? "; they still depend on one another" : "");
	else
		fputs("the run was too short to tell how far IOPS may be off\n", out);
}

static void job_text(const void *self, const struct result *r, const struct result_job *j,
		     FILE *out)
{
	const struct statistics *s = self;
	const struct result_dir *d;
	const char *name;

	(void)r;
	if (!s->run || !s->run->flags->confidence_text)
		return;
	for (size_t i = 0; (d = reporter_dir(j, i, &name)); i++) {
		if (!d->bytes)
			continue;
		fprintf(out, "  confidence   : %g%%, %s: ", j->confidence * 100, name);
		text_iops(&d->iops_mean, out);
		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
			text_percentiles(j, lat_of(d, &kinds[k]), kinds[k].name, out);
	}
}

/* ---- Groups ---------------------------------------------------------------------------------- */

static uint64_t whole_number(double v)
{
	return (uint64_t)(v + 0.5);
}

/* Of a single worker all of these are what fio's line says. */
static void group_text(const void *self, const struct result *r, const struct result_group *g,
		       int dir, FILE *out)
{
	const struct result_together *t = &g->dir[dir].together;

	(void)self;
	(void)r;
	if (t->workers < 2)
		return;
	if (t->all_ns)
		fprintf(out, "         all at work: %s for %" PRIu64 "msec",
			num_rate_pair(whole_number(t->all_bw), g->style).s, t->all_ns / 1000000);
	else
		fputs("         all at work: never at once", out);
	fprintf(out, "; to the last one's end: %s\n",
		num_rate_pair(whole_number(t->whole_bw), g->style).s);
	fprintf(out, "         %u workers: min=%s, median=%s, max=%s\n", t->workers,
		num_rate(whole_number(t->min_bw), g->style).s,
		num_rate(whole_number(t->median_bw), g->style).s,
		num_rate(whole_number(t->max_bw), g->style).s);
}

static void json_group(const struct result_group *g, int dir, const char *name, struct json *doc)
{
	const struct result_together *t = &g->dir[dir].together;

	if (!t->workers)
		return;
	json_object(doc, name);
	json_u64(doc, "workers", t->workers);
	json_u64(doc, "bw_bytes", g->dir[dir].agg);
	json_u64(doc, "all_at_work_bw_bytes", whole_number(t->all_bw));
	json_f64(doc, "all_at_work_seconds", (double)t->all_ns / 1e9);
	json_u64(doc, "to_last_end_bw_bytes", whole_number(t->whole_bw));
	json_f64(doc, "to_last_end_seconds", (double)t->whole_ns / 1e9);
	json_u64(doc, "worker_bw_bytes_min", whole_number(t->min_bw));
	json_u64(doc, "worker_bw_bytes_median", whole_number(t->median_bw));
	json_u64(doc, "worker_bw_bytes_max", whole_number(t->max_bw));
	json_end(doc);
}

static void run_json(const void *self, const struct result *r, struct json *doc)
{
	(void)self;
	json_array(doc, "groups");
	for (size_t i = 0; i < r->nr_groups; i++) {
		const struct result_group *g = &r->groups[i];

		json_object(doc, NULL);
		json_i64(doc, "groupid", g->id);
		for (int d = 0; d < DIRS; d++)
			json_group(g, d, reporter_dirs[d], doc);
		if (g->unified != MEASURE_APART)
			json_group(g, RESULT_MIXED, "mixed", doc);
		json_end(doc);
	}
	json_end(doc);
}

/* ---- What goes into every result ------------------------------------------------------------- */

/* The directions, as bits, that stand at this place of a result. */
static uint32_t dirs_of(int dir)
{
	return dir == RESULT_MIXED ? RW_DIRS : 1u << dir;
}

static void fill_iops(const struct statistics *s, const struct result_job *j, int dir,
		      struct result_interval *out)
{
	struct interval_mean mean;
	uint64_t span_ns;

	if (!series_iops(s->run->series, j->members, (size_t)j->jobs, dirs_of(dir), j->confidence,
			 &mean, &span_ns))
		return;
	*out = (struct result_interval){
		.mean = mean.mean, .low = fmax(mean.low, 0), .high = mean.high,
		.batches = mean.batches, .correlated = mean.alike,
		.batch_seconds = (double)mean.per_batch * (double)span_ns / 1e9,
	};
}

static void on_fill(void *self, const struct observed *run, struct result *r)
{
	const struct statistics *s = self;
	uint64_t now_ns = clock_now_ns();

	for (size_t i = 0; s->ready && i < r->nr_jobs; i++)
		for (int d = 0; d <= RESULT_MIXED; d++)
			if (r->jobs[i].dir[d].bytes)
				fill_iops(s, &r->jobs[i], d, &r->jobs[i].dir[d].iops_mean);
	for (size_t i = 0; s->ready && i < r->nr_groups; i++)
		for (int d = 0; d <= RESULT_MIXED; d++)
			together_figures(&s->together, run->crew, r->groups[i].id, dirs_of(d),
					 now_ns, &r->groups[i].dir[d].together);
}

const struct observer statistics_observer = {
	.name = "statistics",
	.state_bytes = sizeof(struct statistics),
	.ready = on_ready,
	.look = on_look,
	.finish = on_finish,
	.fill = on_fill,
	.job_text = job_text,
	.job_json = job_json,
	.group_text = group_text,
	.run_json = run_json,
	.done = on_done,
};
