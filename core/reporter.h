/* SPDX-License-Identifier: MIT */
/*
 * What every reporter is, and the few numbers that all of them derive from a result in one way.
 *
 * A reporter only reads the result and only writes to its FILE. It keeps nothing between calls and
 * checks no write errors: core/report.c, which hands out the FILE, does that for all of them.
 */
#ifndef CORE_REPORTER_H
#define CORE_REPORTER_H

#include "core/result.h"
#include "gen/config.h"

#include <stdio.h>

/* What stands for "fio-3.42": programs look for the "fio-3" in it. */
#define REPORTER_VERSION	"fio-3.42-like-" FL_VERSION

/* What the command line may add to the choice of a format. */
struct reporter_how {
	unsigned terse_version;		/* REPORTER_TERSE_MIN to REPORTER_TERSE_MAX */
};

#define REPORTER_TERSE_MIN	2u
#define REPORTER_TERSE_MAX	5u
#define REPORTER_TERSE_DEFAULT	3u

struct reporter {
	const char *name;		/* the word in --output-format */
	const char *help;		/* one line */
	/* header - announce the sections about to run. NULL: this format says nothing before. */
	void (*header)(const struct result_section *sections, size_t count, FILE *out);
	/* layout - announce that the files of a job are being made. NULL: as above. */
	void (*layout)(const char *job, uint64_t files, uint64_t bytes, FILE *out);
	/* final - the whole result. */
	void (*final)(const struct result *r, const struct reporter_how *how, FILE *out);
};

/* reporter_text - a text that others wrote, as lib/printable.h lets it out. NULL counts as "". */
void reporter_text(const char *text, FILE *out);

/* reporter_dirs - the names of the directions, by DIR_*: "read", "write", "trim". */
extern const char *const reporter_dirs[DIRS];

/*
 * reporter_dir - the directions that a job is reported by, from 0 on, with their name, as
 * unified_rw_reporting has it: each, all as one ("mixed"), or both. NULL behind the last.
 */
const struct result_dir *reporter_dir(const struct result_job *j, size_t i, const char **name);

/* reporter_bandwidth - bytes per second over the direction's run time; 0 without a run time. */
uint64_t reporter_bandwidth(const struct result_dir *d);

/* reporter_iops - I/Os per second over the direction's run time; 0 without a run time. */
double reporter_iops(const struct result_dir *d);

/*
 * reporter_shares - what percentage of all the counts of one depth table each bucket holds.
 * A bucket that holds anything has at least 0.1, so that what is rare does not round to nothing.
 */
void reporter_shares(const uint64_t counts[DEPTH_BUCKETS], double percent[DEPTH_BUCKETS]);

/* reporter_ios - of all directions of a job. */
uint64_t reporter_ios(const struct result_job *j);

/* reporter_fault_rates - minor faults per second of run time, per I/O and per
 * pass over the files; 0 where none was. */
struct reporter_fault_rates {
	double per_second, per_io, per_pass;
};
struct reporter_fault_rates reporter_fault_rates(const struct result_job *j);

/*
 * reporter_percentiles - the job's percentiles of one latency, in ns, in the order of its list.
 * Writes at most RESULT_PERCENTILES_MAX values to out; returns how many. 0 when the latency has no
 * samples or is not of a kind that is to be printed with percentiles.
 */
size_t reporter_percentiles(const struct result_job *j, const struct result_lat *l,
			    uint64_t out[RESULT_PERCENTILES_MAX]);

/*
 * reporter_lifetimes - the job's percentiles of the number of trims its blocks took, in the order
 * of its list. Returns how many; 0 when it was not asked for, or nothing was done to any block.
 */
size_t reporter_lifetimes(const struct result_job *j, uint64_t out[RESULT_PERCENTILES_MAX]);

/* reporter_latency_percentile - of latency_target; 100 where nothing was set. */
double reporter_latency_percentile(const struct result_job *j);

/*
 * reporter_time - a moment as ctime() writes it, local time, without the newline.
 * wall_ms: ms since 1970. buf: of at least REPORTER_TIME_BYTES. Returns buf.
 */
#define REPORTER_TIME_BYTES	64
const char *reporter_time(uint64_t wall_ms, char buf[REPORTER_TIME_BYTES]);

#endif
