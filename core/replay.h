/* SPDX-License-Identifier: MIT */
/*
 * read_iolog: a job that does again what a log says. Its options, and the logs of its clones.
 *
 * Logs are looked through when the job is parsed (replay_facts.h); what they hold takes the place
 * of rw, bs, size and filename, so that nobody has to ask whether a job that reads, writes or trims
 * does so by a log. The worker's part is replayer.h.
 */
#ifndef CORE_REPLAY_H
#define CORE_REPLAY_H

#include "core/replay_facts.h"

struct workload_conf;
struct files_given;

#define REPLAY_LOGS_MAX	1024		/* in one read_iolog */

/* A list of numbers, one for each log. */
struct replay_numbers {
	uint32_t nr;
	const double *v;
};

struct replay_conf {
	const char *logs;		/* read_iolog: ':' list, "\:" is a colon; NULL: none */
	uint32_t chunked;
	uint32_t no_stall;
	const char *redirect;
	uint64_t scale, align;
	uint32_t time_percent;
	uint32_t skip;			/* bit per enum iolog_action */
	const char *merge_file;
	struct replay_numbers merge_percent, merge_times;
};

extern const struct opt_table replay_options;

/* A log, and what it holds. */
struct replay_source {
	char *path;
	int fd;				/* -1: not there yet, it is still to be merged */
	struct replay_facts facts;
};

/* The logs of one job; clone n has number n, beginning anew where there are fewer. */
struct replay_logs {
	const struct replay_conf *conf;
	struct replay_change change;
	struct replay_source *list;
	uint32_t nr;
	/* with merge_blktrace_file, the list is what comes out of these */
	struct replay_source *parts;
	uint32_t nr_parts;
};

/*
 * replay_check - bounds that need more than one row, and options without effect. 0, -EINVAL with a
 * sentence in why, or 1 with a note.
 */
int replay_check(const struct replay_conf *c, char *why, size_t why_bytes);

/*
 * replay_load - open the logs that so many clones use, and look through them. Returns 0, or -errno
 * with a sentence in why. replay_logs_free() in both cases; NULL is fine.
 */
int replay_load(struct replay_logs **logs, const struct replay_conf *c, uint32_t clones, char *why,
		size_t why_bytes);
void replay_logs_free(struct replay_logs *logs);

/* replay_keeps_time - is there a log, and does it say when I/Os start? logs: or NULL. */
fl_inline bool replay_keeps_time(const struct replay_logs *logs)
{
	return logs && !logs->conf->no_stall;
}

/* replay_of - the log of a clone. */
struct replay_source *replay_of(const struct replay_logs *logs, uint32_t clone);

/* replay_replaced - option i of those that do not count beside read_iolog; NULL behind the last. */
const char *replay_replaced(size_t i);

/* replay_settle - the workload of such a job, for all who ask what the job does. */
void replay_settle(const struct replay_logs *logs, struct workload_conf *w);

/* replay_memory - what reading this log takes of each worker, bytes. */
uint64_t replay_memory(const struct replay_logs *logs, const struct replay_source *s);

/* replay_bytes - what one pass through this log moves. */
uint64_t replay_bytes(const struct replay_facts *f);

/*
 * replay_given - the files of a clone, for the plan. depth: iodepth. The names are the log's.
 * Returns an array for the caller to free(); NULL: no memory.
 */
struct files_given *replay_given(const struct replay_logs *logs, uint32_t clone, uint32_t depth);

#endif
