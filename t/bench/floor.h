/* SPDX-License-Identifier: MIT */
/* What the floors have in common: random blocks of a file, and an end when something fails. */
#ifndef T_BENCH_FLOOR_H
#define T_BENCH_FLOOR_H

#include "lib/base.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct floor_blocks {
	uint64_t bytes, count;		/* of each; of them */
	uint64_t random;		/* never 0 */
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* floor_open - the file that the blocks are of, with O_DIRECT or 0; sets their count. */
static int floor_open(struct floor_blocks *b, const char *path, int direct)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | direct);
	off_t end = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);

	if (end < 0)
		die(path);
	b->count = (uint64_t)end / b->bytes;
	if (!b->count) {
		fprintf(stderr, "%s: smaller than one block\n", path);
		exit(1);
	}
	return fd;
}

/* floor_next - the offset of the next in bytes: G. Marsaglia, "Xorshift RNGs", 2003. */
fl_inline uint64_t floor_next(struct floor_blocks *b)
{
	uint64_t x = b->random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	b->random = x;
	return (uint64_t)((unsigned __int128)x * b->count >> 64) * b->bytes;
}

#endif
