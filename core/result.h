/* SPDX-License-Identifier: MIT */
/*
 * The result of a run: merged once, in one place, out of the workers' blocks. Reporters only read.
 *
 * With group_reporting one result_job stands for all jobs of its group. Nothing here is text in a
 * format: units are ns, bytes, milliseconds, and every reporter rounds as its format demands.
 */
#ifndef CORE_RESULT_H
#define CORE_RESULT_H

#include "core/measure.h"
#include "core/spec.h"
#include "core/stats.h"
#include "lib/numfmt.h"
#include "lib/steady.h"

#include <stdio.h>

struct job;
struct result;
struct json;
struct lifetimes_sum;

#define RESULT_PERCENTILES_MAX	64	/* entries of a percentile_list */
#define RESULT_MIXED		DIRS	/* the place behind the directions: all of them as one */

/* A latency, in ns: N is the sum of the bins. */
struct result_lat {
	uint64_t n;
	double mean, stddev;
	uint64_t min, max;		/* all of these 0 when n is 0 */
	struct moments moments;		/* what they follow from */
	const uint64_t *bins;		/* HIST_BINS; NULL when n is 0 */
	bool percentiles;		/* this kind is to be printed with percentiles */
};

/* Rates sampled every bwavgtime, iopsavgtime. KiB/s for bandwidth. */
struct result_rate {
	double min, max, mean, dev;
	uint64_t samples;
};

/* Between which bounds a mean lies: see lib/interval.h. All 0 when too little is known. */
struct result_interval {
	double mean, low, high;
	uint64_t batches;
	double batch_seconds;
	bool correlated;		/* the batches are: the bounds may be too narrow */
};

/* The latency of the requests of one priority: total or completion, as prios.h has it. */
struct result_prio {
	unsigned prioclass, level, hint;
	struct result_lat lat;
};

struct result_dir {
	uint64_t bytes, ios, short_ios, drop_ios, errors;
	uint64_t returned_ios;		/* of ios: that are back; all, of a job that has ended */
	uint64_t runtime_ms;		/* longest of the jobs merged here */
	struct result_lat slat, clat, lat;
	struct result_lat intended;	/* from the intended start, see gate_rate.h ... */
	bool has_intended;		/* ... where there is a rate, or a log is replayed */
	struct result_prio *prios;	/* that of the job first; only where several were met */
	size_t nr_prios;
	bool prios_total;		/* of total latency */
	struct result_rate bw, iops;
	double bw_agg;			/* share of the group's bandwidth, percent */
	struct result_interval iops_mean;
};

struct result_counter {
	const char *name, *unit, *help;
	uint64_t value;
};

struct result_observed {
	const char *name, *help;
	struct result_lat lat;
};

/* An engine of the jobs merged. */
struct result_engine {
	const char *name;
	const char *origin;		/* NULL for one below another ... */
	const char *above;		/* ... whose name this is; else NULL */
	int jobs;			/* that use it */
	size_t nr_counters;
	struct result_counter counters[HOST_COUNTERS_MAX];
	size_t nr_observed;
	struct result_observed observed[HOST_HISTOGRAMS_MAX];
};

/* steadystate=: see lib/steady.h. */
struct result_steady {
	const struct steady_criterion *criterion;
	const struct steady_window *window;
	const struct steady_verdict *verdict;
	uint64_t duration_ns;
	bool attained;			/* and that has ended the jobs */
};

struct result_job {
	const char *name;
	const char *description;	/* NULL if none */
	const struct job *job;		/* settings of the first job merged here */
	struct num_style style;		/* how numbers are printed; figures 0: 4 */
	int group;			/* groupid */
	int jobs;			/* how many were merged */
	const size_t *members;		/* their places in the crew, ascending */
	int error;			/* positive errno, 0 */
	uint64_t errors;		/* of I/Os of all kinds, syncs too; damage found */
	const char *error_text;		/* sentence; "" */
	bool counts_errors;		/* continue_on_error: errors do not end the job */
	int signal;			/* that killed the worker, 0 */
	int pid;
	uint64_t start_wall_ms;		/* 0: none of the jobs merged got so far */
	uint64_t start_ms;		/* the same by job_start_clock_id */
	int64_t eta_s;			/* seconds left; below 0: not known */
	uint64_t elapsed_s;		/* whole seconds, rounded up */
	uint64_t runtime_ms;		/* job_runtime: sum over jobs merged */
	uint64_t wall_ms;		/* longest of the jobs merged */
	/* "job options", of the last job merged: canonical names, text as written */
	struct settings echo;
	enum measure_unified unified;	/* which of dir are reported: see reporter_dir() */
	struct result_dir dir[DIRS + 1];	/* the last: RESULT_MIXED */
	struct result_lat sync;
	uint64_t sync_ios;
	struct lifetimes_sum *lives;	/* of blocks; NULL: not asked for */
	double usr_cpu, sys_cpu;	/* percent of runtime */
	uint64_t usr_us, sys_us;
	uint64_t ctx, majf, minf;
	uint64_t depth[DEPTH_BUCKETS], submit[DEPTH_BUCKETS], complete[DEPTH_BUCKETS];
	double lat_ns_pct[10], lat_us_pct[10], lat_ms_pct[12];	/* latency distribution, percent */
	/* latency_target and its companions; all 0: not set */
	uint64_t latency_target_ns, latency_window_ns;
	double latency_percentile;	/* 0: 100 */
	const struct result_steady *steady;	/* NULL: not asked for */
	unsigned iodepth;
	struct result_engine engine;	/* of the first job */
	struct result_engine *others;	/* of the other jobs; and what lies below an engine */
	size_t nr_others;
	uint32_t buffer_mod64;
	uint64_t passes;
	uint64_t verify_blocks, verify_wrong;
	bool verifies;
	/* logs that workers take part in: entries, and waits for the writer */
	uint64_t log_entries, log_waits, log_wait_ns;
	size_t nr_notes;
	const char *notes[WORKER_NOTES];
	const double *percentiles;	/* percentile_list, ascending */
	size_t nr_percentiles;
	double confidence;		/* with which a percentile must be bounded, 0 to 1 */
};

