/* SPDX-License-Identifier: MIT */
/*
 * The JSON document. Scripts and typed decoders read it by key and by kind of number, so fio's keys
 * come first, in fio's order, counters as integers and rates as decimals. What only we know stands
 * in objects named "fio-like", one at the end of each job and one at the end of the document, where
 * no reader of fio's documents looks.
 */
#include "core/report_json.h"

#include "core/lifetimes.h"
#include "lib/hist.h"

#include <inttypes.h>
#include <string.h>

#define ETA_UNKNOWN	2147483647u	/* as fio says it */

/* json and json+. */
enum detail { PLAIN, WITH_BINS };

static const char *const level_names[DEPTH_BUCKETS] = { "1", "2", "4", "8", "16", "32", ">=64" };
static const char *const batch_names[DEPTH_BUCKETS] = { "0", "4", "8", "16", "32", "64", ">=64" };

/* A name set twice is one member: its last value, where it was set last. */
static void put_settings(struct json *doc, const char *key, const struct settings *s)
{
	json_object(doc, key);
	for (size_t i = 0; i < s->count; i++) {
		size_t later = i + 1;

		while (later < s->count && strcmp(s->list[i].name, s->list[later].name))
			later++;
		if (later == s->count)
			json_str(doc, s->list[i].name, s->list[i].value);
	}
	json_end(doc);
}

/* values: in the order of the job's list. */
static void put_by_percentage(struct json *doc, const char *key, const struct result_job *j,
			      const uint64_t *values, size_t count)
{
	char before[32] = "";

	json_object(doc, key);
	for (size_t i = 0; i < count; i++) {
		char name[32];

		snprintf(name, sizeof(name), "%.6f", j->percentiles[i]);
		if (strcmp(name, before))	/* the list is ascending: doubles are neighbours */
			json_u64(doc, name, values[i]);
		memcpy(before, name, sizeof(before));
	}
	json_end(doc);
}

static void put_percentiles(struct json *doc, const struct result_job *j,
			    const struct result_lat *l)
{
	uint64_t values[RESULT_PERCENTILES_MAX];
	size_t count = reporter_percentiles(j, l, values);

	if (count)
		put_by_percentage(doc, "percentile", j, values, count);
}

/* How many samples there were of each value, as far as a histogram tells values apart. */
static void put_bins(struct json *doc, const struct result_lat *l)
{
	if (!l->percentiles || !l->n)
		return;
	json_object(doc, "bins");
	for (unsigned i = 0; i < HIST_BINS; i++)
		if (l->bins[i])
			json_bin(doc, hist_value(i), l->bins[i]);
	json_end(doc);
}

static void put_lat(struct json *doc, const char *key, const struct result_job *j,
		    const struct result_lat *l, enum detail detail)
{
	json_object(doc, key);
	json_u64(doc, "min", l->min);
	json_u64(doc, "max", l->max);
	json_f64(doc, "mean", l->mean);
	json_f64(doc, "stddev", l->stddev);
	json_u64(doc, "N", l->n);
	put_percentiles(doc, j, l);
	if (detail == WITH_BINS)
		put_bins(doc, l);
	json_end(doc);
}

void report_json_lat(struct json *doc, const char *key, const struct result_job *j,
		     const struct result_lat *l)
{
	put_lat(doc, key, j, l, WITH_BINS);
}

static void put_rates(struct json *doc, const struct result_dir *d)
{
	json_u64(doc, "bw_min", (uint64_t)d->bw.min);
	json_u64(doc, "bw_max", (uint64_t)d->bw.max);
	json_f64(doc, "bw_agg", d->bw_agg);
	json_f64(doc, "bw_mean", d->bw.mean);
	json_f64(doc, "bw_dev", d->bw.dev);
	json_u64(doc, "bw_samples", d->bw.samples);
	json_u64(doc, "iops_min", (uint64_t)d->iops.min);
	json_u64(doc, "iops_max", (uint64_t)d->iops.max);
	json_f64(doc, "iops_mean", d->iops.mean);
	json_f64(doc, "iops_stddev", d->iops.dev);
	json_u64(doc, "iops_samples", d->iops.samples);
}

