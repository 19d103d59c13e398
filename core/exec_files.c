/* SPDX-License-Identifier: MIT */
/* Emptying them, and giving them to the user that the job runs as. */
#define _GNU_SOURCE
#include "core/exec_files.h"
#include "os/output.h"

#include <fcntl.h>
#include <unistd.h>

/*
 * A new file, never one that somebody has laid there under a name that is easy to foresee: it is
 * given away. What cannot be done here the worker finds out, and says.
 */
static void begin_file(const struct job *job, enum exec_when when)
{
	const struct proc_conf *p = &job->proc;
	char name[512];
	int fd;

	if (!exec_command(&job->exec, when))
		return;
	unlink(exec_file(job->name, when, name, sizeof(name)));
	fd = output_open(name, O_CREAT | O_EXCL | O_NOFOLLOW);
	if (fd < 0)
		return;
	if ((p->uid.set || p->gid.set) &&
	    fchown(fd, p->uid.set ? p->uid.id : (uid_t)-1, p->gid.set ? p->gid.id : (gid_t)-1))
		unlink(name);
	close(fd);
}

static void job_begins(void *self, const struct observed *run, size_t job)
{
	const struct plan_job *pj = &run->plan->jobs[job];

	(void)self;
	if (pj->clone)
		return;
	begin_file(pj->job, EXEC_PRERUN);
	begin_file(pj->job, EXEC_POSTRUN);
}

const struct observer exec_files = { .name = "exec", .job_begins = job_begins };