/*
 * One job section, as the lines that announce it before it runs need it. Only those that run; jobs
 * made of it by numjobs are counted in clones.
 */
struct result_section {
	const char *name;
	int group;
	const char *rw;			/* canonical word: "read", "randwrite", "rw", "trimwrite" */
	struct range_dirs bs;		/* smallest and largest block per direction, bytes */
	const char *engine;
	unsigned iodepth;
	unsigned clones;		/* jobs made of it, from 1 */
	bool thread;			/* thread=1 */
	struct num_style style;
};

/* What the bandwidth of a group hides: see core/together.h. Bytes per second, and ns. */
struct result_together {
	unsigned workers;		/* that had this direction and have begun; 0: unknown */
	uint64_t all_ns;		/* how long all were at work at once; 0: they never were */
	double all_bw;
	uint64_t whole_ns;		/* from the first one's start to the last one's end */
	double whole_bw;
	double min_bw, median_bw, max_bw;	/* of single workers over their own time */
};

/* Run status group: bandwidth in bytes/s of the slowest and fastest job, and of the whole. */
struct result_group {
	int id;
	enum measure_unified unified;
	struct num_style style;
	struct {
		uint64_t bytes;
		uint64_t min_bw, max_bw, agg;		/* bytes per second */
		uint64_t min_run_ms, max_run_ms;
		struct result_together together;
	} dir[DIRS + 1];		/* the last: RESULT_MIXED */
};

/* What one disk did, or the mean of several with the share of the busiest. */
struct result_disk_use {
	uint64_t read_ios, write_ios, read_sectors, write_sectors, read_merges, write_merges;
	uint64_t read_ticks, write_ticks, in_queue;
	double util;			/* percent */
};

struct result_disk {
	char name[64];
	struct result_disk_use use;
	unsigned parts;			/* disks that it is made of; 0: an ordinary one */
	struct result_disk_use of_parts;	/* their mean */
};

/* --idle-prof: how much of the CPUs was left over, percent. */
struct result_idle {
	double system;			/* of all of them */
	bool each;			/* those of single CPUs are wanted, too */
	struct {
		unsigned number;
		double percent;
	} *cpus;
	size_t nr;
	double unit_ns, unit_stddev_ns;	/* of the work they are measured by */
};

/*
 * What others than the merge add to a result: lines of a job and of the whole run in normal output,
 * members of the object "fio-like" of a job and of the document. All are set.
 */
struct result_added {
	void (*job_text)(const void *ctx, const struct result *r, const struct result_job *j,
			 FILE *out);
	void (*job_json)(const void *ctx, const struct result *r, const struct result_job *j,
			 struct json *doc);
	void (*group_text)(const void *ctx, const struct result *r, const struct result_group *g,
			   int dir, FILE *out);
	void (*run_text)(const void *ctx, const struct result *r, FILE *out);
	void (*run_json)(const void *ctx, const struct result *r, struct json *doc);
	const void *ctx;
};

struct result {
	uint64_t wall_ms;		/* realtime of the report */
	bool final;			/* false: a status dump of a run that goes on */
	int stopped_by;			/* signal that ended the run early, 0 */
	struct result_job *jobs;
	size_t nr_jobs;
	struct result_group *groups;
	size_t nr_groups;
	struct result_disk *disks;
	size_t nr_disks;
	bool disk_util;			/* disk statistics were asked for */
	const struct result_idle *idle;	/* NULL: not asked for */
	bool echo_global;		/* "global options" is printed */
	struct settings global_echo;
	size_t nr_notes;
	const char **notes;
	/* facts about the measurement itself */
	const char *clock;		/* "tsc", "clock_gettime" */
	double clock_ghz, clock_cost_ns, clock_error_ppm;
	int cpus;
	const struct result_added *added;	/* NULL: nothing */
};


#endif
