/* SPDX-License-Identifier: MIT */
/*
 * The guard of block devices, as an observer: it looks before anything of the run is made, and once
 * more when the workers of a wave stand ready, before their first I/O. In between, and until its
 * end, the first worker of a device holds it open exclusively (core/claim.h).
 */
#include "core/safety_watch.h"
#include "core/backing.h"
#include "core/debug.h"
#include "core/targets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHY_BYTES	1536

/* A device and the permissions it was looked at with. */
struct guarded {
	dev_t device;
	bool mounted_ok;
	bool touched;			/* a job may have written: what is on it now is ours */
	uint32_t wave;			/* of the last look */
	int err;			/* what it gave */
	char *why;
};

struct safety_watch {
	struct guarded *list;
	size_t count;
};

/* One walk over the targets of a job. */
struct look {
	struct safety_watch *w;
	const struct plan_job *pj;
	uint32_t wave;			/* 0: before the run */
	char *why;
	size_t why_bytes;
};

static struct guarded *find(const struct safety_watch *w, dev_t device, bool mounted_ok)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->list[i].device == device && w->list[i].mounted_ok == mounted_ok)
			return &w->list[i];
	return NULL;
}

static struct guarded *add(struct safety_watch *w, dev_t device, bool mounted_ok)
{
	struct guarded *g = find(w, device, mounted_ok), *more;

	if (g)
		return g;
	more = realloc(w->list, (w->count + 1) * sizeof(*more));
	if (!more)
		return NULL;
	w->list = more;
	g = &w->list[w->count++];
	*g = (struct guarded){ .device = device, .mounted_ok = mounted_ok, .wave = UINT32_MAX };
	return g;
}

/* The same device by many jobs is looked at once per wave. */
static int look_at(struct look *l, struct guarded *g, const char *path, unsigned int what)
{
	char why[WHY_BYTES] = "";

	if (g->wave != l->wave) {
		g->wave = l->wave;
		free(g->why);
		g->err = safety_check(&l->pj->job->safety, path, g->device, what, why, sizeof(why));
		g->why = g->err ? strdup(why) : NULL;
		debug_say(DEBUG_FILE, "job %s: may %s be written to? %s", l->pj->job->name, path,
			  g->err ? why : "yes");
	}
	if (g->err)
		snprintf(l->why, l->why_bytes, "%s", g->why ? g->why : strerror(ENOMEM));
	return g->err;
}

static int first_look(void *ctx, const char *path, dev_t device)
{
	const struct safety_conf *conf = NULL;
	struct look *l = ctx;
	struct guarded *g;

	conf = &l->pj->job->safety;
	if (safety_allows(conf, device))
		return 0;
	g = add(l->w, device, conf->allow_mounted);
	return g ? look_at(l, g, path, SAFETY_CLAIM | SAFETY_CONTENT) : -ENOMEM;
}

/* A file that a mounted loop device stands on is as good as that device. */
static int look_behind(void *ctx, const char *path, const char *loop, dev_t device)
{
	const struct look *l = ctx;
	char why[WHY_BYTES] = "";
	int err = safety_check(&l->pj->job->safety, loop, device, SAFETY_CLAIM, why, sizeof(why));

	if (err)
		snprintf(l->why, l->why_bytes, "file %.300s is what %s stands on, and %s", path,
			 loop, why);
	return err;
}

static int last_look(void *ctx, const char *path, dev_t device)
{
	struct look *l = ctx;
	const struct safety_conf *conf = &l->pj->job->safety;
	struct guarded *g;

	if (safety_allows(conf, device))
		return 0;
	g = find(l->w, device, conf->allow_mounted);
	if (g)
		return look_at(l, g, path, g->touched ? 0 : SAFETY_CONTENT);
	snprintf(l->why, l->why_bytes, "%s is another device than when the run began", path);
	return -EBUSY;
}

static int touch(void *ctx, const char *path, dev_t device)
{
	struct look *l = ctx;

	(void)path;
	for (size_t i = 0; i < l->w->count; i++)
		if (l->w->list[i].device == device)
			l->w->list[i].touched = true;
	return 0;
}

static int begin(void *self, const struct observed *run, struct diag *diag)
{
	const struct job *refused = NULL;
	char why[WHY_BYTES], name[FILES_NAME_BYTES];
	struct backing files = { 0 };
	int err = backing_find(&files);

	for (size_t i = 0; i < run->plan->count; i++) {
		const struct plan_job *pj = &run->plan->jobs[i];
		struct look l = { self, pj, 0, why, sizeof(why) };
		int ret = 0;

		if (pj->job == refused)
			continue;	/* a clone would say the same */
		why[0] = '\0';
		if (!(pj->job->engine->ops.caps & (FL_CAP_NO_FILES | FL_CAP_NAMES)))
			ret = safety_mount(&pj->job->safety, &pj->job->files.names,
					   files_name(&pj->files, 0, name), why, sizeof(why));
		if (!ret)
			ret = targets_each(pj, first_look, &l);
		if (!ret)
			ret = backing_each(&files, pj, look_behind, &l);
		if (!ret)
			continue;
		refused = pj->job;
		err = err ? err : ret;
		diag_error(diag, &pj->job->at, "job %s: %s", pj->job->name,
			   why[0] ? why : strerror(-ret));
	}
	backing_free(&files);
	return err;
}

static int may_go(void *self, const struct observed *run, size_t job, char *why, size_t why_bytes)
{
	const struct plan_job *pj = &run->plan->jobs[job];
	struct look l = { self, pj, run->crew->waves, why, why_bytes };
	int err = targets_each(pj, last_look, &l);

	if (!err)
		targets_each(pj, touch, &l);
	return err;
}

static void done(void *self)
{
	struct safety_watch *w = self;

	for (size_t i = 0; i < w->count; i++)
		free(w->list[i].why);
	free(w->list);
}

const struct observer safety_observer = {
	.name = "safety",
	.state_bytes = sizeof(struct safety_watch),
	.begin = begin,
	.may_go = may_go,
	.done = done,
};
