/* SPDX-License-Identifier: MIT */
/* Commands of the user's: what they get, what becomes of them. */
#define _GNU_SOURCE 1
#include "t/test.h"

#include "os/command.h"
#include "os/sig.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char text[4096];

/* Runs it; what it printed is in text. Returns what command_run() returns. */
static int go(const char *command, bool (*stop)(void *ctx), void *ctx, int *status)
{
	char name[] = "command-XXXXXX";
	int fd = mkstemp(name), ret;
	ssize_t n;

	T_TRUE(fd >= 0);
	unlink(name);
	ret = command_run(command, fd, stop, ctx, status);
	n = pread(fd, text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	close(fd);
	return ret;
}

TEST(what_it_prints_and_its_status)
{
	int status = -1;

	T_EQ(go("echo out; echo err >&2; exit 3", NULL, NULL, &status), 0);
	T_STR(text, "out\nerr\n");
	T_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	T_EQ(go("kill -9 $$", NULL, NULL, &status), 0);
	T_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	T_EQ(go("no-such-command-anywhere", NULL, NULL, &status), 0);
	T_EQ(WEXITSTATUS(status), 127);
}

TEST(it_has_no_input_and_fresh_signals)
{
	int status;

	sig_worker();
	T_EQ(go("cat; ps -o pgid= -p $$ | tr -d ' '; echo $$; kill -TERM $$; echo alive", NULL, NULL,
		&status), 0);
	T_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	T_TRUE(!strstr(text, "alive"));
	/* where there is a ps: the leader of its group */
	if (strchr(text, '\n') != strrchr(text, '\n'))
		T_EQ(strtol(text, NULL, 10), strtol(strchr(text, '\n'), NULL, 10));
}

static bool at_once(void *ctx)
{
	(void)ctx;
	return true;
}

static void *wake_up(void *arg)
{
	const pid_t *tid = arg;

	for (int i = 0; i < 5; i++) {
		usleep(50000);
		sig_wake(getpid(), *tid);
	}
	return NULL;
}

TEST(stopped_with_all_that_it_started)
{
	pid_t tid = gettid(), child = 0;
	pthread_t thread;
	int status;

	sig_worker();
	T_EQ(pthread_create(&thread, NULL, wake_up, &tid), 0);
	T_EQ(go("trap '' TERM; sleep 100 & echo $!; wait; sleep 100", at_once, NULL, &status),
	     -ECANCELED);
	pthread_join(thread, NULL);
	child = (pid_t)strtol(text, NULL, 10);
	T_TRUE(child > 1);
	for (int i = 0; i < 100 && !kill(child, 0); i++) {
		char path[64], line[256] = "";
		int fd;

		snprintf(path, sizeof(path), "/proc/%d/stat", child);
		fd = open(path, O_RDONLY);
		if (fd < 0 || read(fd, line, sizeof(line) - 1) <= 0 || strstr(line, ") Z"))
			break;
		close(fd);
		usleep(10000);
		T_TRUE(i < 99);
	}
}

TEST(an_interruption_alone_is_no_end)
{
	pid_t tid = gettid();
	pthread_t thread;
	int status = -1;

	sig_worker();
	T_EQ(pthread_create(&thread, NULL, wake_up, &tid), 0);
	T_EQ(go("sleep 0.15; echo done", NULL, NULL, &status), 0);
	pthread_join(thread, NULL);
	T_STR(text, "done\n");
	T_EQ(status, 0);
}
