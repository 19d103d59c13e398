/* SPDX-License-Identifier: MIT */
/* Finding the disks, asking for their schedulers, switching. */
#include "core/iosched_switch.h"
#include "core/places.h"
#include "os/disk.h"
#include "os/scheduler.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* What happens to one file's disk. */
struct turn {
	const struct job *job;
	struct diag *diag;		/* while it is only found out whether it could be */
	struct worker_block *block;	/* then: for notes */
	char *why;
	size_t why_bytes;
};

/* The kernel may yet load one that it does not list; then it has it, and what was comes back. */
static int can_have(const struct disk *disk, const struct scheduler *s, const char *name)
{
	int err;

	for (const char *word = s->all; *word; word += strspn(word, ", ")) {
		size_t len = strcspn(word, ",");

		if (strlen(name) == len && !strncmp(word, name, len))
			return 0;
		word += len;
	}
	err = scheduler_set("", disk->device, name);
	if (!err)
		err = scheduler_set("", disk->device, s->now);
	return err;
}

static int try_one(void *ctx, uint32_t file, const char *path)
{
	const struct turn *t = ctx;
	const char *name = t->job->iosched.name;
	struct scheduler s;
	struct disk disk;
	int err;

	(void)file;
	if (disk_find_path(path, &disk)) {
		diag_note(t->diag, &t->job->at, "job %s: ioscheduler=%s has no effect on %s, which "
			  "is on no disk", t->job->name, name, path);
		return 0;
	}
	if (scheduler_look("", disk.device, &s)) {
		diag_note(t->diag, &t->job->at, "job %s: ioscheduler=%s has no effect on %s: disk "
			  "%s has no schedulers", t->job->name, name, path, disk.name);
		return 0;
	}
	err = can_have(&disk, &s, name);
	if (err == -EINVAL)
		diag_error(t->diag, &t->job->at, "job %s: ioscheduler=%s: disk %s, which %s is on, "
			   "can have: %s", t->job->name, name, disk.name, path, s.all);
	else if (err)
		diag_error(t->diag, &t->job->at, "job %s: ioscheduler=%s: the scheduler of disk %s "
			   "cannot be set: %s", t->job->name, name, disk.name, strerror(-err));
	return err;
}

static int switch_one(void *ctx, uint32_t file, const char *path)
{
	struct turn *t = ctx;
	const char *name = t->job->iosched.name;
	struct scheduler s;
	struct disk disk;
	int err;

	(void)file;
	if (disk_find_path(path, &disk) || scheduler_look("", disk.device, &s) ||
	    !strcmp(s.now, name))
		return 0;
	err = scheduler_set("", disk.device, name);
	if (!err)
		stats_note(t->block, "ioscheduler: disk %s had %s, and has %s now", disk.name,
			   s.now, name);
	else
		snprintf(t->why, t->why_bytes, "ioscheduler=%s: the scheduler of disk %s cannot be "
			 "set: %s", name, disk.name, strerror(-err));
	return err;
}

static bool concerns(const struct job *job)
{
	return job->iosched.name && !(job->engine->ops.caps & (FL_CAP_NO_FILES | FL_CAP_NAMES));
}

static int begin(void *self, const struct observed *run, struct diag *diag)
{
	int err = 0;

	(void)self;
	for (size_t i = 0; i < run->plan->count && !err; i++) {
		const struct plan_job *pj = &run->plan->jobs[i];
		struct turn turn = { .job = pj->job, .diag = diag };

		if (concerns(pj->job))
			err = places_each(&pj->files, try_one, &turn);
		else if (pj->job->iosched.name)
			diag_note(diag, &pj->job->at, "job %s: ioscheduler=%s has no effect: "
				  "engine %s has no files", pj->job->name, pj->job->iosched.name,
				  pj->job->engine->ops.name);
	}
	return err;
}

static int may_go(void *self, const struct observed *run, size_t job, char *why, size_t why_bytes)
{
	const struct plan_job *pj = &run->plan->jobs[job];
	struct turn turn = { .job = pj->job, .block = run->crew->jobs[job].block, .why = why,
			     .why_bytes = why_bytes };

	(void)self;
	return concerns(pj->job) ? places_each(&pj->files, switch_one, &turn) : 0;
}

const struct observer iosched_observer = {
	.name = "ioscheduler", .begin = begin, .may_go = may_go,
};
