/* SPDX-License-Identifier: MIT */
/* Queues that are made for a question. */
#include "core/ask.h"
#include "os/trial.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define OPEN_TIMEOUT_MS	5000u		/* then the engine does not come back */

uint32_t ask_flags(const struct job *job)
{
	const struct files_conf *f = &job->files;

	return (f->direct ? FL_JOB_DIRECT : 0) |
	       (job->workload.rw.bits & RW_RANDOM ? FL_JOB_RANDOM : 0) |
	       (job->proc.thread ? FL_JOB_THREAD : 0) |
	       (f->sync == FILES_SYNC_SYNC ? FL_JOB_SYNC : 0) |
	       (f->sync == FILES_SYNC_DSYNC ? FL_JOB_DSYNC : 0) |
	       (f->atomic ? FL_JOB_ATOMIC : 0) |
	       (f->readonly ? FL_JOB_READONLY : 0) |
	       (f->reopen_each_loop || f->unlink_each_loop ? FL_JOB_REOPEN : 0);
}

void ask_init(struct ask *a, const struct job *job, uint32_t number, uint32_t depth)
{
	const struct host_setup hs = {
		.engine = job->engine, .job = &a->job, .opts = job->engine_opts,
		.depth = depth, .counters = a->counters,
	};

	memset(a, 0, sizeof(*a));
	a->job.size = sizeof(a->job);
	a->job.number = number;
	a->job.name = job->name;
	a->job.ops = job->workload.rw.bits & RW_DIRS;
	a->job.files = a->job.files_open_max = 1;
	a->job.block_min = workload_block_min(&job->workload);
	a->job.block_max = workload_block_max(&job->workload);
	a->job.flags = ask_flags(job);
	a->job.seed = job->workload.randseed;
	host_queue_init(&a->hq, &hs);
}

/* What an engine remarks in a trial is no news to anybody. */
static void drop_line(void *ctx, int level, const char *text)
{
	(void)ctx;
	(void)level;
	(void)text;
}

/* What the child found out. */
struct answer {
	uint32_t flags;
	char why[HOST_WHY_BYTES];
};

static int open_queue(void *ctx, void *to)
{
	const struct job *job = ctx;
	struct answer *answer = to;
	struct ask ask;
	int err;

	ask_init(&ask, job, 0, job->depth.depth);
	ask.hq.setup.log = drop_line;
	err = host_queue_start(&ask.hq);
	if (err) {
		host_explain(&ask.hq, err, answer->why, sizeof(answer->why));
		return err;
	}
	answer->flags = ask.hq.q.flags;
	host_queue_close(&ask.hq);
	return 0;
}

int ask_sync(const struct job *job, char *why, size_t why_bytes)
{
	struct trial_end end = { 0 };
	struct answer answer = { 0 };
	int err = trial_run(open_queue, (void *)job, &answer, sizeof(answer), OPEN_TIMEOUT_MS,
			    &end);

	if (err)
		snprintf(why, why_bytes, "a queue of it cannot even be opened: %s",
			 err == -ECHILD ? "it crashes" : strerror(-err));
	else if (end.value)
		snprintf(why, why_bytes, "%s", answer.why);
	if (err || end.value)
		return err ? err : end.value;
	return answer.flags & FL_QUEUE_SYNC ? 1 : 0;
}
