/* SPDX-License-Identifier: MIT */
/*
 * The text for people. The lines that fio prints too have its order and its words, since there are
 * scripts that cut numbers out of them; our own follow after fio's last line of the job.
 */
#include "core/report_normal.h"

#include "core/lifetimes.h"
#include "core/report_normal_lat.h"
#include "lib/numfmt.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

/* A style nobody filled in. */
static struct num_style style_or_default(struct num_style style)
{
	if (!style.figures)
		style.figures = NUM_FIGURES_DEFAULT;
	return style;
}

/* ---- Before the run -------------------------------------------------------------------------- */

static void put_section(const struct result_section *s, FILE *out)
{
	static const char letters[DIRS] = { [DIR_READ] = 'R', [DIR_WRITE] = 'W', [DIR_TRIM] = 'T' };
	struct num_style style = style_or_default(s->style);

	reporter_text(s->name, out);
	fprintf(out, ": (g=%d): rw=%s, bs=", s->group, s->rw);
	for (int i = 0; i < DIRS; i++)
		fprintf(out, "(%c) %s-%s, ", letters[i], num_bytes(s->bs.v[i].lo, style).s,
			num_bytes(s->bs.v[i].hi, style).s);
	fputs("ioengine=", out);
	reporter_text(s->engine, out);
	fprintf(out, ", iodepth=%u\n", s->iodepth);
	if (s->clones > 1)
		fputs("...\n", out);
}

static void header(const struct result_section *sections, size_t count, FILE *out)
{
	unsigned threads = 0, processes = 0;

	for (size_t i = 0; i < count; i++) {
		put_section(&sections[i], out);
		*(sections[i].thread ? &threads : &processes) += sections[i].clones;
	}
	fprintf(out, "%s\nStarting ", REPORTER_VERSION);
	if (threads)
		fprintf(out, "%u thread%s", threads, threads == 1 ? "" : "s");
	if (threads && processes)
		fputs(" and ", out);
	if (processes || !threads)
		fprintf(out, "%u process%s", processes, processes == 1 ? "" : "es");
	fputc('\n', out);
}

static void layout(const char *job, uint64_t files, uint64_t bytes, FILE *out)
{
	const char *size = num_whole(bytes).s;

	reporter_text(job, out);
	if (files == 1)
		fprintf(out, ": Laying out IO file (1 file / %s)\n", size);
	else
		fprintf(out, ": Laying out IO files (%" PRIu64 " files / total %s)\n", files, size);
}

/* ---- One job --------------------------------------------------------------------------------- */

static void put_title(const struct result *r, const struct result_job *j, FILE *out)
{
	char time[REPORTER_TIME_BYTES];

	reporter_text(j->name, out);
	fprintf(out, ": (groupid=%d, jobs=%d): err=%2d", j->group, j->jobs, j->error);
	if (j->error) {
		bool told = j->error_text && *j->error_text;

		fputs(" (", out);
		reporter_text(told ? j->error_text : strerror(j->error), out);
		fputc(')', out);
	}
	/* If the signal is the first thing that went wrong the sentence above has named it. */
	if (j->signal && j->error != EOWNERDEAD)
		fprintf(out, " (ended by signal %d, %s)", j->signal, strsignal(j->signal));
	fprintf(out, ": pid=%d: %s\n", j->pid, reporter_time(r->wall_ms, time));
	if (!j->description)
		return;
	fputs("  Description  : [", out);
	reporter_text(j->description, out);
	fputs("]\n", out);
}

static void put_notes(const struct result_job *j, FILE *out)
{
	for (size_t i = 0; i < j->nr_notes; i++) {
		fputs("  note         : ", out);
		reporter_text(j->notes[i], out);
		fputc('\n', out);
	}
}

