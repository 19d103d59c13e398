/* SPDX-License-Identifier: MIT */
/*
 * What a command takes: time, and memory of it and all its descendants.
 *
 *	watch SECONDS COMMAND [ARGUMENT...]
 *	watch peak COMMAND [ARGUMENT...]
 *
 * After SECONDS (0: never) the memory of the command and its descendants is summed up once, each
 * page shared by the count of those who share it (Pss of /proc/PID/smaps_rollup). It is done at the
 * highest priority to be had, since the command may use every CPU there is. With peak it is summed
 * up again and again, as often as costs a tenth of the time, and the most is taken: no less than the
 * largest process had.
 *
 * Prints seconds until its end, MiB in that moment (0 if it had ended or was not looked at), the
 * processes counted, and the largest resident size that any of them ever had, in MiB. With peak
 * also that of the command itself, that of the largest of its descendants, and how many of these
 * were there three seconds after its end. The last but the first three are the kernel's own marks;
 * which of the two the largest belongs to is known from the last look before the end.
 *
 * Standard output of the command goes to standard error. Its exit status is the program's; SIGINT
 * and SIGTERM are passed on to it.
 */
#define _GNU_SOURCE 1
#include "os/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_NS		10000000ull	/* with peak, at the command alone */
#define LEFT_NS		3000000000ull

struct sum {
	unsigned long kib, processes;
	unsigned long largest_kib;	/* of the descendants */
};

static pid_t pid;

/* A number of a file in /proc/PID; 0: it is not there. */
static unsigned long number_of(int process, const char *file, const char *format)
{
	unsigned long n = 0;
	char line[256];
	FILE *f;

	snprintf(line, sizeof(line), "/proc/%d/%s", process, file);
	f = fopen(line, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, format, &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

/* Adds it and what it started. Children of its main thread alone: workers are forked there. */
static void add(struct sum *s, int process, bool peaks)
{
	unsigned long kib = number_of(process, "smaps_rollup", "Pss: %lu");
	char name[64];
	int child;
	FILE *f;

	s->kib += kib;
	s->processes += kib > 0;
	if (peaks && process != pid)
		s->largest_kib = fl_max(s->largest_kib, number_of(process, "status",
								   "VmHWM: %lu"));
	snprintf(name, sizeof(name), "/proc/%d/task/%d/children", process, process);
	f = fopen(name, "re");
	while (f && fscanf(f, "%d", &child) == 1)
		add(s, child, peaks);
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

static void pass_on(int sig)
{
	kill(pid, sig);
}

/* Until the command ends, which is left to wait for. *own_kib: its largest resident size. */
static void look_on(struct sum *most, unsigned long *own_kib)
{
	uint64_t next = 0, began, now;
	siginfo_t ended;
	struct sum s;

	for (;;) {
		ended.si_pid = 0;
		if (!waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) && ended.si_pid)
			return;
		*own_kib = fl_max(*own_kib, number_of(pid, "status", "VmHWM: %lu"));
		began = clock_now_ns();
		if (began >= next) {
			s = (struct sum){ 0 };
			add(&s, pid, true);
			most->kib = fl_max(most->kib, s.kib);
			most->processes = fl_max(most->processes, s.processes);
			most->largest_kib = fl_max(most->largest_kib, s.largest_kib);
			now = clock_now_ns();
			next = now + 9 * (now - began);
		}
		clock_sleep_ns(LOOK_NS);
	}
}

/* How many descendants there are after the end; they are ours by then. */
static unsigned left_over(void)
{
	uint64_t until = clock_now_ns() + LEFT_NS;
	unsigned left = 0;
	siginfo_t info;
	char name[64];
	int child;
	FILE *f;

	while (clock_now_ns() < until) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		info.si_pid = 0;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) && errno == ECHILD)
			return 0;
		clock_sleep_ns(LOOK_NS);
	}
	snprintf(name, sizeof(name), "/proc/self/task/%d/children", getpid());
	f = fopen(name, "re");
	while (f && fscanf(f, "%d", &child) == 1)
		left++;
	if (f)
		fclose(f);
	return left;
}

static int print(uint64_t took, const struct sum *s, bool peaks, unsigned long own_kib)
{
	unsigned long sum_kib = s->kib;
	struct rusage ru;
	int status;

	if (wait4(pid, &status, 0, &ru) != pid)
		return 1;
	if (peaks)	/* the moment may have been missed */
		sum_kib = fl_max(sum_kib, (unsigned long)ru.ru_maxrss);
	printf("%.3f %.1f %lu %.1f", (double)clock_ns(took) / 1e9, (double)sum_kib / 1024,
	       s->processes, (double)ru.ru_maxrss / 1024);
	if (peaks) {
		unsigned long all_kib = (unsigned long)ru.ru_maxrss, most_kib = s->largest_kib;

		if (most_kib > own_kib)
			most_kib = fl_max(most_kib, all_kib);
		else
			own_kib = fl_max(own_kib, all_kib);
		printf(" %.1f %.1f %u", (double)own_kib / 1024, (double)most_kib / 1024,
		       left_over());
	}
	putchar('\n');
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	bool peaks = argc > 1 && !strcmp(argv[1], "peak");
	double seconds = argc > 1 && !peaks ? atof(argv[1]) : 0;
	unsigned long own_kib = 0;
	struct sum s = { 0 };
	siginfo_t ended;
	uint64_t began;

	if (argc < 3 || !(seconds >= 0)) {
		fprintf(stderr, "usage: watch SECONDS|peak COMMAND [ARGUMENT...]\n");
		return 2;
	}
	clock_init(CLOCK_USE_AUTO);
	if (peaks)
		prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	began = clock_ticks();
	pid = fork();
	if (pid < 0) {
		perror("fork");
		return 1;
	}
	if (!pid)
		run(argv + 2);
	signal(SIGINT, pass_on);
	signal(SIGTERM, pass_on);
	if (seconds > 0) {
		/* without the right to it, it takes longer */
		setpriority(PRIO_PROCESS, 0, -20);
		clock_sleep_ns((uint64_t)(seconds * 1e9));
		add(&s, pid, false);
	}
	if (peaks)
		look_on(&s, &own_kib);
	else
		while (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT) && errno == EINTR)
			;
	return print(clock_ticks() - began, &s, peaks, own_kib);
}
