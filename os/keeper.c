/* SPDX-License-Identifier: MIT */
/* A child that cleans up behind its parent. */
#define _GNU_SOURCE 1
#include "os/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The kernel sends it when the parent dies, the parent when it is done. */
#define WAKE	SIGUSR1

/* What the parent has open must not stay open because of us: a pipe's reader waits for its end. */
static void let_go(void)
{
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; null >= 0 && fd <= 2; fd++)
		dup2(null, fd);
#ifdef SYS_close_range
	if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0)
		return;
#endif
	for (int fd = (int)sysconf(_SC_OPEN_MAX); fd > 2; fd--)
		close(fd);
}

static void keep(pid_t parent, int (*clean)(void *ctx), void *ctx)
{
	sigset_t wake;

	setsid();
	if (chdir("/"))
		_exit(EIO);
	let_go();
	prctl(PR_SET_NAME, "fio-like-keeper", 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, WAKE, 0, 0, 0);
	sigemptyset(&wake);
	sigaddset(&wake, WAKE);
	if (getppid() == parent)
		while (sigwaitinfo(&wake, NULL) < 0 && errno == EINTR)
			;
	_exit(-clean(ctx) & 0xff);
}

int keeper_start(struct keeper *k, int (*clean)(void *ctx), void *ctx)
{
	pid_t parent = getpid();
	sigset_t all, before;
	int err;

	/* The child has all signals blocked from its first moment on: none can be missed. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	k->pid = fork();
	if (!k->pid)
		keep(parent, clean, ctx);
	err = k->pid < 0 ? -errno : 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (err)
		k->pid = 0;
	return err;
}

int keeper_finish(struct keeper *k)
{
	pid_t pid = k->pid;
	int status;

	k->pid = 0;
	if (pid <= 0 || kill(pid, WAKE) < 0)
		return -ESRCH;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -ESRCH;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -ESRCH;
}
