/* SPDX-License-Identifier: MIT */
/* Clones, groups and files: from settings to the list of what will run. */
#include "core/plan.h"
#include "core/ask.h"
#include "core/layout_apart.h"
#include "core/zbd_fit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHY_BYTES	512

static int size_by_engine(void *ctx, const char *name, uint64_t *bytes, char *why, size_t why_bytes)
{
	struct ask *a = ctx;
	struct fl_file f = { .size = sizeof(f), .name = name, .fd = -1, .type = FL_FILE_NAME };
	int err;

	if (a->hq.q.engine->caps & FL_CAP_DEVDAX)
		f.type = FL_FILE_CHAR;
	err = a->hq.q.engine->file_size(&a->hq.q, &f, bytes);
	if (a->hq.why[0])
		host_explain(&a->hq, err, why, why_bytes);
	return fl_min(err, 0);
}

/* Random order with varying sizes remembers every block: is that affordable? */
static int check_maps(struct plan_job *pj, char *why, size_t why_bytes)
{
	const struct workload_conf *c = &pj->job->workload;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < pj->files.nr && bytes <= ORDER_MAP_BYTES_MAX; i++)
		bytes += workload_map_bytes(c, files_reach(&pj->files, i));
	if (bytes <= ORDER_MAP_BYTES_MAX)
		return 0;
	if (c->order.soft && !verify_on(&pj->job->verify)) {
		snprintf(pj->files.note, sizeof(pj->files.note), "softrandommap: the map of the "
			 "blocks would take more than %llu MiB, so some come twice and some never",
			 ORDER_MAP_BYTES_MAX >> 20);
		return 0;
	}
	snprintf(why, why_bytes, "random blocks of varying size that each come once need a map of "
		 "%llu MiB, more than the %llu MiB there are for it; use one block size, "
		 "or norandommap", (unsigned long long)bytes >> 20, ORDER_MAP_BYTES_MAX >> 20);
	return -ENOMEM;
}

/* Zones and sequences of random_distribution must lie within every file. */
static int check_distribution(const struct plan_job *pj, char *why, size_t why_bytes)
{
	uint64_t seen = 0;

	for (uint32_t i = 0; i < pj->files.nr; i++) {
		uint64_t bytes = files_reach(&pj->files, i);
		int err = bytes == seen ? 0 : workload_order_fits(&pj->job->workload, bytes);

		if (err && pj->job->workload.order.spr.on) {
			snprintf(why, why_bytes, "sprandom=1: the job uses %llu bytes of a file, "
				 "too few for two blocks in each of spr_num_regions=%u, or for "
				 "spr_cache_size=%llu", (unsigned long long)bytes,
				 pj->job->workload.order.spr.regions,
				 (unsigned long long)pj->job->workload.order.spr.cache);
			return err;
		}
		if (err) {
			snprintf(why, why_bytes, "random_distribution=%.200s names blocks beyond "
				 "the end of a file; the job uses %llu bytes of it",
				 pj->job->workload.order.dist_text, (unsigned long long)bytes);
			return err;
		}
		seen = bytes;
	}
	return 0;
}

/* The files of a replay are those of its log. */
static int plan_log(struct plan_job *pj, struct files_need *need, char *why, size_t why_bytes)
{
	const struct job *job = pj->job;
	struct files_given *given = replay_given(job->logs, pj->clone, job->depth.depth);
	int err;

	if (!given) {
		snprintf(why, why_bytes, "no memory for the files of its log");
		return -ENOMEM;
	}
	need->given = given;
	need->nr_given = replay_of(job->logs, pj->clone)->facts.nr;
	err = files_plan(&pj->files, &job->files, job->section, pj->clone, need, why, why_bytes);
	free(given);
	return err;
}

/* For amounts that are counted in zones. */
static uint64_t zone_bytes_of(const void *job, const char *name)
{
	return zbd_zone_bytes(job, name);
}

