/* SPDX-License-Identifier: MIT */
/* Files by the device that they are, or that they lie on. */
#define _GNU_SOURCE
#include "core/environment_targets.h"
#include "os/blockdev.h"
#include "os/storage.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILES_LOOKED_AT	16u	/* per job: more of them lie in the same places */

/* A file that is not there yet counts as its folder. */
static bool look(const char *path, struct env_target *t)
{
	char dir[PATH_MAX];
	struct stat st;
	char *slash;

	if (stat(path, &st)) {
		snprintf(dir, sizeof(dir), "%s", path);
		slash = strrchr(dir, '/');
		if (slash)
			slash[1] = '\0';
		if (stat(slash ? dir : ".", &st))
			return false;
	}
	t->is_char = S_ISCHR(st.st_mode);
	t->is_device = S_ISBLK(st.st_mode) || t->is_char;
	t->device = t->is_device ? st.st_rdev : st.st_dev;
	return true;
}

static bool is_same(const struct env_target *a, const struct env_target *b)
{
	if (a->is_name || b->is_name)
		return a->is_name == b->is_name && !strcmp(a->path, b->path);
	return a->device == b->device && a->is_device == b->is_device && a->is_char == b->is_char;
}

/* Takes over new->path. */
static void add(struct env_targets *t, struct env_target *new, const struct job *job)
{
	struct env_target *at = NULL;

	for (size_t i = 0; i < t->count && !at; i++)
		if (is_same(&t->list[i], new))
			at = &t->list[i];
	if (!at && t->count < TARGETS_MAX) {
		at = &t->list[t->count++];
		*at = *new;
		new->path = NULL;
		at->files = at->nr_jobs = 0;
	}
	free(new->path);
	if (!at)
		return;
	at->files += new->files;
	for (size_t i = 0; i < at->nr_jobs; i++)
		if (at->jobs[i] == job)
			return;
	if (at->nr_jobs < ARRAY_SIZE(at->jobs))
		at->jobs[at->nr_jobs++] = job;
}

static void add_job(struct env_targets *t, const struct plan_job *pj)
{
	uint32_t caps = pj->job->engine->ops.caps, n = fl_min(pj->files.nr, FILES_LOOKED_AT);
	char name[FILES_NAME_BYTES];

	for (uint32_t i = 0; i < n; i++) {
		struct env_target one = {
			.is_name = caps & FL_CAP_NAMES, .path = strdup(files_name(&pj->files, i,
										  name)),
			/* those behind the last that is looked at lie where it does */
			.files = i + 1 == n ? pj->files.nr - i : 1,
		};

		if (one.path && (one.is_name || look(one.path, &one)))
			add(t, &one, pj->job);
		else
			free(one.path);	/* else it is in the list: NOLINT(clang-analyzer-*) */
	}
}

void env_targets_find(struct env_targets *t, const struct plan *plan)
{
	memset(t, 0, sizeof(*t));
	for (size_t i = 0; i < plan->count; i++)
		if (!(plan->jobs[i].job->engine->ops.caps & FL_CAP_NO_FILES))
			add_job(t, &plan->jobs[i]);
}

void env_targets_free(struct env_targets *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->list[i].path);
	t->count = 0;
}

static void add_device(const struct env_target *t, struct facts *f)
{
	dev_t block;

	if (!t->is_char)
		storage_device("", t->device, f);
	else if (!blockdev_of_char("", t->device, &block))
		storage_device("", block, f);
	else
		storage_dax("", t->device, f);
}

static void add_one(const struct env_target *t, struct facts *f)
{
	dev_t device;
	char key[32];

	facts_text(f, "path", t->path, FACT_ID);
	facts_text(f, "type", t->is_name ? "name" : !t->is_device ? "file" :
		   t->is_char ? "character device" : "block device", 0);
	facts_u64(f, "files", t->files, 0);
	for (size_t i = 0; i < t->nr_jobs; i++) {
		snprintf(key, sizeof(key), "jobs.%zu", i);
		facts_text(f, key, t->jobs[i]->name, 0);
	}
	if (t->is_name)
		return;
	if (t->is_device)
		add_device(t, f);
	else if (!storage_filesystem("", t->path, f, &device))
		storage_device("", device, f);
}

void env_targets_add(const struct env_targets *t, struct facts *f)
{
	for (size_t i = 0; i < t->count; i++) {
		size_t mark = facts_enter(f, "targets.%zu", i);

		add_one(&t->list[i], f);
		facts_leave(f, mark);
	}
}
