/* SPDX-License-Identifier: MIT */
/* Putting the blocks of workers together into results. */
#include "core/merge.h"
#include "core/eta.h"
#include "core/latsum.h"
#include "core/merge_engines.h"
#include "core/merge_prios.h"
#include "lib/hist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The jobs that one result stands for: jobs[first .. first + count) of the crew that match. */
struct members {
	const struct crew_job *const *list;
	size_t count;
};

/* ------------------------------------------------------------------ latencies */

/* Which latency of a block: NULL where it has none of its own. */
typedef const struct lat_stat *(*pick_fn)(const struct worker_block *b, int i);

static const struct lat_stat *pick_clat(const struct worker_block *b, int d)
{
	return &b->dir[d].clat;
}

static const struct lat_stat *pick_slat(const struct worker_block *b, int d)
{
	return &b->dir[d].slat;
}

static const struct lat_stat *pick_lat(const struct worker_block *b, int d)
{
	return b->lat_is_clat ? &b->dir[d].clat : &b->dir[d].lat;
}

static const struct lat_stat *pick_intended(const struct worker_block *b, int d)
{
	return &b->dir[d].intended;
}

static const struct lat_stat *pick_sync(const struct worker_block *b, int d)
{
	(void)d;
	return &b->sync;
}

/* Of all members, and of each of them the latencies from first to last. */
static void merge_lat(struct result_lat *out, const struct members *m, pick_fn pick, int first,
		      int last)
{
	struct latsum sum;

	latsum_begin(&sum);
	for (size_t k = 0; k < m->count; k++)
		for (int i = first; i <= last; i++)
			latsum_add(&sum, pick(m->list[k]->block, i));
	latsum_end(&sum, out);
}

/* The table of "so many percent below 2, 4, 10 ... us": from the completion latencies. */
static void lat_table(struct result_job *j)
{
	struct hist all = { 0 };
	struct hist_lat_table t;
	uint64_t n;

	for (int d = 0; d < DIRS; d++)
		if (j->dir[d].clat.bins)
			hist_merge(&all, (const struct hist *)j->dir[d].clat.bins);
	hist_latency_table(&all, &t);
	n = hist_count(&all);
	for (int i = 0; i < 10; i++) {
		j->lat_ns_pct[i] = hist_lat_percent(t.ns[i], n);
		j->lat_us_pct[i] = hist_lat_percent(t.us[i], n);
	}
	for (int i = 0; i < 12; i++)
		j->lat_ms_pct[i] = hist_lat_percent(t.ms[i], n);
}

/* ------------------------------------------------------------------ one direction */

/* Jobs of a group run side by side: their mean rates add up, extremes are those of single jobs. */
static void merge_rate(struct result_rate *out, const struct members *m, bool bw, int d)
{
	double variance = 0;

	memset(out, 0, sizeof(*out));
	for (size_t k = 0; k < m->count; k++) {
		const struct rates *r = &m->list[k]->rates;
		const struct rate_series *s = bw ? &r->bw.series[d] : &r->iops.series[d];

		if (!s->n)
			continue;
		out->min = out->samples ? fl_min(out->min, s->min) : s->min;
		out->max = out->samples ? fl_max(out->max, s->max) : s->max;
		out->mean += rate_mean(s);
		variance += rate_deviation(s) * rate_deviation(s);
		out->samples += s->n;
	}
	out->dev = sqrt(variance);
}

static uint64_t to_ms(uint64_t ns)
{
	return (ns + 500000) / 1000000;
}

/*
 * For how long a job has had I/Os of this direction: the time of reading back what was written is
 * not that of writes, and is all the time there is of reads where the job itself has none.
 */
static uint64_t dir_ms(const struct crew_job *c, int d)
{
	uint64_t ns = crew_elapsed_ns(c), check = fl_min(c->block->check_ns, ns);
	bool own = c->plan->job->workload.rw.bits & 1u << d;

	if (d == DIR_READ)
		return to_ms(own || !check ? ns : check);
	return to_ms(ns - check);
}

