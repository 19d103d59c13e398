/* SPDX-License-Identifier: MIT */
/* A worker that replays a log, or writes one: setting up. */
#include "core/worker_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int worker_replay_make(struct worker *w, char *why, size_t why_bytes)
{
	const struct job *job = w->job;
	const struct replayer_setup s = {
		.logs = job->logs, .clone = w->setup->clone, .files = &w->files,
		.loops = job->workload.loops, .ios_max = job->workload.number_ios,
		.range_flags = job->workload.range_sync.flags, .beside = job->depth.offload,
		.time_based = job->pace.time_based,
	};
	int err;

	w->source = SOURCE_REPLAY;
	w->replay = calloc(1, sizeof(*w->replay));
	if (!w->replay) {
		snprintf(why, why_bytes, "no memory");
		return -ENOMEM;
	}
	err = replayer_init(w->replay, &s);
	if (err)
		snprintf(why, why_bytes, "%s", w->replay->why);
	else if (!job->pace.time_based)
		w->b->bytes_target = replay_bytes(&w->replay->facts) *
				     fl_max(job->workload.loops, (uint64_t)1);
	return err;
}

void worker_replay_free(struct worker *w)
{
	replayer_free(w->replay);
	free(w->replay);
}

void worker_record_make(struct worker *w)
{
	if (!w->setup->issued)
		return;
	w->record = (struct recorder_files){ w->setup->issued, &w->b->stop };
	w->files.changed = recorder_file;
	w->files.ctx = &w->record;
	for (uint32_t i = 0; i < w->setup->files->nr; i++)
		if (w->files.files[i].open)
			recorder_file(&w->record, i, true);
}

void worker_record_begin(struct worker *w)
{
	if (w->setup->issued)
		atomic_store(&w->setup->issued->base, clock_ticks());
}
