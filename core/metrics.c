/* SPDX-License-Identifier: MIT */
/*
 * The text format of Prometheus ("exposition formats", version 0.0.4): all samples of a metric
 * stand together behind its HELP and TYPE. Counters only grow while a run lasts; units are seconds
 * and bytes.
 */
#include "core/metrics.h"

#include "core/periods.h"
#include "core/reporter.h"
#include "lib/printable.h"
#include "os/replace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BUCKET_FIRST	7	/* upper bounds of the histogram: powers of two of ns less one, */
#define BUCKET_LAST	36	/* 127 ns to 69 s, where bins have a border */

struct metrics {
	struct periods periods;
	int err;			/* of the write that was last */
	bool begun;
	const char *path;
};

/* ------------------------------------------------------------------ samples */

/* The value of a label: text of others, in quotes. */
static void put_quoted(const char *text, FILE *out)
{
	fputc('"', out);
	printable_put(text, strlen(text), "\"\\", out);
	fputc('"', out);
}

static void put_head(const char *name, const char *type, const char *help, FILE *out)
{
	fprintf(out, "# HELP fio_like_%s %s\n# TYPE fio_like_%s %s\n", name, help, name, type);
}

/* The name of a sample and the labels of a job; more labels and the closing brace follow. */
static void put_name(const struct periods *p, size_t job, const char *name, FILE *out)
{
	const struct result_job *j = &p->now.jobs[job];

	fprintf(out, "fio_like_%s{number=\"%zu\",group=\"%d\",job=", name, job, j->group);
	put_quoted(j->name, out);
}

static void put_count(const struct periods *p, size_t job, const char *name, const char *dir,
		      uint64_t value, FILE *out)
{
	put_name(p, job, name, out);
	fprintf(out, ",direction=\"%s\"} %" PRIu64 "\n", dir, value);
}

/* ------------------------------------------------------------------ directions */

/* Of one direction of one job: since it began, and in the last period. */
struct view {
	const struct result_dir *total, *last;
	double seconds;			/* of the period */
};

/* Writes the samples of one metric for one direction of one job. */
typedef void (*sample_fn)(const struct periods *p, size_t job, const char *dir,
			  const struct view *v, FILE *out);

static void each(const struct periods *p, sample_fn sample, FILE *out)
{
	for (size_t i = 0; i < p->now.nr_jobs; i++) {
		const struct period *one = &p->list[i];
		const struct result_dir *total;
		const char *name;

		for (size_t n = 0; (total = reporter_dir(&p->now.jobs[i], n, &name)); n++) {
			struct view v = {
				total, &one->dir[total - p->now.jobs[i].dir],
				(double)(one->end_ns - one->begin_ns) / 1e9,
			};

			if (total->ios)
				sample(p, i, name, &v, out);
		}
	}
}

static void ios(const struct periods *p, size_t job, const char *dir, const struct view *v,
		FILE *out)
{
	put_count(p, job, "ios_total", dir, v->total->returned_ios, out);
}

static void bytes(const struct periods *p, size_t job, const char *dir, const struct view *v,
		  FILE *out)
{
	put_count(p, job, "bytes_total", dir, v->total->bytes, out);
}

static void short_ios(const struct periods *p, size_t job, const char *dir, const struct view *v,
		      FILE *out)
{
	put_count(p, job, "short_ios_total", dir, v->total->short_ios, out);
}

static void errors(const struct periods *p, size_t job, const char *dir, const struct view *v,
		   FILE *out)
{
	put_count(p, job, "errors_total", dir, v->total->errors, out);
}

static void rate(const struct periods *p, size_t job, const char *name, const char *dir,
		 uint64_t count, double seconds, FILE *out)
{
	put_name(p, job, name, out);
	fprintf(out, ",direction=\"%s\"} %.3f\n", dir,
		seconds > 0 ? (double)count / seconds : 0.0);
}

static void last_iops(const struct periods *p, size_t job, const char *dir, const struct view *v,
		      FILE *out)
{
	rate(p, job, "last_iops", dir, v->last->ios, v->seconds, out);
}

