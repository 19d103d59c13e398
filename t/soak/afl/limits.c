/* SPDX-License-Identifier: MIT */
/*
 * Linked to the program that AFL runs: what keeps each case small, and makes its end visible.
 *
 * AFL's fork server starts before this constructor, so it runs in every case anew. In a directory
 * made empty it asks the program to end, by SIGINT, as a user would who has seen enough: one that
 * does not is a hang. A worker that dies of a sanitizer's report is no more than a failed job to the
 * program, so it takes the program along.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <sanitizer/common_interface_defs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
	PATIENCE_MS = 600,		/* then comes the first SIGINT, and more after as long */
	FILE_BYTES_MAX = 8 << 20,
	PROCESSES_MAX = 200,
	READY_BYTES = 64 << 10,		/* of the file a, which is there */
};

static pid_t program;

static const char iolog[] = "fio version 2 iolog\na add\na open\na read 0 4096\n"
			    "a wait 100 0\na write 8192 4096\na close\n";

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	return at->level ? remove(path) : 0;
}

static void limit(int what, rlim_t most)
{
	const struct rlimit l = { most, most };

	setrlimit(what, &l);
}

/* Until the program has a handler of its own. */
static void too_early(int sig)
{
	(void)sig;
}

static void take_program_along(void)
{
	if (getpid() != program)
		kill(program, SIGABRT);
}

static void ask_to_end(void)
{
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGINT };
	const struct itimerspec every = {
		{ 0, PATIENCE_MS * 1000000L }, { 0, PATIENCE_MS * 1000000L },
	};
	timer_t timer;

	signal(SIGINT, too_early);
	if (timer_create(CLOCK_MONOTONIC, &ev, &timer) || timer_settime(timer, 0, &every, NULL))
		_exit(97);
}

static void make_files(void)
{
	int a = open("a", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	int log = open("log", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (a < 0 || ftruncate(a, READY_BYTES) ||
	    write(log, iolog, strlen(iolog)) != (ssize_t)strlen(iolog))
		_exit(99);
	close(a);
	close(log);
}

__attribute__((constructor)) static void begin_case(void)
{
	const char *dir = getenv("FUZZ_CASE");

	if (!dir)
		return;		/* a program of configure's */
	if (!geteuid() || chdir(dir) || nftw(".", remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT))
		_exit(98);
	make_files();
	signal(SIGXFSZ, SIG_IGN);
	limit(RLIMIT_FSIZE, FILE_BYTES_MAX);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NPROC, PROCESSES_MAX);
	program = getpid();
	__sanitizer_set_death_callback(take_program_along);
	ask_to_end();
}
