/* SPDX-License-Identifier: MIT */
/* The options of commands around a job, and running them. */
#include "core/exec.h"
#include "os/command.h"
#include "os/output.h"
#include "os/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FILE_BYTES	512

#define AT(member)	.offset = offsetof(struct exec_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "exec_prerun", .type = FL_OPT_STR, AT(prerun), .unit = "command",
	  .help = "run this by the shell before the job begins",
	  .more = "Once for each clone, before its files are opened; jobs that start together "
		  "begin when the commands of all of them have ended. What it prints is in "
		  "JOB.prerun.txt. A status other than 0 ends the job with an error. It is killed, "
		  "with what it has started, when the run is stopped. --no-exec forbids it." },
	{ .name = "exec_postrun", .type = FL_OPT_STR, AT(postrun), .unit = "command",
	  .help = "run this by the shell when the job has ended",
	  .more = "Once for each clone that began, also when the run was stopped; its files are "
		  "closed, and not yet removed (unlink). What it prints is in JOB.postrun.txt; a "
		  "status other than 0 is noted in the result. --no-exec forbids it." },
};

const struct opt_table exec_options = OPT_TABLE("Commands", rows, 0);

static const char *const names[] = { [EXEC_PRERUN] = "prerun", [EXEC_POSTRUN] = "postrun" };

const char *exec_command(const struct exec_conf *c, enum exec_when when)
{
	const char *command = when == EXEC_PRERUN ? c->prerun : c->postrun;

	return command && *command ? command : NULL;
}

const char *exec_file(const char *job, enum exec_when when, char *buf, size_t n)
{
	snprintf(buf, n, "%s.%s.txt", job, names[when]);
	return buf;
}

struct patience {
	const _Atomic uint32_t *stop;
	uint32_t before;
};

static bool is_over(void *ctx)
{
	const struct patience *p = ctx;

	return atomic_load(p->stop) > p->before;
}

int exec_run(const struct exec_conf *c, enum exec_when when, const char *job,
	     const _Atomic uint32_t *stop, char *why, size_t why_bytes)
{
	struct patience patience = { stop, when == EXEC_PRERUN ? 0 : atomic_load(stop) };
	const char *command = exec_command(c, when);
	char file[FILE_BYTES], text[96];
	int fd, status = 0, err;

	if (!command)
		return 0;
	exec_file(job, when, file, sizeof(file));
	fd = output_open(file, O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0) {
		err = fd;
		snprintf(why, why_bytes, "exec_%s: what it prints cannot be written to %s: %s",
			 names[when], file, output_error(err));
		return err;
	}
	err = command_run(command, fd, is_over, &patience, &status);
	close(fd);
	if (err && err != -ECANCELED)
		snprintf(why, why_bytes, "exec_%s=%.80s: it cannot be run: %s", names[when],
			 command, strerror(-err));
	if (err || !status)
		return err;
	snprintf(why, why_bytes, "exec_%s=%.80s: %s; what it printed is in %s", names[when],
		 command, status_text(status, text, sizeof(text)), file);
	return -ECHILD;
}
