/* SPDX-License-Identifier: MIT */
/*
 * The evidence: what is known of a run and its jobs beyond their settings and their counters. Plain
 * values, gathered by the observer (trust_watch.c), judged by the checks (trust_checks.h), made up
 * by tests.
 */
#ifndef CORE_TRUST_FACTS_H
#define CORE_TRUST_FACTS_H

#include "core/plan.h"
#include "core/stats.h"
#include "core/trust_drift.h"
#include "os/disk.h"
#include "os/disktraits.h"
#include "os/machine.h"
#include "os/throttle.h"
#include "os/usage.h"
#include "os/zeroes.h"

/* What a job works on. */
enum trust_target {
	TRUST_TARGET_NONE,		/* nothing: null; names of an engine; character devices */
	TRUST_TARGET_FILES,
	TRUST_TARGET_DISK,		/* a block device itself */
};

/* Why reading a part of a target asks no medium. */
enum trust_emptiness {
	TRUST_EMPTY_UNWRITTEN,		/* a file: holes, space that was never written */
	TRUST_EMPTY_BACKING,		/* a loop device: so is the file below */
	TRUST_EMPTY_ZERO,		/* a device: blocks of zeroes, by a sample */
};

/* The job's part of its target in TRUST_PARTS equal parts, ascending; all its files together. */
#define TRUST_PARTS	ZEROES_PARTS

struct trust_empty {
	bool known;
	enum trust_emptiness kind;
	double seen[TRUST_PARTS];	/* bytes looked at */
	double empty[TRUST_PARTS];	/* of them without data */
};

/* Pages of the job's files, in bytes of all files; those not looked at count as the others. */
struct trust_pages {
	bool known;
	uint64_t cached_bytes;
	bool dirty_known;		/* the kernel tells the next */
	uint64_t dirty_bytes;		/* of the cached: not on the medium yet */
};

#define TRUST_DISKS_MAX	64

/* A disk that targets lie on. Counters are those of the whole run. */
struct trust_disk {
	struct disk disk;
	struct disktraits traits;
	struct disktraits_packing packing_before, packing;
	bool packing_known;
	struct throttle_io bounds;
	struct disk_stat before, during;
	bool stat_known;
	struct disk below;		/* that the file of a loop device lies on; name "": none */
	uint64_t region_bytes;		/* of the jobs that have begun, together */
};

/* A rate that a job is to keep, per second; 0: none was asked for. */
struct trust_rate {
	double ios, bytes;
};

/* What was seen of one job. */
struct trust_facts {
	enum trust_target target;
	uint64_t file_id;		/* by the name of its first file */
	int disk;			/* place among the run's disks; -1: none is known */
	struct trust_rate asked[DIRS];
	char fs[24];			/* of the first file */
	bool memory;			/* that is memory: tmpfs and the like */
	char compresses[64];		/* by its mount options; "": not known to */
	struct trust_empty empty_before, empty_after;
	struct trust_pages pages_before, pages_after;
	uint64_t began_ns, window_ns;	/* to the last I/O, a ramp included */
	bool stat_known;
	struct disk_stat stat_before, stat_during;	/* of the disk, in that time */
	bool below_known;
	struct disk_stat below_before, below_during;	/* of what is below a loop device */
};

/* One job, as a check sees it. */
struct trust_case {
	const struct plan_job *plan;
	const struct worker_block *block;
	const struct trust_facts *facts;	/* never NULL */
	struct trust_drift drift;
	uint64_t run_ns;			/* counted time; 0: it never got so far */
};

/* The whole run. */
struct trust_scene {
	const struct jobs *jobs;	/* for what [global] says; NULL: nothing */
	const struct trust_case *cases;
	size_t count;
	struct trust_disk disks[TRUST_DISKS_MAX];
	double confidence;		/* that is asked for, 0 to 1; 0: none */
	int nr_disks;
	/* what volumes among them are made of, each once: no parity, or it reads on its own */
	struct disk parts[TRUST_DISKS_MAX];
	struct disk_stat parts_before, parts_during;	/* of all of them together */
	int nr_parts;
	bool parts_known;
	bool stacked;			/* one of them is built on another */
	uint64_t run_ns;		/* from the first start to the last end */
	struct usage usage;		/* of us and our children; io_*: what we asked for */
	struct machine_load load_before, load_after;
	struct throttle_cpu cpu_before, cpu_after;
	struct machine_clock clock;
	/* of our own clock: clock_facts() */
	const char *clock_name;
	double clock_cost_ns, clock_error_ppm;
};

/* trust_dir_bytes, trust_dir_ios - moved and finished by a job in one direction. */
fl_inline uint64_t trust_dir_bytes(const struct trust_case *c, int dir)
{
	return c->block->dir[dir].bytes;
}

fl_inline uint64_t trust_dir_ios(const struct trust_case *c, int dir)
{
	return c->block->dir[dir].done_ios;
}

/* trust_region_bytes - what the job was to work on. */
fl_inline uint64_t trust_region_bytes(const struct trust_case *c)
{
	return c->plan->files.bytes;
}

#endif