static void put_prios(struct json *doc, const struct result_job *j, const struct result_dir *d,
		      enum detail detail)
{
	if (!d->nr_prios)
		return;
	json_array(doc, "prios");
	for (size_t i = 0; i < d->nr_prios; i++) {
		json_object(doc, NULL);
		json_u64(doc, "prioclass", d->prios[i].prioclass);
		json_u64(doc, "prio", d->prios[i].level);
		json_u64(doc, "priohint", d->prios[i].hint);
		put_lat(doc, d->prios_total ? "lat_ns" : "clat_ns", j, &d->prios[i].lat, detail);
		json_end(doc);
	}
	json_end(doc);
}

static void put_dir(struct json *doc, const char *key, const struct result_job *j,
		    const struct result_dir *d, enum detail detail)
{
	uint64_t bandwidth = reporter_bandwidth(d);

	json_object(doc, key);
	json_u64(doc, "io_bytes", d->bytes);
	json_u64(doc, "io_kbytes", d->bytes / 1024);
	json_u64(doc, "bw_bytes", bandwidth);
	json_u64(doc, "bw", bandwidth / 1024);
	json_f64(doc, "iops", reporter_iops(d));
	json_u64(doc, "runtime", d->runtime_ms);
	json_u64(doc, "total_ios", d->ios);
	json_u64(doc, "short_ios", d->short_ios);
	json_u64(doc, "drop_ios", d->drop_ios);
	put_lat(doc, "slat_ns", j, &d->slat, detail);
	put_lat(doc, "clat_ns", j, &d->clat, detail);
	put_lat(doc, "lat_ns", j, &d->lat, detail);
	put_prios(doc, j, d, detail);
	put_rates(doc, d);
	if (d->has_intended)
		put_lat(doc, "intended_lat_ns", j, &d->intended, detail);
	json_end(doc);
}

/* Syncs have a place among the directions, behind the last; where these are one they have none. */
static void put_sync(struct json *doc, const struct result_job *j, enum detail detail)
{
	json_object(doc, "sync");
	json_u64(doc, "total_ios", j->sync_ios);
	put_lat(doc, "lat_ns", j, &j->sync, detail);
	json_end(doc);
}

void report_json_sync(struct json *doc, const struct result_job *j)
{
	put_sync(doc, j, WITH_BINS);
}

static void put_dirs(struct json *doc, const struct result_job *j, enum detail detail)
{
	const struct result_dir *d;
	const char *name;

	for (size_t i = 0; (d = reporter_dir(j, i, &name)); i++) {
		if (d == &j->dir[RESULT_MIXED] && j->unified == MEASURE_BOTH)
			put_sync(doc, j, detail);
		put_dir(doc, name, j, d, detail);
	}
	if (j->unified == MEASURE_APART)
		put_sync(doc, j, detail);
}

static void put_shares(struct json *doc, const char *key, const char *const names[DEPTH_BUCKETS],
		       const uint64_t counts[DEPTH_BUCKETS])
{
	double percent[DEPTH_BUCKETS];

	reporter_shares(counts, percent);
	json_object(doc, key);
	for (size_t i = 0; i < DEPTH_BUCKETS; i++)
		json_f64(doc, names[i], percent[i]);
	json_end(doc);
}

static void put_distribution(struct json *doc, const char *key, const double *percent, size_t count)
{
	json_object(doc, key);
	for (size_t i = 0; i < count; i++)
		json_f64(doc, hist_lat_names[i], percent[i]);
	json_end(doc);
}

static void put_latency_target(struct json *doc, const struct result_job *j)
{
	if (j->counts_errors) {
		json_u64(doc, "total_err", j->errors);
		json_i64(doc, "first_error", j->error);
	}
	json_u64(doc, "latency_depth", j->iodepth);
	json_u64(doc, "latency_target", j->latency_target_ns / 1000);
	json_u64(doc, "latency_target_ns", j->latency_target_ns);
	json_f64(doc, "latency_percentile", reporter_latency_percentile(j));
	json_u64(doc, "latency_window", j->latency_window_ns / 1000);
	json_u64(doc, "latency_window_us", j->latency_window_ns / 1000);
}