static void last_bandwidth(const struct periods *p, size_t job, const char *dir,
			   const struct view *v, FILE *out)
{
	rate(p, job, "last_bytes_per_second", dir, v->last->bytes, v->seconds, out);
}

/* ------------------------------------------------------------------ latencies */

/* Calls put for each kind of latency whose percentiles are wanted. */
static void each_kind(const struct result_dir *d,
		      void (*put)(const char *kind, const struct result_lat *l, void *ctx),
		      void *ctx)
{
	if (d->slat.percentiles && d->slat.n)
		put("slat", &d->slat, ctx);
	if (d->clat.percentiles && d->clat.n)
		put("clat", &d->clat, ctx);
	if (d->lat.percentiles && d->lat.n)
		put("lat", &d->lat, ctx);
	if (d->intended.percentiles && d->intended.n)
		put("intended", &d->intended, ctx);
}

struct latency_sample {
	const struct periods *p;
	size_t job;
	const char *dir;
	FILE *out;
};

static void put_latency_name(const struct latency_sample *s, const char *name, const char *kind)
{
	put_name(s->p, s->job, name, s->out);
	fprintf(s->out, ",direction=\"%s\",kind=\"%s\"", s->dir, kind);
}

static void put_histogram(const char *kind, const struct result_lat *l, void *ctx)
{
	const struct latency_sample *s = ctx;
	uint64_t below = 0;
	unsigned bin = 0;

	for (int k = BUCKET_FIRST; k <= BUCKET_LAST; k++) {
		for (; bin < hist_index(1ull << k); bin++)
			below += l->bins[bin];
		put_latency_name(s, "latency_seconds_bucket", kind);
		fprintf(s->out, ",le=\"%.12g\"} %" PRIu64 "\n", (double)((1ull << k) - 1) / 1e9,
			below);
	}
	put_latency_name(s, "latency_seconds_bucket", kind);
	fprintf(s->out, ",le=\"+Inf\"} %" PRIu64 "\n", l->n);
	put_latency_name(s, "latency_seconds_sum", kind);
	fprintf(s->out, "} %.9f\n", l->mean * (double)l->n / 1e9);
	put_latency_name(s, "latency_seconds_count", kind);
	fprintf(s->out, "} %" PRIu64 "\n", l->n);
}

static void histogram(const struct periods *p, size_t job, const char *dir, const struct view *v,
		      FILE *out)
{
	struct latency_sample s = { p, job, dir, out };

	each_kind(v->total, put_histogram, &s);
}

static void put_quantiles(const char *kind, const struct result_lat *l, void *ctx)
{
	static const double list[] = { 50, 90, 95, 99, 99.9, 100 };
	const struct latency_sample *s = ctx;
	uint64_t values[ARRAY_SIZE(list)];

	hist_percentiles((const struct hist *)l->bins, list, ARRAY_SIZE(list), l->min, l->max,
			 values);
	values[ARRAY_SIZE(list) - 1] = l->max;
	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		put_latency_name(s, "last_latency_seconds", kind);
		fprintf(s->out, ",quantile=\"%g\"} %.9f\n", list[i] / 100, (double)values[i] / 1e9);
	}
}

static void quantiles(const struct periods *p, size_t job, const char *dir, const struct view *v,
		      FILE *out)
{
	struct latency_sample s = { p, job, dir, out };

	each_kind(v->last, put_quantiles, &s);
}

/* ------------------------------------------------------------------ the text */

static void put_jobs(const struct periods *p, FILE *out)
{
	put_head("job_running", "gauge", "1 while the jobs of this result are at work.", out);
	for (size_t i = 0; i < p->now.nr_jobs; i++) {
		put_name(p, i, "job_running", out);
		fprintf(out, "} %d\n", p->list[i].any && !p->over[i]);
	}
	put_head("job_seconds_total", "counter", "Counted time of the jobs, added up.", out);
	for (size_t i = 0; i < p->now.nr_jobs; i++) {
		put_name(p, i, "job_seconds_total", out);
		fprintf(out, "} %.3f\n", (double)p->now.jobs[i].runtime_ms / 1e3);
	}
	put_head("job_error", "gauge", "The errno of the first failure; 0 is none.", out);
	for (size_t i = 0; i < p->now.nr_jobs; i++) {
		put_name(p, i, "job_error", out);
		fprintf(out, "} %d\n", p->now.jobs[i].error);
	}
}

