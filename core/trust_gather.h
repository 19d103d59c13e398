/* SPDX-License-Identifier: MIT */
/*
 * Gathering the evidence about the targets of a job: on what they lie, where they hold no data, how
 * much of them is in the page cache, what the disk did meanwhile.
 *
 * It is the parent that asks, while other jobs may be at work, so all of it is bounded: a sample of
 * the files, so many extents, so much time per job and per run. What there was no time for is not
 * known, and what is not known is no finding.
 */
#ifndef CORE_TRUST_GATHER_H
#define CORE_TRUST_GATHER_H

#include "core/trust_facts.h"

/* What the gathering of one run has to remember. */
struct trust_gather {
	struct trust_scene *scene;
	uint64_t left_ns;		/* time for looking at files, in all */
	/* the sample of zeroes taken last: clones work on the same device */
	struct {
		dev_t device;
		uint64_t start, bytes, at_ns;
		struct trust_empty empty;
	} sampled;
};

/* trust_gather_init - for the jobs of one run; adds to the disks of the scene. */
void trust_gather_init(struct trust_gather *g, struct trust_scene *scene);

/* trust_gather_target - on what does this job's first file lie? The disk is added to the scene. */
void trust_gather_target(struct trust_gather *g, const struct plan_job *pj, struct trust_facts *f);

/* trust_gather_file_id - what tells the first file of a job from those of others. */
uint64_t trust_gather_file_id(const struct plan_job *pj);

/* trust_gather_before - look at the targets just before the job's workers begin. */
void trust_gather_before(struct trust_gather *g, const struct plan_job *pj, struct trust_facts *f);

/* trust_gather_after - just after its counted part, before its files are closed if possible. */
void trust_gather_after(struct trust_gather *g, const struct plan_job *pj, struct trust_facts *f);

/* trust_gather_start - all targets are known, and the run begins. */
void trust_gather_start(struct trust_gather *g);

/* trust_gather_end - the run is over: what the disks did. */
void trust_gather_end(struct trust_gather *g);

#endif
