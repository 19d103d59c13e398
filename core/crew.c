/* SPDX-License-Identifier: MIT */
/* The shared memory of the crew, and how long a job has run. */
#include "core/crew.h"
#include "os/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTROL_BYTES	4096	/* the control page, before the workers' blocks */

/* Jobs that look at each other's I/Os: places for all that they can have in flight. */
static int make_board(struct crew *crew, char *why, size_t why_bytes)
{
	uint64_t slots = 0, block_max = 1;
	int err;

	for (size_t i = 0; i < crew->count; i++) {
		const struct depth_conf *d = &crew->jobs[i].plan->job->depth;

		if (!d->offload || !d->serialize)
			continue;
		crew->jobs[i].setup.board_first = (uint32_t)slots;
		slots += d->slots;
		block_max = fl_max(block_max,
				   workload_block_max(&crew->jobs[i].plan->job->workload));
	}
	if (!slots)
		return 0;
	if (slots > OVERLAP_SLOTS_MAX) {
		snprintf(why, why_bytes, "serialize_overlap: jobs with io_submit_mode=offload look "
			 "at each other's I/Os, of which at most %u may be in flight; these could "
			 "have %llu: lower iodepth or numjobs", OVERLAP_SLOTS_MAX,
			 (unsigned long long)slots);
		return -E2BIG;
	}
	crew->board = overlap_new((uint32_t)slots, block_max, true, &err);
	if (!crew->board) {
		snprintf(why, why_bytes, "serialize_overlap: no memory for the ranges of %llu I/Os "
			 "in flight: %s", (unsigned long long)slots, strerror(-err));
		return err;
	}
	for (size_t i = 0; i < crew->count; i++) {
		const struct depth_conf *d = &crew->jobs[i].plan->job->depth;

		if (d->offload && d->serialize)
			crew->jobs[i].setup.board = crew->board;
	}
	return 0;
}

static int make_prios(struct crew *crew, char *why, size_t why_bytes)
{
	int err = 0;

	for (size_t i = 0; i < crew->count && !err; i++) {
		struct crew_job *j = &crew->jobs[i];

		if (prios_wanted(j->plan->job))
			j->setup.prios = prios_new(j->plan->job, &err);
	}
	if (err)
		snprintf(why, why_bytes, "no memory for latencies by priority: %s", strerror(-err));
	return err;
}

static int make_lives(struct crew *crew, char *why, size_t why_bytes)
{
	int err = 0;

	for (size_t i = 0; i < crew->count; i++) {
		struct crew_job *j = &crew->jobs[i];

		if (!lifetimes_wanted(j->plan->job))
			continue;
		j->setup.lives = lifetimes_new(j->plan->job, &j->plan->files, &err);
		if (j->setup.lives)
			continue;
		snprintf(why, why_bytes, "block_error_percentiles: job %s has too many blocks of "
			 "the size of a trim, or there is no memory for them: %s",
			 j->plan->job->name, strerror(-err));
		return err;
	}
	return 0;
}

static int make_frontiers(struct crew *crew, char *why, size_t why_bytes)
{
	int err = 0;

	for (size_t i = 0; i < crew->count && !err; i++) {
		struct crew_job *j = &crew->jobs[i];
		const struct job *job = j->plan->job;

		if (verify_on(&job->verify) && job->verify.writes && !job->verify.only)
			j->setup.frontier = frontier_new(job->depth.slots, j->plan->files.nr,
							 &err);
	}
	if (err)
		snprintf(why, why_bytes, "verify: no memory for the I/Os in flight: %s",
			 strerror(-err));
	return err;
}

static bool copies_of_all(const struct crew_job *j)
{
	return j->plan->job->buffer.content.dedupe && j->plan->job->buffer.content.global;
}

/* Jobs that write copies of each other's blocks. */
static int make_content(struct crew *crew, char *why, size_t why_bytes)
{
	uint32_t count = 0;
	int err = 0;

	for (size_t i = 0; i < crew->count; i++)
		if (copies_of_all(&crew->jobs[i]))
			crew->jobs[i].setup.content_number = count++;
	if (!count)
		return 0;
	crew->content = mem_shared(content_shared_bytes(count), &err);
	if (!crew->content) {
		snprintf(why, why_bytes, "dedupe_global: no memory for what %u jobs share: %s",
			 count, strerror(-err));
		return err;
	}
	crew->content->count = count;
	for (size_t i = 0; i < crew->count; i++)
		if (copies_of_all(&crew->jobs[i]))
			crew->jobs[i].setup.content = crew->content;
	return 0;
}