static void add_dir(struct result_dir *out, const struct crew_job *c, int d)
{
	const struct dir_stats *s = &c->block->dir[d];
	uint64_t ms = dir_ms(c, d);

	out->bytes += s->bytes;
	out->ios += s->ios;
	out->short_ios += s->short_ios;
	out->drop_ios += s->drop_ios;
	out->errors += s->errors;
	out->has_intended |= measure_timed(&c->plan->job->measure) &&
			     rate_dirs(&c->plan->job->rate) & c->plan->job->workload.rw.bits &
			     1u << d;
	out->returned_ios += c->ended ? s->ios : fl_min(s->ios, s->done_ios + s->errors);
	if (s->bytes)
		out->runtime_ms = fl_max(out->runtime_ms, fl_max(ms, 1u));
}

/* d: a direction, or RESULT_MIXED. */
static void merge_dir(struct result_dir *out, const struct members *m, int d,
		      const struct measure_conf *conf)
{
	int first = d == RESULT_MIXED ? 0 : d, last = d == RESULT_MIXED ? DIRS - 1 : d;

	memset(out, 0, sizeof(*out));
	for (size_t k = 0; k < m->count; k++)
		for (int i = first; i <= last; i++)
			add_dir(out, m->list[k], i);
	if (!conf->disable_slat)
		merge_lat(&out->slat, m, pick_slat, first, last);
	if (!conf->disable_clat)
		merge_lat(&out->clat, m, pick_clat, first, last);
	if (!conf->disable_lat)
		merge_lat(&out->lat, m, pick_lat, first, last);
	if (!conf->disable_lat)
		merge_lat(&out->intended, m, pick_intended, first, last);
	/* A worker goes on meanwhile: what has come back since was issued, too. */
	out->ios = fl_max(out->ios, out->clat.n);
	out->slat.percentiles = conf->slat_percentiles && !conf->disable_slat;
	out->clat.percentiles = conf->clat_percentiles && !conf->disable_clat;
	out->lat.percentiles = conf->lat_percentiles && !conf->disable_lat;
	out->has_intended |= out->intended.n > 0;	/* a replay has a schedule, too */
	out->intended.percentiles = conf->lat_percentiles || conf->clat_percentiles;
	merge_prios(out, m->list, m->count, first, last);
	merge_rate(&out->bw, m, true, d);
	merge_rate(&out->iops, m, false, d);
}

/* ------------------------------------------------------------------ one job */

static void add_usage(struct result_job *j, const struct crew_job *c)
{
	const struct worker_block *b = c->block;
	bool own = b->usage_known;

	j->usr_us += own ? b->usr_us : c->usr_us;
	j->sys_us += own ? b->sys_us : c->sys_us;
	j->ctx += own ? b->ctx : c->ctx;
	j->minf += own ? b->minflt : c->minflt;
	j->majf += own ? b->majflt : c->majflt;
}

static void add_depths(struct result_job *j, const struct worker_block *b)
{
	uint64_t ios = b->sync_ios;

	for (int d = 0; d < DIRS; d++)
		ios += b->dir[d].ios;
	if (b->is_sync) {
		j->depth[0] += ios;
		j->submit[1] += ios;
		j->complete[1] += ios;
		return;
	}
	for (int i = 0; i < DEPTH_BUCKETS; i++) {
		j->depth[i] += b->depth[i];
		j->submit[i] += b->submit[i];
		j->complete[i] += b->complete[i];
	}
}

static void add_lives(struct result_job *j, const struct members *m)
{
	for (size_t k = 0; k < m->count; k++) {
		const struct lifetimes *l = m->list[k]->setup.lives;

		if (l && !j->lives)
			j->lives = calloc(1, sizeof(*j->lives));
		if (l && j->lives)
			lifetimes_add(j->lives, l);
	}
}