static void put_rates(const struct result_dir *d, FILE *out)
{
	const struct result_rate *bw = &d->bw, *iops = &d->iops;
	bool large = bw->mean > 1024 * 1024;	/* KiB/s */
	double unit = large ? 1024 : 1;

	if (bw->samples)
		fprintf(out, "   bw (  %s/s): min=%5" PRIu64 ", max=%5" PRIu64
			", per=%3.2f%%, avg=%5.2f, stdev=%5.2f, samples=%" PRIu64 "\n",
			large ? "MiB" : "KiB", (uint64_t)(bw->min / unit),
			(uint64_t)(bw->max / unit), d->bw_agg, bw->mean / unit, bw->dev / unit,
			bw->samples);
	if (iops->samples)
		fprintf(out, "   iops        : min=%5" PRIu64 ", max=%5" PRIu64
			", avg=%5.2f, stdev=%5.2f, samples=%" PRIu64 "\n", (uint64_t)iops->min,
			(uint64_t)iops->max, iops->mean, iops->dev, iops->samples);
}

/* The lines of extremes by priority, or the tables of percentiles. */
static void put_prios(const struct result_job *j, const struct result_dir *d, bool tables,
		      FILE *out)
{
	const char *kind = d->prios_total ? "lat" : "clat";
	uint64_t all = d->prios_total ? d->lat.n : d->clat.n;

	for (size_t i = 0; i < d->nr_prios; i++) {
		const struct result_prio *p = &d->prios[i];
		char name[64];
		int used = snprintf(name, sizeof(name), "%s prio %u/%u/%u", kind, p->prioclass,
				    p->level, p->hint);

		if (tables) {
			snprintf(name + used, sizeof(name) - (size_t)used, " (%.2f%% of IOs)",
				 all ? 100.0 * (double)p->lat.n / (double)all : 0);
			normal_lat_percentiles(name, j, &p->lat, out);
		} else {
			normal_lat_line(name, &p->lat, out);
		}
	}
}

static void put_dir(const struct result_job *j, const struct result_dir *d, const char *name,
		    FILE *out)
{
	struct num_style style = style_or_default(j->style);

	if (!d->runtime_ms)
		return;
	fprintf(out, "  %s: IOPS=%s, BW=%s(%s/%" PRIu64 "msec)\n", name,
		num_iops((uint64_t)reporter_iops(d), style).s,
		num_rate_pair(reporter_bandwidth(d), style).s, num_bytes(d->bytes, style).s,
		d->runtime_ms);
	normal_lat_line("slat", &d->slat, out);
	normal_lat_line("clat", &d->clat, out);
	normal_lat_line("lat", &d->lat, out);
	normal_lat_line("intended", &d->intended, out);
	put_prios(j, d, false, out);
	normal_lat_percentiles("slat", j, &d->slat, out);
	normal_lat_percentiles("clat", j, &d->clat, out);
	normal_lat_percentiles("lat", j, &d->lat, out);
	normal_lat_percentiles("intended", j, &d->intended, out);
	put_prios(j, d, true, out);
	put_rates(d, out);
}

static void put_sync(const struct result_job *j, FILE *out)
{
	if (!j->sync.n)
		return;
	fputs("  fsync/fdatasync/sync_file_range/syncfs:\n", out);
	normal_lat_line("sync", &j->sync, out);
	normal_lat_percentiles("sync", j, &j->sync, out);
}

static void put_shares(const char *title, const char *const names[DEPTH_BUCKETS],
		       const uint64_t counts[DEPTH_BUCKETS], FILE *out)
{
	double percent[DEPTH_BUCKETS];

	reporter_shares(counts, percent);
	fprintf(out, "%s: ", title);
	for (size_t i = 0; i < DEPTH_BUCKETS; i++)
		fprintf(out, "%s=%3.1f%%%s", names[i], percent[i],
			i + 1 == DEPTH_BUCKETS ? "\n" : ", ");
}

static void put_depths(const struct result_job *j, FILE *out)
{
	static const char *const depths[] = { "1", "2", "4", "8", "16", "32", ">=64" };
	static const char *const batches[] = { "0", "4", "8", "16", "32", "64", ">=64" };

	put_shares("  IO depths    ", depths, j->depth, out);
	put_shares("     submit    ", batches, j->submit, out);
	put_shares("     complete  ", batches, j->complete, out);
}