/* Look at the files of one job. Returns 0 or -errno with a sentence. */
static int plan_files(struct plan_job *pj, char *why, size_t why_bytes)
{
	const struct job *job = pj->job;
	const struct fl_engine *ops = &job->engine->ops;
	struct ask ask;
	int err;
	struct files_need need = {
		.dirs = job->workload.rw.bits & RW_DIRS,
		.block_min = workload_block_min(&job->workload),
		.no_files = ops->caps & FL_CAP_NO_FILES,
		.names = ops->caps & FL_CAP_NAMES,
		.device = ops->caps & FL_CAP_DEVDAX,
		.full_size = ops->caps & FL_CAP_LAYOUT,
		.seed = job->workload.randseed,
		.size_of = ops->file_size ? size_by_engine : NULL,
		.zone_bytes_of = zone_bytes_of,
		.zones = job,
		.ctx = &ask,
	};

	why[0] = '\0';
	if (need.size_of)
		ask_init(&ask, pj->job, pj->number, 1);
	if (job->logs)
		return plan_log(pj, &need, why, why_bytes);
	err = files_plan(&pj->files, &job->files, job->section, pj->clone, &need, why, why_bytes);
	pj->files.to_end = job->workload.zones.mode == ZONES_STRIDED;
	if (!err && job->workload.zones.mode == ZONES_ZBD)
		err = zbd_fit(&pj->files, job, why, why_bytes);
	if (!err)
		err = check_distribution(pj, why, why_bytes);
	return err ? err : check_maps(pj, why, why_bytes);
}

static size_t count_jobs(const struct jobs *jobs)
{
	size_t n = 0;

	for (size_t i = 0; i < jobs->count; i++)
		n += jobs->list[i].proc.numjobs;
	return n;
}

static void add_clones(struct plan *plan, const struct job *job, int *group, int *file)
{
	bool first = plan->count == 0;
	bool wall = job->proc.stonewall || job->file != *file;

	if (!first && (wall || job->proc.new_group))
		++*group;
	*file = job->file;
	for (uint32_t clone = 0; clone < job->proc.numjobs; clone++) {
		struct plan_job *pj = &plan->jobs[plan->count];

		pj->job = job;
		pj->clone = clone;
		pj->number = (uint32_t)plan->count++;
		pj->group = *group;
		pj->stonewall = wall && !first && clone == 0;
	}
}

int plan_make(struct plan *plan, const struct jobs *jobs, struct diag *diag)
{
	size_t n = count_jobs(jobs);
	int group = 0, file = jobs->count ? jobs->list[0].file : 0;
	char why[WHY_BYTES];

	memset(plan, 0, sizeof(*plan));
	if (n > PROC_JOBS_MAX) {
		diag_error(diag, NULL, "%zu jobs are more than the %d that one run can have", n,
			   PROC_JOBS_MAX);
		return -EINVAL;
	}
	plan->jobs = calloc(n ? n : 1, sizeof(*plan->jobs));
	if (!plan->jobs)
		return -ENOMEM;
	for (size_t i = 0; i < jobs->count; i++)
		add_clones(plan, &jobs->list[i], &group, &file);
	for (size_t i = 0; i < plan->count; i++) {
		struct plan_job *pj = &plan->jobs[i];

		fl_assert(pj->job);
		pj->failed = -plan_files(pj, why, sizeof(why));
		if (pj->failed) {
			pj->failed_why = strdup(why);
			diag_error(diag, &pj->job->at, "job %s: %s", pj->job->name, why);
			/* the clones after it would say the same */
			while (i + 1 < plan->count && plan->jobs[i + 1].job == pj->job)
				i++;
		} else if (pj->files.note[0] && !pj->clone) {
			diag_note(diag, &pj->job->at, "job %s: %s", pj->job->name, pj->files.note);
		}
	}
	return diag_errors(diag) ? -EINVAL : 0;
}

