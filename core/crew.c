/* SPDX-License-Identifier: MIT */
/* The shared memory of the crew, and how long a job has run. */
#include "core/crew.h"
#include "os/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTROL_BYTES	4096	/* the control page, before the workers' blocks */

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
		const struct measure_conf *m = &plan->jobs[i].job->measure;

		j->plan = &plan->jobs[i];
		j->block = (struct worker_block *)((char *)crew->control + CONTROL_BYTES) + i;
		stats_init(j->block);
		rates_init(&j->rates, m->bw_interval_ms, m->iops_interval_ms);
	}
	return 0;
}

void crew_free(struct crew *crew)
{
	if (crew->control)
		mem_shared_free(crew->control, crew->shared_bytes);
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