static void add_notes(struct result_job *j, const struct worker_block *b)
{
	uint32_t n = atomic_load(&b->nr_notes);

	for (uint32_t i = 0; i < n && j->nr_notes < WORKER_NOTES; i++) {
		bool known = false;

		for (size_t k = 0; k < j->nr_notes; k++)
			known |= !strcmp(j->notes[k], b->notes[i]);
		if (!known)
			j->notes[j->nr_notes++] = b->notes[i];
	}
}

/* Known only if it is known of every job. */
static void add_eta(struct result_job *j, const struct crew_job *c)
{
	double left;

	eta_job(c, &left);
	if (left < 0 || j->eta_s < 0)
		j->eta_s = -1;
	else
		j->eta_s = fl_max(j->eta_s, (int64_t)(left + 0.5));
}

static void add_member(struct result_job *j, const struct crew_job *c)
{
	const struct worker_block *b = c->block;
	uint64_t ms = to_ms(crew_elapsed_ns(c));

	j->errors += b->errors;
	if (b->error && !j->error) {
		j->error = b->error;
		j->error_text = b->error_text;
	}
	if (c->signal)
		j->signal = c->signal;
	if (b->wall_start_ms && (!j->start_wall_ms || b->wall_start_ms < j->start_wall_ms)) {
		j->start_wall_ms = b->wall_start_ms;
		j->start_ms = b->start_ms;
	}
	j->runtime_ms += ms;
	j->wall_ms = fl_max(j->wall_ms, ms);
	j->elapsed_s = fl_max(j->elapsed_s, (crew_elapsed_ns(c) + 999999999) / 1000000000);
	add_eta(j, c);
	j->sync_ios += b->sync_ios;
	j->passes += b->passes;
	j->verify_blocks += b->verify_blocks;
	j->verify_wrong += b->verify_wrong;
	j->verifies |= verify_on(&c->plan->job->verify);
	j->log_entries += b->log_entries;
	j->log_waits += b->log_waits;
	j->log_wait_ns += b->log_wait_ns;
	add_usage(j, c);
	add_depths(j, b);
	add_notes(j, b);
}

/* Which jobs of the crew these are. */
static const size_t *places(const struct members *m)
{
	size_t *at = calloc(m->count, sizeof(*at));

	fl_assert(at);
	for (size_t k = 0; k < m->count; k++)
		at[k] = m->list[k]->plan->number;
	return at;
}

static struct num_style style_of(const struct job *job)
{
	return (struct num_style){ .figures = job->measure.figures,
				   .decimal = job->select.kb_base == 1000,
				   .bits = job->measure.unit_base == 1 };
}

static void make_job(struct result_job *j, const struct members *m)
{
	const struct crew_job *first = m->list[0];
	const struct job *job = first->plan->job;

	memset(j, 0, sizeof(*j));
	j->job = job;
	j->name = job->name;
	j->description = job->proc.description;
	j->group = first->plan->group;
	j->jobs = (int)m->count;
	j->members = places(m);
	j->error_text = "";
	j->counts_errors = faults_go_on(&job->faults);
	j->pid = first->block->pid;
	j->iodepth = first->block->latency_depth ? first->block->latency_depth : job->depth.depth;
	j->latency_target_ns = job->latency.target_ns;
	j->latency_window_ns = job->latency.window_ns;
	j->latency_percentile = job->latency.percentile;
	j->buffer_mod64 = first->block->buffer_mod64;
	j->percentiles = job->measure.list.v;
	j->nr_percentiles = job->measure.list.count;
	j->unified = job->measure.unified;
	j->style = style_of(job);
	for (size_t k = 0; k < m->count; k++)
		add_member(j, m->list[k]);
	for (int d = 0; d < DIRS + (j->unified != MEASURE_APART); d++)
		merge_dir(&j->dir[d], m, d, &job->measure);
	merge_lat(&j->sync, m, pick_sync, 0, 0);
	j->sync.percentiles = job->measure.clat_percentiles;
	add_lives(j, m);
	merge_engines(j, m->list, m->count);
	lat_table(j);
	if (j->runtime_ms) {
		j->usr_cpu = (double)j->usr_us / 10.0 / (double)j->runtime_ms;
		j->sys_cpu = (double)j->sys_us / 10.0 / (double)j->runtime_ms;
	}
	settings_append(&j->echo, &m->list[m->count - 1]->plan->job->echo);
}