/* Jobs that go in step. */
static int make_flows(struct crew *crew, char *why, size_t why_bytes)
{
	size_t count = 0;
	int err = 0;

	for (size_t i = 0; i < crew->count; i++)
		count += crew->jobs[i].plan->job->flow.weight > 0;
	if (!count)
		return 0;
	crew->flows = flows_new(count, &err);
	if (!crew->flows) {
		snprintf(why, why_bytes, "flow: no memory for what %zu jobs share: %s", count,
			 strerror(-err));
		return err;
	}
	for (size_t i = 0; i < crew->count; i++) {
		const struct flow_conf *c = &crew->jobs[i].plan->job->flow;

		if (c->weight)
			crew->jobs[i].setup.flow = flows_add(crew->flows, c);
	}
	return 0;
}

static int make_zones(struct crew *crew, char *why, size_t why_bytes)
{
	int err = 0;

	for (size_t i = 0; i < crew->count && !err; i++) {
		struct crew_job *j = &crew->jobs[i];

		j->setup.zones = zbd_share_new(&crew->zones, j->plan, (uint32_t)i, &err, why,
					       why_bytes);
	}
	return err;
}

/*
 * ramp_size: the sum lies in the block of the first job of those that are reported as one, else in
 * the job's own.
 */
static void share_ramps(struct crew *crew)
{
	for (size_t i = 0; i < crew->count; i++) {
		const struct plan_job *p = crew->jobs[i].plan;
		size_t first = p->job->measure.group_reporting ? 0 : i;

		while (first < i && (!crew->jobs[first].plan->job->measure.group_reporting ||
				     crew->jobs[first].plan->group != p->group))
			first++;
		if (p->job->pace.ramp_bytes)
			crew->jobs[i].setup.ramp = &crew->jobs[first].block->ramp_bytes;
	}
}

int crew_init(struct crew *crew, const struct plan *plan, char *why, size_t why_bytes)
{
	int err = 0;

	memset(crew, 0, sizeof(*crew));
	crew->count = plan->count;
	crew->jobs = calloc(plan->count, sizeof(*crew->jobs));
	crew->shared_bytes = CONTROL_BYTES + plan->count * sizeof(struct worker_block);
	crew->control = mem_shared(crew->shared_bytes, &err);
	if (!crew->jobs || !crew->control) {
		snprintf(why, why_bytes, "no memory for the statistics of %zu jobs (%zu MiB): %s",
			 plan->count, crew->shared_bytes >> 20, strerror(err ? -err : ENOMEM));
		return err ? err : -ENOMEM;
	}
	for (size_t i = 0; i < plan->count; i++) {
		struct crew_job *j = &crew->jobs[i];
		const struct job *job = plan->jobs[i].job;

		j->plan = &plan->jobs[i];
		crew->exitall |= job->proc.exitall;
		j->block = (struct worker_block *)((char *)crew->control + CONTROL_BYTES) + i;
		j->setup.aux_path = plan->aux_path;
		stats_init(j->block);
		rates_init(&j->rates,
			   log_interval_ms(&job->log, true, job->measure.bw_interval_ms),
			   log_interval_ms(&job->log, false, job->measure.iops_interval_ms));
	}
	share_ramps(crew);
	err = make_prios(crew, why, why_bytes);
	if (!err)
		err = make_lives(crew, why, why_bytes);
	if (!err)
		err = make_frontiers(crew, why, why_bytes);
	if (!err)
		err = make_content(crew, why, why_bytes);
	if (!err)
		err = make_flows(crew, why, why_bytes);
	if (!err)
		err = make_zones(crew, why, why_bytes);
	return err ? err : make_board(crew, why, why_bytes);
}

void crew_free(struct crew *crew)
{
	for (size_t i = 0; crew->jobs && i < crew->count; i++) {
		prios_free(crew->jobs[i].setup.prios);
		lifetimes_free(crew->jobs[i].setup.lives);
		frontier_free(crew->jobs[i].setup.frontier);
		zbd_share_free(crew->jobs[i].setup.zones);
	}
	zbd_devices_free(&crew->zones);
	if (crew->control)
		mem_shared_free(crew->control, crew->shared_bytes);
	if (crew->content)
		mem_shared_free(crew->content, content_shared_bytes(crew->content->count));
	overlap_free(crew->board);
	flows_free(crew->flows);
	free(crew->jobs);
	memset(crew, 0, sizeof(*crew));
}

uint64_t crew_elapsed_ns(const struct crew_job *j)
{
	const struct worker_block *b = j->block;
	uint64_t now = clock_now_ns(), end = b->end_ns;

	if (!b->start_ns)
		return 0;
	if (!end && j->ended)
		end = b->beat_ticks ? clock_ns_at(b->beat_ticks) : j->seen_end_ns;
	if (!end)
		end = now;
	return end > b->start_ns ? end - b->start_ns : 0;
}