static void put_counts(const struct result_job *j, FILE *out)
{
	const struct result_dir *d = j->dir;
	struct result_dir mixed[DIRS] = { j->dir[RESULT_MIXED] };
	uint64_t errors = j->errors;
	bool several = errors > 1;	/* one error is what the title tells */

	if (j->unified == MEASURE_MIXED)
		d = mixed;
	fprintf(out, "     issued rwts: total=%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		" short=%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",0"
		" dropped=%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",0\n",
		d[DIR_READ].ios, d[DIR_WRITE].ios, d[DIR_TRIM].ios, j->sync_ios,
		d[DIR_READ].short_ios, d[DIR_WRITE].short_ios, d[DIR_TRIM].short_ios,
		d[DIR_READ].drop_ios, d[DIR_WRITE].drop_ios, d[DIR_TRIM].drop_ios);
	if (several)
		fprintf(out, "     errors    : total=%" PRIu64, errors);
	if (several && j->error)
		fprintf(out, ", first_error=%d/<%s>", j->error, strerror(j->error));
	if (several)
		fputc('\n', out);
}

/* A time with two decimals in the largest unit that keeps it at 1 or above. */
static void put_time(const char *name, uint64_t ns, FILE *out)
{
	const char *unit;
	double value = num_time((double)ns, 1000, &unit);

	fprintf(out, "%s=%.2f%s, ", name, value, unit);
}

static void put_target(const struct result_job *j, FILE *out)
{
	fputs("     latency   : ", out);
	put_time("target", j->latency_target_ns, out);
	put_time("window", j->latency_window_ns, out);
	fprintf(out, "percentile=%.2f%%, depth=%u\n", reporter_latency_percentile(j), j->iodepth);
}

static void put_steady(const struct result_job *j, FILE *out)
{
	const struct result_steady *s = j->steady;
	struct num_style style = style_or_default(j->style);
	const struct steady_criterion *c;

	if (!s)
		return;
	c = s->criterion;
	fprintf(out, "  steadystate  : attained=%s, bw=%s, iops=%s, ", s->attained ? "yes" : "no",
		num_rate_pair((uint64_t)steady_mean(s->window, STEADY_BW), style).s,
		num_iops((uint64_t)steady_mean(s->window, STEADY_IOPS), style).s);
	if (c->of == STEADY_LAT)
		fprintf(out, "lat=%s, ",
			num_duration((uint64_t)steady_mean(s->window, STEADY_LAT)).s);
	fprintf(out, "%s%s=%.3f%s\n", steady_of_names[c->of], c->slope ? " slope" : " mean dev",
		s->verdict->value, c->percent ? "%" : "");
}

/* How many trims blocks took; five a line. */
static void put_lifetimes(const struct result_job *j, FILE *out)
{
	uint64_t values[RESULT_PERCENTILES_MAX];
	size_t count = reporter_lifetimes(j, values);

	if (!count)
		return;
	fputs("  block lifetime percentiles :\n", out);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s %3.2fth=%" PRIu64 "%s", i % 5 ? "" : "   |", j->percentiles[i],
			values[i], i + 1 == count ? "\n" : i % 5 == 4 ? ",\n" : ",");
	fputs("        states               :", out);
	for (int i = 0; i < LIFETIMES; i++)
		fprintf(out, " %s=%" PRIu64 "%s", lifetime_names[i], j->lives->states[i],
			i + 1 == LIFETIMES ? "\n" : ",");
}

/* ---- What fio has no line for ---------------------------------------------------------------- */

#define COUNTERS_WIDTH	90	/* of a line of counters, before it is broken */

