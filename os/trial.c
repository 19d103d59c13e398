/* SPDX-License-Identifier: MIT */
/* A child process for one call, and the wait for its end. */
#define _GNU_SOURCE
#include "os/trial.h"

#include "lib/base.h"
#include "os/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRIAL_ANSWER_MAX	65536
#define TRIAL_LOOK_MS		50	/* how often we look, if the pipe does not tell */
#define TRIAL_KILL_MS		1000	/* a killed child is gone after that, or never */

/* What both sides see: the answer follows. */
struct trial_page {
	int value;
	bool returned;
	_Alignas(16) unsigned char answer[];
};

static void silence(int fd, int flags)
{
	int null = open("/dev/null", flags | O_CLOEXEC);

	if (null >= 0) {
		dup2(null, fd);
		close(null);
	}
}

__attribute__((noreturn)) static void child_run(int (*fn)(void *ctx, void *answer), void *ctx,
						 struct trial_page *page)
{
	const struct rlimit none = { 0, 0 };
	sigset_t all;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CORE, &none);
	/* SIGBUS may be guarded, and its handler lets what is no I/O error end the process. */
	for (int sig = 1; sig < NSIG; sig++)
		if (sig != SIGBUS)
			signal(sig, SIG_DFL);
	sigfillset(&all);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	silence(STDIN_FILENO, O_RDONLY);
	silence(STDOUT_FILENO, O_WRONLY);
	page->value = fn(ctx, page->answer);
	page->returned = true;
	_exit(0);
}

/*
 * The child holds the write end of a pipe: its end wakes us. A grandchild may keep the pipe open,
 * so we also look now and then. Returns 0 with *wstatus, or -ETIMEDOUT.
 */
static int child_wait(pid_t pid, int pipe_fd, unsigned int timeout_ms, int *wstatus)
{
	uint64_t deadline_ns = clock_gettime_ns() + timeout_ms * 1000000ull;
	struct pollfd wake = { .fd = pipe_fd, .events = POLLIN };

	for (;;) {
		uint64_t now_ns = clock_gettime_ns();
		pid_t got = waitpid(pid, wstatus, WNOHANG);

		if (got == pid)
			return 0;
		if (got < 0 && errno != EINTR)
			return -errno;
		if (now_ns >= deadline_ns)
			return -ETIMEDOUT;
		if (poll(&wake, 1, TRIAL_LOOK_MS) > 0) {
			/* The pipe closes a moment before the child can be waited for. */
			wake.fd = -1;
			clock_sleep_ns(50000);
		}
	}
}

static int parent_run(pid_t pid, int pipe_fd, unsigned int timeout_ms, struct trial_end *end)
{
	int err;

	setpgid(pid, pid);	/* both sides call it: whoever comes first */
	err = child_wait(pid, pipe_fd, timeout_ms, &end->wstatus);
	kill(-pid, SIGKILL);
	/* One that sleeps in a dead device cannot be killed: it is left behind. */
	if (err == -ETIMEDOUT)
		child_wait(pid, -1, TRIAL_KILL_MS, &end->wstatus);
	return err;
}

int trial_run(int (*fn)(void *ctx, void *answer), void *ctx, void *answer, size_t answer_bytes,
	      unsigned int timeout_ms, struct trial_end *end)
{
	size_t bytes = sizeof(struct trial_page) + answer_bytes;
	struct trial_page *page;
	int fds[2], err;
	pid_t pid;

	fl_assert(answer_bytes <= TRIAL_ANSWER_MAX);
	page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return -errno;
	if (pipe2(fds, O_CLOEXEC) < 0) {
		err = -errno;
		goto unmap_page;
	}
	pid = fork();
	if (pid == 0)
		child_run(fn, ctx, page);
	err = pid < 0 ? -errno : 0;
	close(fds[1]);
	if (!err)
		err = parent_run(pid, fds[0], timeout_ms, end);
	close(fds[0]);
	if (!err && !page->returned)
		err = -ECHILD;
	end->value = page->value;
	if (answer_bytes)
		memcpy(answer, page->answer, answer_bytes);
unmap_page:
	munmap(page, bytes);
	return err;
}
