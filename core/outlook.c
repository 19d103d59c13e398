/* SPDX-License-Identifier: MIT */
/* Going through workloads without I/O, and the sizes of what workers allocate. */
#include "core/outlook.h"
#include "core/worker.h"

#include <stdlib.h>
#include <string.h>

/* ---- I/Os ------------------------------------------------------------------------------------ */

static uint64_t limit_of(const struct plan_job *pj)
{
	return workload_limit(&pj->job->workload, pj->files.bytes, pj->files.zone_bytes);
}

/* The mean size of an I/O of a direction. */
static double mean_size(const struct workload_conf *c, int dir)
{
	const struct size_split *split = &c->sizes.split.dir[dir];
	struct range r = sizes_range(&c->sizes, dir);
	double sum = 0, shares = 0;

	for (uint32_t i = 0; i < split->count; i++) {
		sum += (double)split->share[i].bytes * split->share[i].percent;
		shares += split->share[i].percent;
	}
	return shares > 0 ? sum / shares : ((double)r.lo + (double)r.hi) / 2;
}

/* I/Os a second that a rate allows in a direction; 0: it has none. */
static double ios_rate(const struct job *job, int dir)
{
	return (double)rate_bytes(&job->rate, &job->workload, dir) / mean_size(&job->workload, dir);
}

/* What share of the I/Os has this direction. */
static double share_of(const struct job *job, int dir)
{
	const struct workload_conf *c = &job->workload;
	uint32_t dirs = c->rw.bits & RW_DIRS;
	double reads = ios_rate(job, DIR_READ), writes = ios_rate(job, DIR_WRITE);

	if (!(dirs & 1u << dir))
		return 0;
	if (c->rw.bits & RW_TRIM_WRITE)
		return 0.5;
	if (dirs == (RW_READ | RW_WRITE) && reads > 0 && writes > 0)
		return (dir == DIR_READ ? reads : writes) / (reads + writes);
	if (dirs == (RW_READ | RW_WRITE))
		return (dir == DIR_READ ? c->mix_read : 100 - c->mix_read) / 100.0;
	return 1;
}

/* By the mean sizes, where going through all of them would take too long. */
static void estimate(struct outlook *o, const struct plan_job *pj)
{
	const struct workload_conf *c = &pj->job->workload;
	uint64_t limit = limit_of(pj), loops = o->endless || !c->loops ? 1 : c->loops;
	double goal = (double)(limit && !o->endless ? limit : pj->files.bytes) * (double)loops;
	double mean = 0, ios;

	for (int d = 0; d < DIRS; d++)
		mean += share_of(pj->job, d) * mean_size(c, d);
	ios = mean > 0 ? goal / mean : 0;
	if (c->number_ios)
		ios = fl_min(ios, (double)c->number_ios);
	for (int d = 0; d < DIRS; d++) {
		o->ios[d] += (uint64_t)(ios * share_of(pj->job, d));
		o->bytes[d] += (uint64_t)(ios * share_of(pj->job, d) * mean_size(c, d));
	}
	o->about |= workload_block_min(c) != workload_block_max(c) ||
		    (c->rw.bits & (RW_READ | RW_WRITE)) == (RW_READ | RW_WRITE) || pj->files.nr > 1;
}

static void count(struct outlook *o, const struct workload_io *io)
{
	if (io->op < DIRS) {
		o->ios[io->op]++;
		o->bytes[io->op] += io->len;
	} else {
		o->syncs++;
	}
}

static void add(struct outlook *o, const struct outlook *more)
{
	for (int d = 0; d < DIRS; d++) {
		o->ios[d] += more->ios[d];
		o->bytes[d] += more->bytes[d];
	}
	o->syncs += more->syncs;
}

/* Memory of permutations: only small files have a table. */
static uint64_t table_bytes(const struct workload *w)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < w->nr_files; i++)
		for (uint32_t k = 0; k < w->files[i].order.nr_perms; k++)
			if (w->files[i].order.perms[k].table)
				bytes += w->files[i].order.perms[k].n * sizeof(uint16_t);
	return bytes;
}

/* Returns whether the workload came to its end within so many steps; *steps is what is left. */
static bool go_through(struct workload *w, struct outlook *o, uint64_t *steps)
{
	struct workload_io io;

	while (workload_next_pass(w, false)) {
		while (workload_next(w, &io)) {
			if (!*steps)
				return false;
			--*steps;
			count(o, &io);
		}
		if (o->endless)
			break;
	}
	return true;
}

/* A log has been looked through. */
static void add_log(struct outlook *o, const struct plan_job *pj)
{
	const struct job *job = pj->job;
	const struct replay_source *s = replay_of(job->logs, pj->clone);
	uint64_t loops = o->endless || !job->workload.loops ? 1 : job->workload.loops;

	for (int d = 0; d < DIRS; d++) {
		o->ios[d] += s->facts.ios[d] * loops;
		o->bytes[d] += s->facts.bytes[d] * loops;
	}
	o->syncs += s->facts.syncs * loops;
	o->about |= job->workload.number_ios > 0;
	if (!job->replay.no_stall && job->replay.time_percent == 100 && !o->endless &&
	    !job->workload.number_ios)
		o->pace_ns = fl_max(o->pace_ns, s->facts.end_ns * loops);
	o->memory_bytes += replay_memory(job->logs, s);
}

/* Which of two directions comes next is up to their rates, and where zones end to a device. */
static bool is_open(const struct plan_job *pj)
{
	uint32_t dirs = pj->job->workload.rw.bits & RW_DIRS;

	return (rate_dirs(&pj->job->rate) && dirs & (dirs - 1)) ||
	       pj->job->workload.zones.mode == ZONES_ZBD;
}