/* The engine's own numbers; none at all if all are 0, as for a null engine that injects nothing. */
static void put_counters(const struct result_engine *e, const char *name, FILE *out)
{
	size_t width = 0;
	bool any = false;

	for (size_t i = 0; i < e->nr_counters; i++)
		any |= e->counters[i].value != 0;
	for (size_t i = 0; any && i < e->nr_counters; i++) {
		const struct result_counter *c = &e->counters[i];
		char text[96];
		size_t len = (size_t)snprintf(text, sizeof(text), "%s=%" PRIu64, c->name, c->value);

		if (!i) {
			fputs("  engine       : ", out);
			reporter_text(name, out);
		} else if (width + len > COUNTERS_WIDTH) {
			fputs(",\n                 ", out);
			width = 0;
		} else {
			fputs(", ", out);
		}
		reporter_text(text, out);
		width += len + 2;
	}
	if (any)
		fputc('\n', out);
}

static void put_observed(const struct result_job *j, const struct result_engine *e, FILE *out)
{
	for (size_t i = 0; i < e->nr_observed; i++) {
		normal_lat_line(e->observed[i].name, &e->observed[i].lat, out);
		normal_lat_percentiles(e->observed[i].name, j, &e->observed[i].lat, out);
	}
}

/* Where there is but one it has no name. */
static void put_engines(const struct result_job *j, FILE *out)
{
	char name[80] = "";

	if (j->nr_others)
		snprintf(name, sizeof(name), "%.70s: ", j->engine.name);
	put_counters(&j->engine, name, out);
	put_observed(j, &j->engine, out);
	for (size_t i = 0; i < j->nr_others; i++) {
		const struct result_engine *e = &j->others[i];

		snprintf(name, sizeof(name), "%.60s%s: ", e->name, e->above ? " below" : "");
		put_counters(e, name, out);
		put_observed(j, e, out);
	}
}

static void put_own(const struct result *r, const struct result_job *j, FILE *out)
{
	struct reporter_fault_rates rates = reporter_fault_rates(j);

	fprintf(out, "  faults       : minor=%" PRIu64 ", major=%" PRIu64
		", minor/s=%.2f, minor/IO=%.4f, minor/pass=%.3f\n", j->minf, j->majf,
		rates.per_second, rates.per_io, rates.per_pass);
	put_engines(j, out);
	if (j->verifies)
		fprintf(out, "  verify       : %" PRIu64 " blocks checked, %" PRIu64 " wrong\n",
			j->verify_blocks, j->verify_wrong);
	fprintf(out, "  buffer       : address modulo 64 is %u\n", j->buffer_mod64);
	if (r->added)
		r->added->job_text(r->added->ctx, r, j, out);
	put_notes(j, out);
}

static void put_job(const struct result *r, const struct result_job *j, FILE *out)
{
	const struct result_dir *d;
	const char *name;

	put_title(r, j, out);
	if (!j->start_wall_ms) {
		put_notes(j, out);
		return;
	}
	for (size_t i = 0; (d = reporter_dir(j, i, &name)); i++)
		put_dir(j, d, name, out);
	normal_lat_distribution(j, out);
	put_sync(j, out);
	fprintf(out, "  cpu          : usr=%3.2f%%, sys=%3.2f%%, ctx=%" PRIu64 ", majf=%" PRIu64
		", minf=%" PRIu64 "\n", j->usr_cpu, j->sys_cpu, j->ctx, j->majf, j->minf);
	put_depths(j, out);
	put_counts(j, out);
	put_target(j, out);
	put_lifetimes(j, out);
	put_steady(j, out);
	put_own(r, j, out);
}

/* ---- The whole run --------------------------------------------------------------------------- */

static void put_group(const struct result *r, const struct result_group *g, FILE *out)
{
	static const char *const names[DIRS + 1] = {
		[DIR_READ] = "READ", [DIR_WRITE] = "WRITE", [DIR_TRIM] = "TRIM",
		[RESULT_MIXED] = "MIXED",
	};
	int first = g->unified == MEASURE_MIXED ? RESULT_MIXED : 0;
	struct num_style style = style_or_default(g->style);

	fprintf(out, "\nRun status group %d (all jobs):\n", g->id);
	for (int i = first; i <= RESULT_MIXED; i++) {
		if (!g->dir[i].max_run_ms)
			continue;
		fprintf(out, "%7s: bw=%s, %s, io=%s, run=%" PRIu64 "-%" PRIu64 "msec\n", names[i],
			num_rate_pair(g->dir[i].agg, style).s,
			num_rate_range_pair(g->dir[i].min_bw, g->dir[i].max_bw, style).s,
			num_bytes_pair(g->dir[i].bytes, style).s, g->dir[i].min_run_ms,
			g->dir[i].max_run_ms);
		if (r->added)
			r->added->group_text(r->added->ctx, r, g, i, out);
	}
}

