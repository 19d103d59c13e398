/* SPDX-License-Identifier: MIT */
/*
 * Lines of JSON. Keys that fio's documents have mean the same here and have the same kind of value.
 * Bins are there for every kind of latency whose percentiles are wanted, as in json+.
 */
#include "core/report_jsonl.h"

#include "core/report_json.h"
#include "lib/json.h"

static void put_dir(struct json *doc, const char *key, const struct result_job *j,
		    const struct result_dir *d, double seconds)
{
	double rate = seconds > 0 ? 1 / seconds : 0;

	json_object(doc, key);
	json_u64(doc, "io_bytes", d->bytes);
	json_u64(doc, "bw_bytes", (uint64_t)((double)d->bytes * rate));
	json_f64(doc, "iops", (double)d->ios * rate);
	json_u64(doc, "total_ios", d->ios);
	json_u64(doc, "short_ios", d->short_ios);
	json_u64(doc, "drop_ios", d->drop_ios);
	json_u64(doc, "errors", d->errors);
	report_json_lat(doc, "slat_ns", j, &d->slat);
	report_json_lat(doc, "clat_ns", j, &d->clat);
	report_json_lat(doc, "lat_ns", j, &d->lat);
	if (d->has_intended)
		report_json_lat(doc, "intended_lat_ns", j, &d->intended);
	json_end(doc);
}

/* Only directions that the job uses, or turned out to use. */
static void put_dirs(struct json *doc, const struct result_job *j, const struct period *p)
{
	double seconds = (double)(p->end_ns - p->begin_ns) / 1e9;
	const struct result_dir *total;
	const char *name;

	for (size_t i = 0; (total = reporter_dir(j, i, &name)); i++) {
		size_t d = (size_t)(total - j->dir);

		if (d == RESULT_MIXED || p->dirs & 1u << d || total->ios)
			put_dir(doc, name, j, &p->dir[d], seconds);
	}
	if (!j->sync_ios)
		return;
	json_object(doc, "sync");
	json_u64(doc, "total_ios", p->sync_ios);
	report_json_lat(doc, "lat_ns", j, &p->sync);
	json_end(doc);
}

/* number: of the job among those of the result, from 0; clones have one name. */
static void put_head(struct json *doc, const char *type, const struct result *r, size_t number)
{
	json_object(doc, NULL);
	json_str(doc, "type", type);
	json_u64(doc, "number", number);
	json_u64(doc, "timestamp_ms", r->wall_ms);
}

void report_jsonl_interval(const struct periods *p, FILE *out)
{
	for (size_t i = 0; i < p->now.nr_jobs; i++) {
		const struct result_job *j = &p->now.jobs[i];
		const struct period *one = &p->list[i];
		struct json doc;

		if (!one->any)
			continue;
		json_init_line(&doc, out);
		put_head(&doc, "interval", &p->now, i);
		json_u64(&doc, "interval", p->number);
		json_str(&doc, "jobname", j->name);
		json_i64(&doc, "groupid", j->group);
		json_i64(&doc, "jobs", j->jobs);
		json_f64(&doc, "begin_ms", (double)one->begin_ns / 1e6);
		json_f64(&doc, "end_ms", (double)one->end_ns / 1e6);
		json_i64(&doc, "error", j->error);
		put_dirs(&doc, j, one);
		json_end(&doc);
	}
}

/* A status dump is no end of a job: its interval has been told. */
static void final(const struct result *r, const struct reporter_how *how, FILE *out)
{
	(void)how;
	for (size_t i = 0; r->final && i < r->nr_jobs; i++) {
		struct json doc;

		json_init_line(&doc, out);
		put_head(&doc, "job", r, i);
		json_str(&doc, "fio version", REPORTER_VERSION);
		if (r->jobs[i].unified == MEASURE_MIXED && r->jobs[i].sync_ios)
			report_json_sync(&doc, &r->jobs[i]);	/* a document has no place for it */
		report_json_job(&doc, r, &r->jobs[i]);
		json_end(&doc);
	}
}

const struct reporter reporter_jsonl = {
	.name = "jsonl",
	.help = "lines of JSON: of each job in each interval, and at the end",
	.final = final,
};
