/* SPDX-License-Identifier: MIT */
/*
 * What a job is going to do, before it has done anything: how many I/Os of how many bytes, how long
 * at least, with how much memory.
 *
 * The workload itself is asked, by going through it without any I/O, so that the numbers are those
 * of the run. Where that would take long, or what comes is drawn anew each time, they are rounded.
 */
#ifndef CORE_OUTLOOK_H
#define CORE_OUTLOOK_H

#include "core/plan.h"

/* I/Os that are gone through one by one, of all jobs together: what a person waits for gladly. */
#define OUTLOOK_STEPS	2000000u

/* All zero: nothing. Of all clones of a job together, unless a line says otherwise. */
struct outlook {
	uint32_t clones;
	uint64_t files;			/* those that clones share count for each */
	uint64_t file_bytes;		/* of the parts that are worked on */
	uint64_t ios[DIRS], bytes[DIRS];	/* in one pass over the files if endless */
	uint64_t syncs;			/* fsync and its like in between */
	bool endless;			/* over and over, until the time is up */
	bool about;			/* the numbers are not exact */
	uint64_t block_min, block_max;	/* bytes */
	uint64_t think_ns;		/* of one clone: its pauses together; 0: none */
	uint64_t pace_ns;		/* of one clone: as long as it takes at least, by pauses,
					 * rates, or the times of a log; 0: not known */
	bool shared;			/* all clones work on the same files */
	uint64_t layout_bytes;		/* written or reserved before the clock starts */
	uint32_t layout_files;
	uint64_t memory_bytes;		/* that the workers need */
	uint64_t buffer_bytes;		/* of that, for I/O buffers */
	uint64_t map_bytes;		/* of that, for random order and for verify */
};

/*
 * outlook_make - for the n clones of one job. sync: its engine has one I/O in flight at a time.
 * steps: I/Os that may still be gone through; it goes down.
 */
void outlook_make(struct outlook *o, const struct plan_job *clones, uint32_t n, bool sync,
		  uint64_t *steps);

/* outlook_ios, outlook_bytes - of all directions. */
uint64_t outlook_ios(const struct outlook *o);
uint64_t outlook_bytes(const struct outlook *o);

#endif