/* before: stands in front of each name. */
static void put_disk_use(const struct result_disk_use *u, const char *before, FILE *out)
{
	fprintf(out, "%sios=%" PRIu64 "/%" PRIu64 ", %ssectors=%" PRIu64 "/%" PRIu64
		", %smerge=%" PRIu64 "/%" PRIu64 ", %sticks=%" PRIu64 "/%" PRIu64
		", %sin_queue=%" PRIu64 ", %sutil=%3.2f%%", before, u->read_ios, u->write_ios,
		before, u->read_sectors, u->write_sectors, before, u->read_merges, u->write_merges,
		before, u->read_ticks, u->write_ticks, before, u->in_queue, before, u->util);
}

static void put_disks(const struct result *r, FILE *out)
{
	if (!r->disk_util || !r->nr_disks)
		return;
	fputs("\nDisk stats (read/write):\n", out);
	for (size_t i = 0; i < r->nr_disks; i++) {
		const struct result_disk *d = &r->disks[i];

		fprintf(out, "  %s%s: ", d->parts ? "  " : "", d->name);
		put_disk_use(&d->use, "", out);
		if (d->parts) {
			fputs(", ", out);
			put_disk_use(&d->of_parts, "aggr", out);
		}
		fputc('\n', out);
	}
}

static void put_idle(const struct result_idle *idle, FILE *out)
{
	fprintf(out, "\nCPU idleness:\n  system: %3.2f%%\n", idle->system);
	for (size_t i = 0; idle->each && i < idle->nr; i++)
		fprintf(out, "%s%3.2f%%%s", i ? ", " : "  percpu: ", idle->cpus[i].percent,
			i + 1 == idle->nr ? "\n" : "");
	fprintf(out, "  unit work: mean=%3.2fus, stddev=%3.2f\n", idle->unit_ns / 1000,
		idle->unit_stddev_ns / 1000);
}

static void put_run_own(const struct result *r, FILE *out)
{
	fprintf(out, "\nClock: %s at %.3f GHz, a reading costs %.1f ns, error %.1f ppm; %d CPUs\n",
		r->clock, r->clock_ghz, r->clock_cost_ns, r->clock_error_ppm, r->cpus);
	if (r->stopped_by)
		fprintf(out, "Stopped early by signal %d, %s\n", r->stopped_by,
			strsignal(r->stopped_by));
	for (size_t i = 0; i < r->nr_notes; i++) {
		fputs("note: ", out);
		reporter_text(r->notes[i], out);
		fputc('\n', out);
	}
	if (r->added)
		r->added->run_text(r->added->ctx, r, out);
}

/* Where nothing ran there is nothing to say about groups. */
static bool any_ran(const struct result *r)
{
	for (size_t i = 0; i < r->nr_jobs; i++)
		if (r->jobs[i].start_wall_ms)
			return true;
	return false;
}

/* The blank line in front parts the results from the header, or from the JSON document. */
static void final(const struct result *r, const struct reporter_how *how, FILE *out)
{
	(void)how;
	fputc('\n', out);
	for (size_t i = 0; i < r->nr_jobs; i++)
		put_job(r, &r->jobs[i], out);
	for (size_t i = 0; any_ran(r) && i < r->nr_groups; i++)
		put_group(r, &r->groups[i], out);
	put_disks(r, out);
	if (r->idle)
		put_idle(r->idle, out);
	put_run_own(r, out);
}

const struct reporter reporter_normal = {
	.name = "normal",
	.help = "text for people, line by line as fio writes it",
	.header = header,
	.layout = layout,
	.final = final,
};
