/* SPDX-License-Identifier: MIT */
/* Who is in which flow. */
#include "core/flow_watch.h"

/* It does no more I/O that counts, or not just now. */
static bool is_out(const struct crew_job *j)
{
	return !crew_running(j) || atomic_load(&j->block->state) >= WORKER_FINISH ||
	       atomic_load(&j->setup.flow->resting);
}

static void look(void *self, const struct observed *run, uint64_t now_ns)
{
	(void)self;
	(void)now_ns;
	for (size_t i = 0; run->crew->flows && i < run->crew->count; i++) {
		const struct crew_job *j = &run->crew->jobs[i];

		if (!j->setup.flow)
			continue;
		if (is_out(j))
			flow_leave(j->setup.flow);
		else if (atomic_load(&j->block->state) >= WORKER_RAMP)
			flow_enter(j->setup.flow);
	}
}

/* Those that begin at once begin together, whoever of them gets a CPU first. */
static int may_go(void *self, const struct observed *run, size_t job, char *why, size_t why_bytes)
{
	const struct crew_job *j = &run->crew->jobs[job];

	(void)self;
	(void)why;
	(void)why_bytes;
	if (j->setup.flow && !j->plan->job->pace.start_delay_ns.hi)
		flow_enter(j->setup.flow);
	return 0;
}

const struct observer flow_observer = {
	.name = "flow",
	.look = look,
	.may_go = may_go,
};