static void put_samples(struct json *doc, const struct steady_window *w, enum steady_of of,
			const char *key)
{
	json_array(doc, key);
	for (size_t i = 0; i < w->size; i++)
		json_u64(doc, NULL, steady_at(w, of, i));
	json_end(doc);
}

/* A share of the mean has a % behind it, and so both are text. */
static void put_limit(struct json *doc, const char *key, const char *before, double value,
		      bool percent)
{
	char text[400];		/* the largest double has 309 digits */

	snprintf(text, sizeof(text), "%s%f%s", before, value, percent ? "%" : "");
	json_str(doc, key, text);
}

static void put_steady(struct json *doc, const struct result_steady *s)
{
	const struct steady_criterion *c = s->criterion;
	bool lat = c->of == STEADY_LAT;
	char before[32];

	snprintf(before, sizeof(before), "%s:", steady_name(c));
	json_object(doc, "steadystate");
	put_limit(doc, "ss", before, c->limit, c->percent);
	json_u64(doc, "duration", s->duration_ns / 1000000000);
	json_u64(doc, "attained", s->attained);
	put_limit(doc, "criterion", "", s->verdict->value, c->percent);
	json_f64(doc, "max_deviation", s->verdict->deviation);
	json_f64(doc, "slope", s->verdict->slope);
	json_object(doc, "data");
	json_u64(doc, "bw_mean", (uint64_t)steady_mean(s->window, STEADY_BW));
	json_u64(doc, "iops_mean", (uint64_t)steady_mean(s->window, STEADY_IOPS));
	if (lat)
		json_u64(doc, "lat_mean", (uint64_t)steady_mean(s->window, STEADY_LAT));
	put_samples(doc, s->window, STEADY_IOPS, "iops");
	put_samples(doc, s->window, STEADY_BW, "bw");
	if (lat)
		put_samples(doc, s->window, STEADY_LAT, "lat");
	json_end(doc);
	json_end(doc);
}

static void put_lifetimes(struct json *doc, const struct result_job *j)
{
	uint64_t values[RESULT_PERCENTILES_MAX];
	size_t count = reporter_lifetimes(j, values);

	if (!count)
		return;
	json_object(doc, "block");
	put_by_percentage(doc, "percentiles", j, values, count);
	json_object(doc, "states");
	for (int i = 0; i < LIFETIMES; i++)
		json_u64(doc, lifetime_names[i], j->lives->states[i]);
	json_end(doc);
	json_end(doc);
}

/* key: NULL in a list. */
static void put_engine(struct json *doc, const char *key, const struct result_job *j,
		       const struct result_engine *e, enum detail detail)
{
	json_object(doc, key);
	json_str(doc, "name", e->name);
	json_str(doc, e->above ? "below" : "origin", e->above ? e->above : e->origin);
	json_object(doc, "counters");
	for (size_t i = 0; i < e->nr_counters; i++)
		json_u64(doc, e->counters[i].name, e->counters[i].value);
	json_end(doc);
	if (e->nr_observed) {
		json_object(doc, "histograms_ns");
		for (size_t i = 0; i < e->nr_observed; i++)
			put_lat(doc, e->observed[i].name, j, &e->observed[i].lat, detail);
		json_end(doc);
	}
	json_end(doc);
}

static void put_engines(struct json *doc, const struct result_job *j, enum detail detail)
{
	put_engine(doc, "engine", j, &j->engine, detail);
	if (!j->nr_others)
		return;
	json_array(doc, "other_engines");
	for (size_t i = 0; i < j->nr_others; i++)
		put_engine(doc, NULL, j, &j->others[i], detail);
	json_end(doc);
}

static void put_faults(struct json *doc, const struct result_job *j)
{
	struct reporter_fault_rates rates = reporter_fault_rates(j);

	json_object(doc, "faults");
	json_u64(doc, "minor", j->minf);
	json_u64(doc, "major", j->majf);
	json_f64(doc, "minor_per_second", rates.per_second);
	json_f64(doc, "minor_per_io", rates.per_io);
	json_f64(doc, "minor_per_pass", rates.per_pass);
	json_end(doc);
}

static void put_notes(struct json *doc, const char *const *notes, size_t count)
{
	json_array(doc, "notes");
	for (size_t i = 0; i < count; i++)
		json_str(doc, NULL, notes[i]);
	json_end(doc);
}

