/* SPDX-License-Identifier: MIT */
/*
 * The logs of one job, as the writer sees them: from entries and counters to lines.
 */
#ifndef CORE_LOG_JOB_H
#define CORE_LOG_JOB_H

#include "core/crew.h"
#include "core/log_iolog.h"
#include "core/log_scratch.h"

/* One log. */
struct log_out {
	struct log_file *file;		/* NULL: there is none */
	bool filled;			/* something is to be in it */
	struct logfmt_text text;
};

struct log_hist {
	uint64_t due_ns;		/* clock_now_ns() */
	uint64_t *before[DIRS];		/* bins when they were last written; NULL: empty */
	uint64_t ios[DIRS], bytes[DIRS];
};

struct log_job {
	const struct crew_job *crew;
	const struct log_conf *conf;
	struct log_ring *ring;		/* or NULL */
	struct log_out out[LOG_KINDS];
	_Atomic uint32_t ended;		/* by the main thread */
	bool done;			/* all is written */
	bool begun;
	uint64_t start_ns;		/* where times of its lines begin, less the epoch */
	uint64_t epoch_ns;
	uint64_t deadline_ns;		/* the last samples have no other time than the job's end */
	struct rate_watch bw, iops;
	struct log_hist hist;
	struct log_iolog iolog;
};

/* log_job_init - of a job that logs. log_job_create - create its files. */
void log_job_init(struct log_job *j, const struct crew *crew, const struct crew_job *job);
void log_job_create(struct log_job *j, struct log_scratch *s);
void log_job_free(struct log_job *j);

/*
 * log_job_work - write what there is. *due: brought down to when counters are to be sampled next
 * (clock_now_ns()). Returns whether there is more to do at once. Sets j->done when the job has
 * ended and all is written.
 */
bool log_job_work(struct log_job *j, struct log_scratch *s, uint64_t now_ns, uint64_t *due);

#endif
