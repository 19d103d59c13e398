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

#include "os/cpu.h"
#include "os/mem.h"
#include "os/sig.h"
#include "os/sys.h"

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
	if (!gone)
		sys_reap(pid);
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

/* ---- Meanwhile ------------------------------------------------------------------------------- */

struct command_told {
	bool over;
	int err, status;
};

/* Of the child: signals of ours are counted in it, too. */
static bool was_told_to_stop(void *ctx)
{
	(void)ctx;
	return sig_stops() > 0;
}

int command_apart(struct command_apart *c, const char *command, int out)
{
	pid_t parent = getpid();
	int err = 0;

	c->told = mem_shared(sizeof(*c->told), &err);
	if (!c->told)
		return err;
	c->pid = fork();
	if (c->pid > 0)
		return 0;
	if (c->pid < 0) {
		err = -errno;
		mem_shared_free(c->told, sizeof(*c->told));
		return err;
	}
	if (sig_die_with_parent(parent))
		_exit(1);
	cpu_name("fio-like-run");
	c->told->err = command_run(command, out, was_told_to_stop, NULL, &c->told->status);
	__atomic_store_n(&c->told->over, true, __ATOMIC_RELEASE);
	_exit(0);
}

/*
 * Somebody may have reaped the child already (-ECHILD). While nobody has, its number is nobody
 * else's, and it may be sent a signal.
 */
int command_apart_end(struct command_apart *c, bool (*stop)(void *ctx), void *ctx, int *status)
{
	int err = -ESRCH;

	while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
		if (stop && stop(ctx))
			kill(c->pid, SIGTERM);
	if (__atomic_load_n(&c->told->over, __ATOMIC_ACQUIRE)) {
		err = c->told->err;
		*status = c->told->status;
	}
	mem_shared_free(c->told, sizeof(*c->told));
	return err;
}