static void put_log(struct json *doc, const struct result_job *j)
{
	if (!j->log_entries)
		return;
	json_object(doc, "log");
	json_u64(doc, "entries", j->log_entries);
	json_u64(doc, "waits", j->log_waits);
	json_f64(doc, "wait_seconds", (double)j->log_wait_ns / 1e9);
	json_end(doc);
}

/* What fio has no key for. */
static void put_job_own(struct json *doc, const struct result *r, const struct result_job *j,
			enum detail detail)
{
	json_object(doc, "fio-like");
	json_i64(doc, "jobs", j->jobs);
	if (j->unified == MEASURE_MIXED && j->sync_ios)
		put_sync(doc, j, detail);
	put_engines(doc, j, detail);
	put_faults(doc, j);
	json_object(doc, "buffer");
	json_u64(doc, "address_mod_64", j->buffer_mod64);
	json_end(doc);
	json_u64(doc, "passes", j->passes);
	if (j->verifies) {
		json_object(doc, "verify");
		json_u64(doc, "blocks", j->verify_blocks);
		json_u64(doc, "wrong", j->verify_wrong);
		json_end(doc);
	}
	put_log(doc, j);
	json_f64(doc, "usr_seconds", (double)j->usr_us / 1e6);
	json_f64(doc, "sys_seconds", (double)j->sys_us / 1e6);
	json_u64(doc, "errors", j->errors);
	json_str(doc, "error_text", j->error_text);
	json_i64(doc, "signal", j->signal);
	put_notes(doc, j->notes, j->nr_notes);
	if (r->added)
		r->added->job_json(r->added->ctx, r, j, doc);
	json_end(doc);
}

static void put_job(struct json *doc, const struct result *r, const struct result_job *j,
		    enum detail detail)
{
	json_str(doc, "jobname", j->name);
	json_i64(doc, "groupid", j->group);
	json_u64(doc, "job_start", j->start_ms);
	json_i64(doc, "error", j->error);
	json_u64(doc, "eta", j->eta_s < 0 ? ETA_UNKNOWN : (uint64_t)j->eta_s);
	json_u64(doc, "elapsed", j->elapsed_s);
	put_settings(doc, "job options", &j->echo);
	put_dirs(doc, j, detail);
	json_u64(doc, "job_runtime", j->runtime_ms);
	json_f64(doc, "usr_cpu", j->usr_cpu);
	json_f64(doc, "sys_cpu", j->sys_cpu);
	json_u64(doc, "ctx", j->ctx);
	json_u64(doc, "majf", j->majf);
	json_u64(doc, "minf", j->minf);
	put_shares(doc, "iodepth_level", level_names, j->depth);
	put_shares(doc, "iodepth_submit", batch_names, j->submit);
	put_shares(doc, "iodepth_complete", batch_names, j->complete);
	put_distribution(doc, "latency_ns", j->lat_ns_pct, ARRAY_SIZE(j->lat_ns_pct));
	put_distribution(doc, "latency_us", j->lat_us_pct, ARRAY_SIZE(j->lat_us_pct));
	put_distribution(doc, "latency_ms", j->lat_ms_pct, ARRAY_SIZE(j->lat_ms_pct));
	put_latency_target(doc, j);
	if (j->description)
		json_str(doc, "desc", j->description);
	put_lifetimes(doc, j);
	if (j->steady)
		put_steady(doc, j->steady);
	put_job_own(doc, r, j, detail);
}

void report_json_job(struct json *doc, const struct result *r, const struct result_job *j)
{
	put_job(doc, r, j, WITH_BINS);
}

