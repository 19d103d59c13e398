/* SPDX-License-Identifier: MIT */
/*
 * What watches a run from outside: it asks the kernel before, once a second while the jobs run, and
 * after, and adds what it saw to the result.
 *
 * Each observer is one file with one row, like an engine; core/observers.c puts the rows together.
 * All hooks run on the main thread of the parent, none is on the I/O path, all may be NULL. They
 * come in this order: begin, ready, then for every job begins, may_go, (look, tick), measured,
 * ended, and at last finish, fill, the reports, done. Fill and reports also come for a status dump
 * while jobs run. done() comes whatever happened before, also when begin() refused.
 */
#ifndef CORE_OBSERVER_H
#define CORE_OBSERVER_H

#include "core/cli_flags.h"
#include "core/crew.h"
#include "core/disks.h"
#include "core/result.h"
#include "core/series.h"
#include "core/trust.h"
#include "lib/json.h"

/* What an observer may look at. Members are NULL until the run has come that far. */
struct observed {
	const struct cli_flags *flags;
	const struct jobs *jobs;
	const struct plan *plan;
	const struct disks *disks;	/* from ready() on */
	const struct crew *crew;	/* likewise; crew->jobs[i] belongs to plan->jobs[i] */
	/* What all observers have found so far; from begin() on. Any may add to it. */
	struct trust *trust;
	/* The rates of all jobs over time; from ready() on, NULL if there was no memory for it. */
	const struct series *series;
};

struct observer {
	const char *name;
	size_t state_bytes;		/* of self: zeroed, one per run */
	/*
	 * begin - the plan is made, no file has been touched. Returns 0, or -errno with a
	 * complaint in diag: then nothing is laid out and nothing runs.
	 */
	int (*begin)(void *self, const struct observed *run, struct diag *diag);
	/*
	 * enter - in each new process that lays files out or does I/O of jobs, before anything
	 * else; what it changes there stays there. Returns 0, or -errno with a sentence in why:
	 * then that process does nothing, and its jobs fail with it.
	 */
	int (*enter)(const void *self, char *why, size_t why_bytes);
	/* ready - files are laid out, the shared memory is there, no worker has been started. */
	void (*ready)(void *self, const struct observed *run);
	/*
	 * job_begins, job_ended - around one job: no worker of its wave has been started yet; its
	 * block is final or its process is gone. Not for jobs that never got so far. Other jobs may
	 * be at work: be quick, and bounded whatever the number of files.
	 */
	void (*job_begins)(void *self, const struct observed *run, size_t job);
	void (*job_ended)(void *self, const struct observed *run, size_t job);
	/*
	 * job_measured - the counted part of a job is over: its files may still be open, and are
	 * being closed. Before job_ended of the same job, under the same conditions.
	 */
	void (*job_measured)(void *self, const struct observed *run, size_t job);
	/*
	 * look - the parent has woken up: when a worker changed its state, and about ten times a
	 * second. For reading the workers' counters: no system call, nothing that could take long.
	 */
	void (*look)(void *self, const struct observed *run, uint64_t now_ns);
	/*
	 * may_go - the workers of this job and of its wave have set up and wait; none has done any
	 * I/O yet. Returns 0; or -errno with a sentence in why: then this job ends without any, and
	 * that is its error.
	 */
	int (*may_go)(void *self, const struct observed *run, size_t job, char *why,
		      size_t why_bytes);
	/* tick - about a second has passed. now_ns: clock_now_ns(). */
	void (*tick)(void *self, const struct observed *run, uint64_t now_ns);
	/* finish - all workers have ended. */
	void (*finish)(void *self, const struct observed *run);
	/*
	 * fill - a result has been merged, the final one or that of a status dump, and is about to
	 * be written: put in what the merge cannot know; judge it.
	 */
	void (*fill)(void *self, const struct observed *run, struct result *r);
	/*
	 * What it adds to a result, also to that of a status dump while jobs run: lines of a job
	 * and of the whole run in normal output; members of the object "fio-like" of a job and of
	 * the document. result_job.members says which jobs of the crew a job of the result is.
	 */
	void (*job_text)(const void *self, const struct result *r, const struct result_job *j,
			 FILE *out);
	void (*job_json)(const void *self, const struct result *r, const struct result_job *j,
			 struct json *doc);
	/* behind fio's line about one direction of a run status group */
	void (*group_text)(const void *self, const struct result *r, const struct result_group *g,
			   int dir, FILE *out);
	void (*run_text)(const void *self, const struct result *r, FILE *out);
	void (*run_json)(const void *self, const struct result *r, struct json *doc);
	/* status - the exit status it demands of the program after a run that went well; 0: none */
	int (*status)(const void *self);
	/* done - release what self holds; self itself is the caller's. */
	void (*done)(void *self);
};

#endif
