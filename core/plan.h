/* SPDX-License-Identifier: MIT */
/*
 * The plan: every clone of every job in order, its group, its files; and laying those files out.
 */
#ifndef CORE_PLAN_H
#define CORE_PLAN_H

#include "core/job.h"

/* One job that will run: a clone of a section. */
struct plan_job {
	const struct job *job;
	uint32_t clone;			/* among those of its section, from 0 */
	uint32_t number;		/* in the whole run, from 0 */
	int group;
	bool stonewall;			/* starts after all before it have ended */
	struct file_set files;
	int failed;			/* errno: its files could not be made; 0 */
	char *failed_why;		/* then, a sentence; owned */
};

struct plan {
	struct plan_job *jobs;
	size_t count;
	const char *aux_path;		/* --aux-path, for the workers; or NULL */
};

/*
 * plan_make - clone, group, and look at the files of all jobs. Nothing is created or written.
 * Returns 0, or -EINVAL with complaints in diag. plan_free() in both cases.
 */
int plan_make(struct plan *plan, const struct jobs *jobs, struct diag *diag);
void plan_free(struct plan *plan);

/* plan_together - are two different jobs reported as one (group_reporting)? */
bool plan_together(const struct plan_job *a, const struct plan_job *b);

/* What plan_layout() tells while it works. All functions may be NULL. */
struct plan_watch {
	/* files of a job are about to be made */
	void (*begin)(void *ctx, const struct plan_job *pj, uint32_t files, uint64_t bytes);
	/* so many more bytes are written; other than 0 ends the layout with that value */
	int (*progress)(void *ctx, uint64_t bytes);
	/* if set, files are made in a process of their own that calls it first (layout_apart.h) */
	int (*enter)(void *ctx, char *why, size_t why_bytes);
	void *ctx;
};

/*
 * plan_layout - make the files of all jobs, one job after the other. What an earlier job's layout
 * has made is seen by the later ones. A job whose files could not be made has failed, the others
 * go on.
 * Returns 0, or what progress() ended it with. Notes go to diag.
 */
int plan_layout(struct plan *plan, const struct plan_watch *watch, struct diag *diag);

#endif
