/* SPDX-License-Identifier: MIT */
/*
 * The floor under a job of very many small files: open a random one, read its 4 KiB, close it.
 *
 *	reopen PREFIX FILES SECONDS
 *
 * The files are PREFIX.0 to PREFIX.(FILES - 1). Every open is timed as an I/O would be: one ordered
 * clock reading before it and one after the close. Prints I/Os per second, and the user and system
 * time of one in ns.
 */
#define _GNU_SOURCE 1
#include "lib/rand.h"
#include "os/clock.h"
#include "os/usage.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BLOCK_BYTES	4096

static void read_one(const char *prefix, uint64_t i, char *buf)
{
	char name[PATH_MAX];
	int fd;

	snprintf(name, sizeof(name), "%s.%llu", prefix, (unsigned long long)i);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, buf, BLOCK_BYTES, 0) != BLOCK_BYTES) {
		perror(name);
		exit(1);
	}
	close(fd);
}

int main(int argc, char **argv)
{
	uint64_t files = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, ios = 0, sum = 0;
	double seconds = argc > 3 ? atof(argv[3]) : 0;
	struct usage before, after, used;
	uint64_t began, now, end;
	struct rand r;
	char *buf;

	if (argc != 4 || !files || !(seconds > 0)) {
		fprintf(stderr, "usage: reopen PREFIX FILES SECONDS\n");
		return 2;
	}
	clock_init(CLOCK_USE_AUTO);
	rand_seed(&r, clock_gettime_ns(), 0);
	buf = aligned_alloc(4096, BLOCK_BYTES);
	if (!buf)
		return 1;
	usage_take(USAGE_PROCESS, &before);
	began = now = clock_ticks();
	end = began + clock_ns_to_ticks((uint64_t)(seconds * 1e9));
	while (now < end) {
		uint64_t start = clock_ticks();

		read_one(argv[1], rand_below(&r, files), buf);
		now = clock_ticks();
		sum += now - start;
		ios++;
	}
	usage_take(USAGE_PROCESS, &after);
	used = usage_since(&before, &after);
	if (!sum)
		fprintf(stderr, "reopen: the clock stands still\n");
	printf("%.0f %.1f %.1f\n", (double)ios * 1e9 / (double)clock_ns(now - began),
	       (double)used.user_us * 1e3 / (double)ios,
	       (double)used.system_us * 1e3 / (double)ios);
	free(buf);
	return 0;
}