void metrics_write(const struct periods *p, bool running, FILE *out)
{
	static const struct {
		const char *name, *type, *help;
		sample_fn sample;
	} all[] = {
		{ "ios_total", "counter", "I/Os that have come back.", ios },
		{ "bytes_total", "counter", "Bytes that were moved.", bytes },
		{ "short_ios_total", "counter", "I/Os that moved less than asked.", short_ios },
		{ "errors_total", "counter", "I/Os that failed.", errors },
		{ "latency_seconds", "histogram", "Latencies.", histogram },
		{ "last_iops", "gauge", "I/Os per second since the file was written last.",
		  last_iops },
		{ "last_bytes_per_second", "gauge", "Bandwidth since the file was written last.",
		  last_bandwidth },
		{ "last_latency_seconds", "gauge",
		  "Percentiles of latencies since the file was written last; 1 is the maximum.",
		  quantiles },
	};

	put_head("info", "gauge", "What wrote this.", out);
	fputs("fio_like_info{version=\"" FL_VERSION "\"} 1\n", out);
	put_head("running", "gauge", "1 while the run lasts, 0 when it has ended.", out);
	fprintf(out, "fio_like_running %d\n", running);
	put_head("written_seconds", "gauge", "When this was written, since 1970.", out);
	fprintf(out, "fio_like_written_seconds %.3f\n", (double)clock_wall_ms() / 1e3);
	put_jobs(p, out);
	for (size_t i = 0; p->now.nr_jobs && i < ARRAY_SIZE(all); i++) {
		put_head(all[i].name, all[i].type, all[i].help, out);
		each(p, all[i].sample, out);
	}
}

/* ------------------------------------------------------------------ the observer */

static int write_file(const struct metrics *m, bool running)
{
	char *text = NULL;
	size_t bytes;
	FILE *page = open_memstream(&text, &bytes);
	int err;

	if (!page)
		return -errno;
	metrics_write(&m->periods, running, page);
	err = fclose(page) ? -errno : replace_file(m->path, text, bytes);
	free(text);
	return err;
}

static const char *reason(int err)
{
	return err == -EINVAL ? "it is no regular file" : strerror(-err);
}

/* That it can be written is known before anything runs. */
static int begin(void *self, const struct observed *run, struct diag *diag)
{
	struct metrics *m = self;
	int err;

	m->path = run->flags->metrics_file;
	if (!m->path)
		return 0;
	err = write_file(m, true);
	if (err)
		diag_error(diag, NULL, "--metrics-file=%s: the file can't be written: %s", m->path,
			   reason(err));
	m->begun = !err;
	return err;
}

static void write_period(struct metrics *m, const struct observed *run, uint64_t now_ns,
			 bool running)
{
	if (!m->begun)
		return;
	m->err = periods_take(&m->periods, run->crew, run->jobs, now_ns);
	if (!m->err)
		m->err = write_file(m, running);
}

static void tick(void *self, const struct observed *run, uint64_t now_ns)
{
	write_period(self, run, now_ns, true);
}

static void finish(void *self, const struct observed *run)
{
	struct metrics *m = self;

	write_period(m, run, clock_now_ns(), false);
	if (m->err)
		diag_say(stderr, "fio-like: --metrics-file=%s: the file could not be written: %s",
			 m->path, reason(m->err));
}

static int status(const void *self)
{
	return ((const struct metrics *)self)->err ? 1 : 0;
}

static void done(void *self)
{
	periods_free(&((struct metrics *)self)->periods);
}

const struct observer metrics_observer = {
	.name = "metrics", .state_bytes = sizeof(struct metrics), .begin = begin, .tick = tick,
	.finish = finish, .status = status, .done = done,
};