/* ------------------------------------------------------------------ all jobs */

static void make_jobs(struct result *r, const struct crew *crew)
{
	const struct crew_job **list = calloc(crew->count ? crew->count : 1, sizeof(*list));
	bool *taken = calloc(crew->count ? crew->count : 1, sizeof(*taken));

	r->jobs = calloc(crew->count ? crew->count : 1, sizeof(*r->jobs));
	for (size_t i = 0; list && taken && r->jobs && i < crew->count; i++) {
		const struct crew_job *first = &crew->jobs[i];
		bool alone = !first->plan->job->measure.group_reporting;
		struct members m = { list, 0 };

		if (taken[i] || !first->plan->job->measure.stats)
			continue;
		list[m.count++] = first;
		for (size_t k = i + 1; !alone && k < crew->count; k++) {
			if (crew->jobs[k].plan->group != first->plan->group)
				break;
			if (taken[k] || !plan_together(first->plan, crew->jobs[k].plan) ||
			    !crew->jobs[k].plan->job->measure.stats)
				continue;
			taken[k] = true;
			list[m.count++] = &crew->jobs[k];
		}
		make_job(&r->jobs[r->nr_jobs++], &m);
	}
	free(list);
	free(taken);
}

static void group_add(struct result_group *g, const struct result_job *j)
{
	for (int d = 0; d <= DIRS; d++) {
		const struct result_dir *rd = &j->dir[d];
		uint64_t bw = rd->runtime_ms ? rd->bytes * 1000 / rd->runtime_ms : 0;

		if (!rd->bytes)
			continue;
		g->dir[d].min_bw = g->dir[d].bytes ? fl_min(g->dir[d].min_bw, bw) : bw;
		g->dir[d].max_bw = fl_max(g->dir[d].max_bw, bw);
		g->dir[d].min_run_ms = g->dir[d].bytes ?
			fl_min(g->dir[d].min_run_ms, rd->runtime_ms) : rd->runtime_ms;
		g->dir[d].max_run_ms = fl_max(g->dir[d].max_run_ms, rd->runtime_ms);
		g->dir[d].bytes += rd->bytes;
		if (g->dir[d].max_run_ms)
			g->dir[d].agg = g->dir[d].bytes * 1000 / g->dir[d].max_run_ms;
	}
}

static void make_groups(struct result *r)
{
	r->groups = calloc(r->nr_jobs ? r->nr_jobs : 1, sizeof(*r->groups));
	for (size_t i = 0; r->groups && i < r->nr_jobs; i++) {
		struct result_group *g = r->nr_groups ? &r->groups[r->nr_groups - 1] : NULL;

		if (!g || g->id != r->jobs[i].group) {
			g = &r->groups[r->nr_groups++];
			g->id = r->jobs[i].group;
			g->style = r->jobs[i].style;
			g->unified = r->jobs[i].unified;
		}
		group_add(g, &r->jobs[i]);
	}
	for (size_t i = 0; i < r->nr_jobs; i++) {
		const struct result_group *g = r->groups;

		fl_assert(g);	/* each job has one, as made above */
		while (g->id != r->jobs[i].group)
			g++;
		for (int d = 0; d <= DIRS; d++) {
			double whole = (double)g->dir[d].agg / 1024.0;
			double part = r->jobs[i].dir[d].bw.mean;

			r->jobs[i].dir[d].bw_agg =
				whole > 0 ? fl_min(part * 100.0 / whole, 100.0) : 0;
		}
	}
}

