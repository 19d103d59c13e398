/* SPDX-License-Identifier: MIT */
/*
 * What a job did to the page cache: its files are looked at just before its clock starts (after
 * invalidate and pre_read) and just after it has ended, from outside, and what storage was asked
 * for meanwhile is set beside.
 *
 * Looking costs by the number of files and of cached pages, so it is bounded: of many files a
 * sample, spread evenly, and no more than a moment per job. The result says how much was seen.
 */
#ifndef CORE_CACHESTAT_H
#define CORE_CACHESTAT_H

#include "core/observer.h"
#include "os/pagecache.h"

/* One file of a job. */
struct cachestat_file {
	uint32_t index;			/* in the job's file_set */
	uint64_t id;			/* of the inode: jobs with the same one share the pages */
	bool begun, ended;		/* before, after are there */
	struct pagecache before, after;
};

struct cachestat_job {
	struct cachestat_file *files;	/* those looked at, ascending by index; owned */
	uint32_t count;
};

struct cachestat {
	const struct crew *crew;	/* NULL until ready() */
	struct cachestat_job *jobs;	/* as many as the crew has; owned */
	size_t count;
	uint32_t files_max;		/* per job */
};

extern const struct observer cachestat_observer;

/* The sums over the files of all jobs that one result stands for. */
struct cachestat_sum {
	struct pagecache before, after;
	uint64_t files, files_seen;	/* of the jobs; of them looked at */
	bool begun, ended;		/* before, after mean something */
	uint64_t invalidate_ns;		/* the longest of any job; before the clock starts */
	uint64_t trail_bytes, trail_ns;	/* advised as the jobs went (trail.h), in all */
	bool storage_known;		/* of all jobs; else the next two are 0 */
	uint64_t read_bytes, write_bytes;	/* storage was asked for, by the kernel's count */
	double amplification;		/* read_bytes per byte the jobs read; 0: they read none */
};

/* cachestat_sum - a file that jobs share counts once: as the first found it, the last left it. */
void cachestat_sum(const struct cachestat *cs, const struct result_job *j,
		   struct cachestat_sum *sum);

/* The reporting hooks of the observer. */
void cachestat_text(const void *self, const struct result *r, const struct result_job *j,
		    FILE *out);
void cachestat_json(const void *self, const struct result *r, const struct result_job *j,
		    struct json *doc);

#endif
