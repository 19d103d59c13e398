/* SPDX-License-Identifier: MIT */
/*
 * What a command takes: time, and memory of it and all its descendants.
 *
 *	watch SECONDS COMMAND [ARGUMENT...]
 *
 * After SECONDS (0: never) the memory of the command and its descendants is summed up once, each
 * page shared by the count of those who share it (Pss of /proc/PID/smaps_rollup). It is done at the
 * highest priority to be had, since the command may use every CPU there is.
 *
 * Prints seconds until its end, MiB in that moment (0 if it had ended or was not looked at), the
 * processes counted, and the largest resident size that any of them ever had, in MiB. Standard
 * output of the command goes to standard error. Its exit status is the program's.
 */
#define _GNU_SOURCE 1
#include "os/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct sum {
	unsigned long kib, processes;
};

static unsigned long pss_kib(int pid)
{
	unsigned long kib = 0;
	char line[256];
	FILE *f;

	snprintf(line, sizeof(line), "/proc/%d/smaps_rollup", pid);
	f = fopen(line, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Pss: %lu", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib;
}

/* Adds pid and what it started. Children of its main thread alone: workers are forked there. */
static void add(struct sum *s, int pid)
{
	unsigned long kib = pss_kib(pid);
	char name[64];
	int child;
	FILE *f;

	s->kib += kib;
	s->processes += kib > 0;
	snprintf(name, sizeof(name), "/proc/%d/task/%d/children", pid, pid);
	f = fopen(name, "re");
	while (f && fscanf(f, "%d", &child) == 1)
		add(s, child);
	if (f)
		fclose(f);
}

static void run(char **argv)
{
	dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : -1;
	struct sum s = { 0, 0 };
	struct rusage ru;
	uint64_t began;
	pid_t pid;
	int status;

	if (argc < 3 || !(seconds >= 0)) {
		fprintf(stderr, "usage: watch SECONDS COMMAND [ARGUMENT...]\n");
		return 2;
	}
	clock_init(CLOCK_USE_AUTO);
	began = clock_ticks();
	pid = fork();
	if (pid < 0) {
		perror("fork");
		return 1;
	}
	if (!pid)
		run(argv + 2);
	if (seconds > 0) {
		/* without the right to it, it takes longer */
		setpriority(PRIO_PROCESS, 0, -20);
		clock_sleep_ns((uint64_t)(seconds * 1e9));
		add(&s, pid);
	}
	if (waitpid(pid, &status, 0) != pid)
		return 1;
	getrusage(RUSAGE_CHILDREN, &ru);
	printf("%.3f %.1f %lu %.1f\n", (double)clock_ns(clock_ticks() - began) / 1e9,
	       (double)s.kib / 1024, s.processes, (double)ru.ru_maxrss / 1024);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