static void add_ios(struct outlook *o, const struct plan_job *pj, uint64_t *steps)
{
	const struct workload_conf *c = &pj->job->workload;
	bool walks = *steps && !pj->job->logs && !is_open(pj);
	struct workload_file *files = walks ? calloc(pj->files.nr, sizeof(*files)) : NULL;
	struct outlook one = { .endless = o->endless };
	struct workload w;

	if (pj->job->logs) {
		add_log(o, pj);
		return;
	}
	o->about |= is_open(pj);
	o->about |= !c->randrepeat && workload_block_min(c) != workload_block_max(c);
	if (!files) {
		estimate(o, pj);
		return;
	}
	for (uint32_t i = 0; i < pj->files.nr; i++) {
		files[i].start = pj->files.plan[i].start;
		files[i].bytes = pj->files.plan[i].bytes;
		files[i].size = pj->files.plan[i].size;
	}
	if (!workload_init(&w, c, files, pj->files.nr, o->endless ? 0 : limit_of(pj),
			   c->randseed, pj->number) && go_through(&w, &one, steps))
		add(o, &one);
	else
		estimate(o, pj);
	o->map_bytes += table_bytes(&w);
	workload_free(&w);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static uint64_t verify_bytes(const struct plan_job *pj)
{
	const struct verify_conf *v = &pj->job->verify;
	uint64_t units = 0;

	if (!verify_on(v) || !v->writes || !v->unit)
		return 0;
	for (uint32_t i = 0; i < pj->files.nr; i++)
		units += pj->files.plan[i].bytes / v->unit + 1;
	return units < WRITEMAP_BLOCKS_MAX ? writemap_bytes(units) : 0;
}

static void add_memory(struct outlook *o, const struct plan_job *pj, bool sync)
{
	const struct job *job = pj->job;
	uint64_t slots = sync ? 1 : job->depth.depth;
	uint64_t buffers = slots * buffers_stride(&job->buffer, o->block_max);
	uint64_t maps = verify_bytes(pj);

	for (uint32_t i = 0; i < pj->files.nr; i++)
		maps += workload_map_bytes(&job->workload, pj->files.plan[i].bytes);
	o->buffer_bytes += buffers;
	o->map_bytes += maps;
	o->memory_bytes += buffers + slots * (sizeof(struct io) + sizeof(struct fl_req *)) +
			   sizeof(struct worker_block) + sizeof(struct worker) + pj->files.nr *
			   (uint64_t)(sizeof(struct workload_file) + sizeof(struct file_plan));
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* Pauses between so many I/Os, and none behind the last. */
static uint64_t think_time(const struct job *job, uint64_t ios)
{
	const struct pace_conf *p = &job->pace;

	if (!p->think_ns || !p->think_blocks || !ios)
		return 0;
	return (uint64_t)fl_min((double)((ios - 1) / p->think_blocks) * (double)p->think_ns, 1e18);
}

/* As long as one clone takes by its rates, where all do the same. */
static uint64_t rate_time(const struct outlook *o, const struct job *job)
{
	double most = 0;

	for (int d = 0; d < DIRS; d++) {
		double rate = (double)rate_bytes(&job->rate, &job->workload, d);

		if (rate > 0)
			most = fl_max(most, (double)o->bytes[d] / o->clones / rate);
	}
	return (uint64_t)fl_min(most * 1e9, 1e18);
}

/* What is to be made of the files. Those that clones share are made once, for the largest part. */
static void add_layout(struct outlook *o, const struct plan_job *pj)
{
	uint64_t bytes;
	uint32_t files;

	files_wanted(&pj->files, &files, &bytes);
	o->layout_files = o->shared ? fl_max(o->layout_files, files) : o->layout_files + files;
	o->layout_bytes = o->shared ? fl_max(o->layout_bytes, bytes) : o->layout_bytes + bytes;
}

static bool share_files(const struct plan_job *clones, uint32_t n)
{
	char first[FILES_NAME_BYTES], last[FILES_NAME_BYTES];

	return n > 1 && clones[0].files.nr && clones[n - 1].files.nr &&
	       !(clones[0].job->engine->ops.caps & FL_CAP_NO_FILES) &&
	       !strcmp(files_name(&clones[0].files, 0, first),
		       files_name(&clones[n - 1].files, 0, last));
}

void outlook_make(struct outlook *o, const struct plan_job *clones, uint32_t n, bool sync,
		  uint64_t *steps)
{
	const struct job *job = clones[0].job;

	fl_assert(n);
	*o = (struct outlook){
		.clones = n, .endless = job->pace.time_based || job->files.fill,
		.block_min = workload_block_min(&job->workload),
		.block_max = workload_block_max(&job->workload), .shared = share_files(clones, n),
	};
	for (uint32_t i = 0; i < n; i++) {
		if (!clones[i].files.plan)
			continue;	/* its files are not as it needs them */
		o->files += clones[i].files.nr;
		o->file_bytes += clones[i].files.bytes;
		add_layout(o, &clones[i]);
		if (!job->files.create_only && !job->files.fill)
			add_ios(o, &clones[i], steps);
		add_memory(o, &clones[i], sync);
	}
	o->memory_bytes += o->map_bytes;
	if (o->endless)
		return;
	o->think_ns = think_time(job, outlook_ios(o) / n);
	o->pace_ns = fl_max(o->pace_ns, fl_max(o->think_ns, rate_time(o, job)));
}

static uint64_t sum(const uint64_t v[DIRS])
{
	return v[DIR_READ] + v[DIR_WRITE] + v[DIR_TRIM];
}

uint64_t outlook_ios(const struct outlook *o)
{
	return sum(o->ios);
}

uint64_t outlook_bytes(const struct outlook *o)
{
	return sum(o->bytes);
}
