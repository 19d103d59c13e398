/* SPDX-License-Identifier: MIT */
/*
 * What a log costs at least, and what a run with one takes.
 *
 *	log_floor write BYTES FILE...	write(2) so many bytes to each new file, nothing else
 *	log_floor run COMMAND...	run it with nothing on standard input and output
 *
 * Prints seconds, and seconds of CPU, of a command those of all its processes; and of that the KiB
 * they had resident at most, the sum of each one's peak. Memory they share counts for each.
 */
#define _GNU_SOURCE 1
#include "os/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PIECE = 256 << 10, FILES_MAX = 16, CHILDREN_MAX = 64, LOOK_NS = 10000000 };

static double cpu_seconds(int who)
{
	struct rusage ru;

	getrusage(who, &ru);
	return (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) +
	       (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6;
}

/* ---- The floor ------------------------------------------------------------------------------- */

static bool put(int fd, const char *piece, uint64_t bytes)
{
	while (bytes) {
		ssize_t n = write(fd, piece, fl_min(bytes, (uint64_t)PIECE));

		if (n <= 0)
			return false;
		bytes -= (uint64_t)n;
	}
	return true;
}

/* The files in turns, a piece each: that is how logs grow. */
static int write_files(uint64_t bytes, char **names, int count)
{
	char *piece = malloc(PIECE);
	int fds[FILES_MAX];
	uint64_t start;

	fl_assert(piece && count <= FILES_MAX);
	memset(piece, '7', PIECE);
	for (int i = 0; i < count; i++) {
		fds[i] = open(names[i], O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);
		if (fds[i] < 0) {
			fprintf(stderr, "log_floor: %s: %s\n", names[i], strerror(errno));
			return 1;
		}
	}
	start = clock_gettime_ns();
	for (uint64_t done = 0; done < bytes; done += PIECE)
		for (int i = 0; i < count; i++)
			if (!put(fds[i], piece, fl_min(bytes - done, (uint64_t)PIECE))) {
				fprintf(stderr, "log_floor: %s: %s\n", names[i], strerror(errno));
				return 1;
			}
	for (int i = 0; i < count; i++)
		close(fds[i]);
	printf("%.4f %.4f\n", (double)(clock_gettime_ns() - start) / 1e9,
	       cpu_seconds(RUSAGE_SELF));
	free(piece);
	return 0;
}

/* ---- A command ------------------------------------------------------------------------------- */

/* The peak of one process, KiB; 0 when it has gone. */
static long peak_of(pid_t pid)
{
	char path[64], line[256];
	long kib = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %ld", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib;
}

/* That of a process and the children it has now. */
static long peak_of_all(pid_t pid)
{
	char path[64];
	long sum = peak_of(pid);
	int child;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	f = fopen(path, "r");
	while (f && fscanf(f, "%d", &child) == 1)
		sum += peak_of(child);
	if (f)
		fclose(f);
	return sum;
}

static int run(char **argv)
{
	posix_spawn_file_actions_t quiet;
	uint64_t start = clock_gettime_ns();
	long peak = 0;
	int status, err;
	pid_t pid;

	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
	err = posix_spawnp(&pid, argv[0], &quiet, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&quiet);
	if (err) {
		fprintf(stderr, "log_floor: %s: %s\n", argv[0], strerror(err));
		return 1;
	}
	while (!waitpid(pid, &status, WNOHANG)) {
		peak = fl_max(peak, peak_of_all(pid));
		clock_sleep_ns(LOOK_NS);
	}
	printf("%.4f %.4f %ld\n", (double)(clock_gettime_ns() - start) / 1e9,
	       cpu_seconds(RUSAGE_CHILDREN), peak);
	return status != 0;
}

int main(int argc, char **argv)
{
	if (argc > 3 && !strcmp(argv[1], "write"))
		return write_files(strtoull(argv[2], NULL, 10), argv + 3, argc - 3);
	if (argc > 2 && !strcmp(argv[1], "run"))
		return run(argv + 2);
	fprintf(stderr, "usage: log_floor write BYTES FILE...\n       log_floor run COMMAND...\n");
	return 2;
}