static void put_disk(struct json *doc, const struct result_disk *d)
{
	const struct result_disk_use *u = &d->use, *p = &d->of_parts;

	json_object(doc, NULL);
	json_str(doc, "name", d->name);
	json_u64(doc, "read_ios", u->read_ios);
	json_u64(doc, "write_ios", u->write_ios);
	json_u64(doc, "read_sectors", u->read_sectors);
	json_u64(doc, "write_sectors", u->write_sectors);
	json_u64(doc, "read_merges", u->read_merges);
	json_u64(doc, "write_merges", u->write_merges);
	json_u64(doc, "read_ticks", u->read_ticks);
	json_u64(doc, "write_ticks", u->write_ticks);
	json_u64(doc, "in_queue", u->in_queue);
	json_f64(doc, "util", u->util);
	if (d->parts) {
		json_u64(doc, "aggr_read_ios", p->read_ios);
		json_u64(doc, "aggr_write_ios", p->write_ios);
		json_u64(doc, "aggr_read_sectors", p->read_sectors);
		json_u64(doc, "aggr_write_sectors", p->write_sectors);
		json_u64(doc, "aggr_read_merges", p->read_merges);
		json_u64(doc, "aggr_write_merge", p->write_merges);	/* so it is called */
		json_u64(doc, "aggr_read_ticks", p->read_ticks);
		json_u64(doc, "aggr_write_ticks", p->write_ticks);
		json_u64(doc, "aggr_in_queue", p->in_queue);
		json_f64(doc, "aggr_util", p->util);
	}
	json_end(doc);
}

static void put_idle(struct json *doc, const struct result_idle *idle)
{
	char name[32];

	json_object(doc, "cpu_idleness");
	json_f64(doc, "system", idle->system);
	for (size_t i = 0; idle->each && i < idle->nr; i++) {
		snprintf(name, sizeof(name), "cpu-%u", idle->cpus[i].number);
		json_f64(doc, name, idle->cpus[i].percent);
	}
	json_f64(doc, "unit_mean", idle->unit_ns / 1000);
	json_f64(doc, "unit_stddev", idle->unit_stddev_ns / 1000);
	json_end(doc);
}

static void put_run_own(struct json *doc, const struct result *r)
{
	json_object(doc, "fio-like");
	json_str(doc, "version", FL_VERSION);
	json_bool(doc, "final", r->final);
	json_i64(doc, "stopped_by", r->stopped_by);
	json_object(doc, "clock");
	json_str(doc, "source", r->clock);
	json_f64(doc, "ghz", r->clock_ghz);
	json_f64(doc, "cost_ns", r->clock_cost_ns);
	json_f64(doc, "error_ppm", r->clock_error_ppm);
	json_end(doc);
	json_i64(doc, "cpus", r->cpus);
	put_notes(doc, r->notes, r->nr_notes);
	if (r->added)
		r->added->run_json(r->added->ctx, r, doc);
	json_end(doc);
}

static void put_document(const struct result *r, enum detail detail, FILE *out)
{
	char time[REPORTER_TIME_BYTES];
	struct json doc;

	json_init(&doc, out);
	json_object(&doc, NULL);
	json_str(&doc, "fio version", REPORTER_VERSION);
	json_u64(&doc, "timestamp", r->wall_ms / 1000);
	json_u64(&doc, "timestamp_ms", r->wall_ms);
	json_str(&doc, "time", reporter_time(r->wall_ms, time));
	if (r->echo_global)
		put_settings(&doc, "global options", &r->global_echo);
	json_array(&doc, "jobs");
	for (size_t i = 0; i < r->nr_jobs; i++) {
		json_object(&doc, NULL);
		put_job(&doc, r, &r->jobs[i], detail);
		json_end(&doc);
	}
	json_end(&doc);
	if (r->disk_util && r->nr_disks) {
		json_array(&doc, "disk_util");
		for (size_t i = 0; i < r->nr_disks; i++)
			put_disk(&doc, &r->disks[i]);
		json_end(&doc);
	}
	if (r->idle)
		put_idle(&doc, r->idle);
	put_run_own(&doc, r);
	json_end(&doc);
}

static void final(const struct result *r, const struct reporter_how *how, FILE *out)
{
	(void)how;
	put_document(r, PLAIN, out);
}

static void final_plus(const struct result *r, const struct reporter_how *how, FILE *out)
{
	(void)how;
	put_document(r, WITH_BINS, out);
}

const struct reporter reporter_json = {
	.name = "json",
	.help = "one JSON document with everything that was measured",
	.final = final,
};

const struct reporter reporter_json_plus = {
	.name = "json+",
	.help = "json with the histograms of latencies: `bins`",
	.final = final_plus,
};
