/* SPDX-License-Identifier: MIT */
/*
 * From start to finish: how long a command takes as a process of its own.
 *
 *	spawn COUNT COMMAND [ARGUMENT...]
 *
 * Runs it COUNT times, one after the other, with nothing on standard input and output, and prints
 * median, shortest and longest time in milliseconds. The time includes fork, exec and wait: it is
 * what a script sees that runs a job. A command that fails ends everything.
 */
#define _GNU_SOURCE 1
#include "os/clock.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <fcntl.h>

extern char **environ;

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Nanoseconds of one run, or 0 when it failed (a sentence is on standard error). */
static uint64_t run_once(char **argv, const posix_spawn_file_actions_t *quiet)
{
	uint64_t start = clock_gettime_ns();
	int status;
	pid_t pid;
	int err = posix_spawnp(&pid, argv[0], quiet, NULL, argv, environ);

	if (err) {
		fprintf(stderr, "spawn: %s: %s\n", argv[0], strerror(err));
		return 0;
	}
	while (waitpid(pid, &status, 0) < 0)
		fl_assert(errno == EINTR);
	if (status) {
		fprintf(stderr, "spawn: %s failed (status %#x)\n", argv[0], (unsigned)status);
		return 0;
	}
	return clock_gettime_ns() - start;
}

int main(int argc, char **argv)
{
	unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
	posix_spawn_file_actions_t quiet;
	uint64_t *ns;

	if (!count || argc < 3) {
		fprintf(stderr, "usage: spawn COUNT COMMAND [ARGUMENT...]\n");
		return 2;
	}
	ns = calloc(count, sizeof(*ns));
	if (!ns)
		return 1;
	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
	for (unsigned i = 0; i < count; i++) {
		ns[i] = run_once(argv + 2, &quiet);
		if (!ns[i])
			return 1;
	}
	qsort(ns, count, sizeof(*ns), by_size);
	printf("%.3f %.3f %.3f\n", (double)ns[count / 2] / 1e6, (double)ns[0] / 1e6,
	       (double)ns[count - 1] / 1e6);
	posix_spawn_file_actions_destroy(&quiet);
	free(ns);
	return 0;
}
