/* SPDX-License-Identifier: MIT */
/* Logs that are read, and files that are about to be written. */
#include "core/replay_watch.h"
#include "core/log_iolog.h"
#include "core/replay_merge.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define WHY_BYTES	8192

int replay_merge_all(const struct jobs *jobs, struct diag *diag)
{
	char why[WHY_BYTES];
	int err = 0;

	for (size_t i = 0; !err && i < jobs->count; i++) {
		const struct job *job = &jobs->list[i];

		err = job->logs ? replay_merge(job->logs, why, sizeof(why)) : 0;
		if (err)
			diag_error(diag, &job->at, "job %s: %s", job->name, why);
	}
	return err;
}

/* Is this file one of the logs of a job? */
static bool is_read(const struct jobs *jobs, const struct stat *file)
{
	struct stat st;

	for (size_t i = 0; i < jobs->count; i++) {
		const struct replay_logs *logs = jobs->list[i].logs;

		for (uint32_t k = 0; logs && k < logs->nr; k++)
			if (!fstat(logs->list[k].fd, &st) && st.st_dev == file->st_dev &&
			    st.st_ino == file->st_ino)
				return true;
	}
	return false;
}

/* A name with the end of a line in it would be two lines, and no log. */
static int check_names(const struct plan_job *pj, struct diag *diag)
{
	char name[FILES_NAME_BYTES];

	for (uint32_t i = 0; i < pj->files.nr; i++) {
		if (!strchr(files_name(&pj->files, i, name), '\n'))
			continue;
		diag_error(diag, &pj->job->at, "job %s: write_iolog: file %u has a line break in "
			   "its name, which no log can hold; rename it", pj->job->name, i);
		return -EINVAL;
	}
	return 0;
}

static int check_written(const struct observed *run, struct diag *diag)
{
	char path[LOG_PATH_BYTES];
	struct stat st;
	int err = 0;

	for (size_t i = 0; !err && i < run->plan->count; i++) {
		const struct plan_job *pj = &run->plan->jobs[i];

		if (!pj->job->log.iolog)
			continue;
		err = check_names(pj, diag);
		log_iolog_path(run->plan->jobs, pj, path);
		if (stat(path, &st) || !S_ISREG(st.st_mode) || !is_read(run->jobs, &st))
			continue;
		diag_error(diag, &pj->job->at, "job %s: write_iolog=%s would overwrite a log that "
			   "is replayed; name another", pj->job->name, path);
		return -EINVAL;
	}
	return err;
}

static int begin(void *self, const struct observed *run, struct diag *diag)
{
	int err = replay_merge_all(run->jobs, diag);

	(void)self;
	return err ? err : check_written(run, diag);
}

const struct observer replay_observer = { .name = "replay", .begin = begin };