static struct result_disk_use use_of(const struct disk_stat *s, double util)
{
	return (struct result_disk_use){
		.read_ios = s->reads, .write_ios = s->writes,
		.read_sectors = s->read_sectors, .write_sectors = s->write_sectors,
		.read_merges = s->read_merges, .write_merges = s->write_merges,
		.read_ticks = s->read_ms, .write_ticks = s->write_ms,
		.in_queue = s->queue_ms, .util = util,
	};
}

static void make_disks(struct result *r, const struct disks *disks)
{
	r->disk_util = disks && disks->count;
	if (!r->disk_util)
		return;
	r->disks = calloc((size_t)disks->count, sizeof(*r->disks));
	for (int i = 0; r->disks && i < disks->count; i++) {
		struct result_disk *d = &r->disks[r->nr_disks++];
		double util = 0;
		struct disk_stat s = disks_since(disks, i, &util);

		memcpy(d->name, disks->disk[i].name, sizeof(d->name));
		d->use = use_of(&s, util);
		d->parts = disks_parts_since(disks, i, &s, &util);
		if (d->parts)
			d->of_parts = use_of(&s, util);
	}
}

static void make_notes(struct result *r, const struct diag *diag)
{
	size_t n = diag ? diag_notes(diag) : 0;

	r->notes = calloc(n ? n : 1, sizeof(*r->notes));
	for (size_t i = 0; r->notes && i < n; i++)
		r->notes[r->nr_notes++] = diag_note_text(diag, i);
}

void merge_make(struct result *r, const struct crew *crew, const struct jobs *jobs,
		const struct disks *disks, const struct diag *diag, bool final)
{
	const struct clock_facts *clock = clock_facts();
	struct cpus online;

	memset(r, 0, sizeof(*r));
	r->wall_ms = clock_wall_ms();
	r->final = final;
	r->stopped_by = crew->stopped_by;
	make_jobs(r, crew);
	make_groups(r);
	make_disks(r, disks);
	make_notes(r, diag);
	r->echo_global = jobs->global_echo.count > 0;
	settings_append(&r->global_echo, &jobs->global_echo);
	r->clock = clock->name;
	r->clock_ghz = clock->ghz;
	r->clock_cost_ns = clock->cost_ns;
	r->clock_error_ppm = final ? clock_recalibrate() : clock->error_ppm;
	r->cpus = (int)cpus_online(&online);
}

void merge_free(struct result *r)
{
	for (size_t i = 0; i < r->nr_jobs; i++) {
		struct result_job *j = &r->jobs[i];

		for (int d = 0; d <= DIRS; d++) {
			latsum_free(&j->dir[d].slat);
			latsum_free(&j->dir[d].clat);
			latsum_free(&j->dir[d].lat);
			latsum_free(&j->dir[d].intended);
			merge_prios_free(&j->dir[d]);
		}
		latsum_free(&j->sync);
		merge_engines_free(j);
		settings_free(&j->echo);
		free(j->lives);
		free((void *)j->members);
	}
	settings_free(&r->global_echo);
	free(r->jobs);
	free(r->groups);
	free(r->disks);
	free(r->notes);
	memset(r, 0, sizeof(*r));
}

struct result_section *merge_sections(const struct plan *plan, size_t *count)
{
	struct result_section *s = calloc(plan->count ? plan->count : 1, sizeof(*s));

	*count = 0;
	for (size_t i = 0; s && i < plan->count; i++) {
		const struct plan_job *pj = &plan->jobs[i];
		const struct job *job = pj->job;
		struct result_section *one;

		if (i && plan->jobs[i - 1].job == job) {
			s[*count - 1].clones++;
			continue;
		}
		one = &s[(*count)++];
		one->name = job->name;
		one->group = pj->group;
		one->rw = workload_rw_name(job->workload.rw.bits);
		for (int d = 0; d < DIRS; d++)
			one->bs.v[d] = workload_block_range(&job->workload, d);
		one->engine = job->engine->ops.name;
		one->iodepth = job->depth.depth;
		one->clones = 1;
		one->thread = job->proc.thread;
		one->style = style_of(job);
	}
	return s;
}
