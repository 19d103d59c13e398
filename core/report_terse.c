/* SPDX-License-Identifier: MIT */
/*
 * The table for scripts and spreadsheets. Readers count columns, so what is not known is 0 and
 * never left out, and nothing of ours is added: the columns of a version are fio's, one for one.
 * What the versions differ in is told by struct layout.
 */
#include "core/report_terse.h"

#include "lib/hist.h"

#include <inttypes.h>
#include <string.h>

#define PERCENTILE_COLUMNS	20u

struct layout {
	unsigned version;
	bool program;		/* names the program behind the version */
	bool trim;		/* has columns for trims */
	bool iops;		/* has counts of samples, and the samples of IOPS */
	bool disks;		/* ends with the disks */
	bool own_line;		/* a description stands on the next line */
};

static const struct layout layouts[] = {
	{ .version = 2, .trim = true, .own_line = true },
	{ .version = 3, .program = true, .disks = true },
	{ .version = 4, .program = true, .trim = true, .disks = true },
	{ .version = 5, .program = true, .trim = true, .iops = true, .disks = true },
};

static const struct layout *layout_of(unsigned version)
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].version == version)
			return &layouts[i];
	fl_assert(!"a version of the table that is none");
	return NULL;
}

/* The name is one column whatever is in it. */
static void put_name(const char *name, FILE *out)
{
	for (size_t length; *name; name += length) {
		char part[256];

		length = fl_min(strcspn(name, ";"), sizeof(part) - 1);
		if (*name == ';') {
			fputc(',', out);
			length = 1;
			continue;
		}
		memcpy(part, name, length);
		part[length] = '\0';
		reporter_text(part, out);
	}
}

static void put_lat(const struct result_lat *l, FILE *out)
{
	fprintf(out, ";%" PRIu64 ";%" PRIu64 ";%f;%f", l->min / 1000, l->max / 1000, l->mean / 1000,
		l->stddev / 1000);
}

/* There is room for one kind: total latency where percentiles of it were asked for. */
static void put_percentiles(const struct result_job *j, const struct result_dir *d, FILE *out)
{
	const struct result_lat *l = d->lat.percentiles ? &d->lat : &d->clat;
	uint64_t values[RESULT_PERCENTILES_MAX] = { 0 };
	size_t count = l->percentiles ? j->nr_percentiles : 0;

	reporter_percentiles(j, l, values);
	for (size_t i = 0; i < PERCENTILE_COLUMNS; i++) {
		if (i < count)
			fprintf(out, ";%f%%=%" PRIu64, j->percentiles[i], values[i] / 1000);
		else
			fputs(";0%=0", out);
	}
}

static void put_dir(const struct layout *layout, const struct result_job *j,
		    const struct result_dir *d, FILE *out)
{
	const struct result_rate *bw = &d->bw, *iops = &d->iops;

	fprintf(out, ";%" PRIu64 ";%" PRIu64 ";%" PRIu64 ";%" PRIu64, d->bytes / 1024,
		reporter_bandwidth(d) / 1024, (uint64_t)reporter_iops(d), d->runtime_ms);
	put_lat(&d->slat, out);
	put_lat(&d->clat, out);
	put_percentiles(j, d, out);
	put_lat(&d->lat, out);
	fprintf(out, ";%" PRIu64 ";%" PRIu64 ";%f%%;%f;%f", (uint64_t)bw->min, (uint64_t)bw->max,
		d->bw_agg, bw->mean, bw->dev);
	if (layout->iops)
		fprintf(out, ";%" PRIu64 ";%" PRIu64 ";%" PRIu64 ";%f;%f;%" PRIu64, bw->samples,
			(uint64_t)iops->min, (uint64_t)iops->max, iops->mean, iops->dev,
			iops->samples);
}

/* What is below 2 us is one column. Of the samples: a sum of rounded shares would exceed them. */
static double share_below_2us(const struct result_job *j)
{
	uint64_t below = 0, total = 0;

	for (int i = 0; i < DIRS; i++) {
		const struct result_lat *l = &j->dir[i].clat;
		struct hist_lat_table table;

		if (!l->bins)
			continue;
		hist_latency_table((const struct hist *)l->bins, &table);
		for (size_t k = 0; k < ARRAY_SIZE(table.ns); k++)
			below += table.ns[k];
		below += table.us[0];
		total += l->n;
	}
	return hist_lat_percent(below, total);
}

static void put_shares(const struct result_job *j, FILE *out)
{
	double depth[DEPTH_BUCKETS];

	reporter_shares(j->depth, depth);
	for (size_t i = 0; i < DEPTH_BUCKETS; i++)
		fprintf(out, ";%3.1f%%", depth[i]);
	fprintf(out, ";%3.2f%%", share_below_2us(j));
	for (size_t i = 1; i < ARRAY_SIZE(j->lat_us_pct); i++)
		fprintf(out, ";%3.2f%%", j->lat_us_pct[i]);
	for (size_t i = 0; i < ARRAY_SIZE(j->lat_ms_pct); i++)
		fprintf(out, ";%3.2f%%", j->lat_ms_pct[i]);
}

static void put_disk_use(const char *name, const struct result_disk_use *u, FILE *out)
{
	fprintf(out, ";%s;%" PRIu64 ";%" PRIu64 ";%" PRIu64 ";%" PRIu64 ";%" PRIu64 ";%" PRIu64
		";%" PRIu64 ";%3.2f%%", name, u->read_ios, u->write_ios, u->read_merges,
		u->write_merges, u->read_ticks, u->write_ticks, u->in_queue, u->util);
}

static void put_disks(const struct result *r, FILE *out)
{
	for (size_t i = 0; r->disk_util && i < r->nr_disks; i++) {
		const struct result_disk *d = &r->disks[i];

		put_disk_use(d->name, &d->use, out);
		if (d->parts)
			put_disk_use("slaves", &d->of_parts, out);
	}
}

static void put_job(const struct layout *layout, const struct result *r,
		    const struct result_job *j, FILE *out)
{
	const struct result_dir *d;
	const char *name;

	fprintf(out, "%u;", layout->version);
	if (layout->program)
		fputs(REPORTER_VERSION ";", out);
	put_name(j->name, out);
	fprintf(out, ";%d;%d", j->group, j->error);
	for (size_t i = 0; (d = reporter_dir(j, i, &name)); i++)
		if (d != &j->dir[DIR_TRIM] || layout->trim)
			put_dir(layout, j, d, out);
	fprintf(out, ";%f%%;%f%%;%" PRIu64 ";%" PRIu64 ";%" PRIu64, j->usr_cpu, j->sys_cpu, j->ctx,
		j->majf, j->minf);
	put_shares(j, out);
	if (layout->disks)
		put_disks(r, out);
	if (j->counts_errors)
		fprintf(out, ";%" PRIu64 ";%d", j->errors, j->error);
	if (j->description) {
		fputs(layout->own_line ? "\n;" : ";", out);
		reporter_text(j->description, out);
	}
	fputc('\n', out);
}

static void final(const struct result *r, const struct reporter_how *how, FILE *out)
{
	const struct layout *layout = layout_of(how->terse_version);

	for (size_t i = 0; i < r->nr_jobs; i++)
		put_job(layout, r, &r->jobs[i], out);
}

const struct reporter reporter_terse = {
	.name = "terse",
	.help = "a line of columns per job, parted by semicolons (see --terse-version)",
	.final = final,
};
