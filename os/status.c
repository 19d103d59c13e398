/* SPDX-License-Identifier: MIT */
/* What became of a child, in words. */
#define _GNU_SOURCE 1
#include "os/status.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/base.h"

const char *status_text(int wstatus, char *text, size_t size)
{
	if (WIFEXITED(wstatus))
		snprintf(text, size, "exited with status %d", WEXITSTATUS(wstatus));
	else if (WIFSIGNALED(wstatus))
		snprintf(text, size, "killed by signal %d (%s)%s", WTERMSIG(wstatus),
			 strsignal(WTERMSIG(wstatus)),
			 WCOREDUMP(wstatus) ? ", core dumped" : "");
	else if (WIFSTOPPED(wstatus))
		snprintf(text, size, "stopped by signal %d", WSTOPSIG(wstatus));
	else
		snprintf(text, size, "wait status 0x%x", (unsigned int)wstatus);
	return text;
}

/* Written out because glibc's sigabbrev_np is younger than some systems this builds on. */
const char *status_signal_name(int sig, char *text, size_t size)
{
	static const struct {
		int sig;
		const char *name;
	} names[] = {
		{ SIGHUP, "SIGHUP" }, { SIGINT, "SIGINT" }, { SIGQUIT, "SIGQUIT" },
		{ SIGILL, "SIGILL" }, { SIGABRT, "SIGABRT" }, { SIGBUS, "SIGBUS" },
		{ SIGFPE, "SIGFPE" }, { SIGKILL, "SIGKILL" }, { SIGUSR1, "SIGUSR1" },
		{ SIGSEGV, "SIGSEGV" }, { SIGUSR2, "SIGUSR2" }, { SIGPIPE, "SIGPIPE" },
		{ SIGALRM, "SIGALRM" }, { SIGTERM, "SIGTERM" }, { SIGXCPU, "SIGXCPU" },
		{ SIGXFSZ, "SIGXFSZ" }, { SIGSYS, "SIGSYS" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (names[i].sig == sig) {
			snprintf(text, size, "%s", names[i].name);
			return text;
		}
	}
	snprintf(text, size, "signal %d", sig);
	return text;
}