void plan_free(struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		files_free(&plan->jobs[i].files);
		free(plan->jobs[i].failed_why);
	}
	free(plan->jobs);
	memset(plan, 0, sizeof(*plan));
}

static bool any_layout(const struct file_set *set)
{
	for (uint32_t i = 0; i < set->nr; i++)
		if (set->plan[i].layout != FILES_KEEP)
			return true;
	return false;
}

/* Targets that are names are made by their engine. */
static int layout_by_engine(struct plan_job *pj, char *why, size_t why_bytes)
{
	const struct fl_engine *ops = &pj->job->engine->ops;
	char name[FILES_NAME_BYTES], text[HOST_WHY_BYTES];
	struct ask ask;
	int err = 0;

	ask_init(&ask, pj->job, pj->number, 1);
	for (uint32_t i = 0; !err && i < pj->files.nr; i++) {
		struct file_plan *p = &pj->files.plan[i];
		struct fl_file f = {
			.size = sizeof(f), .index = i, .fd = -1, .type = p->type, .bytes = p->size,
			.io_start = p->start, .io_bytes = p->bytes,
			.name = files_name(&pj->files, i, name),
		};

		if (p->layout == FILES_KEEP)
			continue;
		err = ops->file_layout ? ops->file_layout(&ask.hq.q, &f) : -ENOENT;
		if (err)
			snprintf(why, why_bytes, "%.300s could not be made: %s", name,
				 ops->file_layout ? host_explain(&ask.hq, err, text, sizeof(text)) :
				 "this engine works only on targets that exist");
	}
	return err;
}

static int layout_by_runner(struct plan_job *pj, const struct plan_watch *watch, char *note,
			    size_t note_bytes, char *why, size_t why_bytes)
{
	const struct layout_apart how = { watch->enter, watch->progress, watch->ctx };
	uint64_t seed = pj->job->workload.randseed + pj->number;

	if (watch->enter)
		return layout_apart(&pj->files, seed, &how, note, note_bytes, why, why_bytes);
	return files_layout(&pj->files, seed, watch->progress, watch->ctx, note, note_bytes, why,
			    why_bytes);
}

static int layout_one(struct plan_job *pj, const struct plan_watch *watch, struct diag *diag)
{
	char why[WHY_BYTES] = "", note[WHY_BYTES] = "";
	uint64_t bytes;
	uint32_t files;
	int err;

	/* Look again: what this job lacked a moment ago, an earlier job's layout may have made. */
	files_free(&pj->files);
	err = plan_files(pj, why, sizeof(why));
	if (!err)
		err = files_room(&pj->files, why, sizeof(why));
	if (!err && any_layout(&pj->files)) {
		files_wanted(&pj->files, &files, &bytes);
		if (files && watch->begin)
			watch->begin(watch->ctx, pj, files, bytes);
		if (pj->job->engine->ops.caps & FL_CAP_NAMES)
			err = layout_by_engine(pj, why, sizeof(why));
		else
			err = layout_by_runner(pj, watch, note, sizeof(note), why, sizeof(why));
	}
	if (note[0])
		diag_note(diag, NULL, "job %s: %s", pj->job->name, note);
	if (!err || err == -ECANCELED)
		return err;
	pj->failed = -err;
	pj->failed_why = strdup(why);
	return 0;
}

int plan_layout(struct plan *plan, const struct plan_watch *watch, struct diag *diag)
{
	bool made = false;
	int err = 0;

	for (size_t i = 0; !err && i < plan->count; i++) {
		made |= any_layout(&plan->jobs[i].files);
		if (made)
			err = layout_one(&plan->jobs[i], watch, diag);
	}
	return err;
}

bool plan_together(const struct plan_job *a, const struct plan_job *b)
{
	return a->group == b->group && a->job->measure.group_reporting &&
	       b->job->measure.group_reporting;
}
