/* SPDX-License-Identifier: MIT */
/* fork, exec, wait. */
#define _GNU_SOURCE 1
#include "os/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "os/sig.h"

#define SHELL		"/bin/sh"
#define LEAVE_MS	1000u	/* after SIGTERM */
#define LOOK_MS		10u

/* Between fork and exec, maybe of a process with threads: nothing but system calls. */
static void become(const char *command, int out, pid_t parent)
{
	int null;

	setpgid(0, 0);
	sig_defaults();
	if (sig_die_with_parent(parent))
		_exit(127);
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(out, STDERR_FILENO) < 0)
		_exit(127);
	execl(SHELL, "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static void end_group(pid_t pid)
{
	static const struct timespec look = { .tv_nsec = LOOK_MS * 1000000 };
	bool gone = false;

	kill(-pid, SIGTERM);
	for (unsigned ms = 0; !gone && ms < LEAVE_MS; ms += LOOK_MS) {
		nanosleep(&look, NULL);
		gone = waitpid(pid, NULL, WNOHANG) == pid;
	}
	kill(-pid, SIGKILL);	/* also what it has left behind */
	while (!gone && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

int command_run(const char *command, int out, bool (*stop)(void *ctx), void *ctx, int *status)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid)
		become(command, out, parent);
	setpgid(pid, pid);	/* whoever comes first: from here on the group is there */
	for (;;) {
		if (waitpid(pid, status, 0) == pid)
			return 0;
		if (errno != EINTR)
			return -errno;
		if (stop && stop(ctx)) {
			end_group(pid);
			return -ECANCELED;
		}
	}
}
