/* SPDX-License-Identifier: MIT */
/* A few reads of a device, spread over it. */
#define _GNU_SOURCE 1
#include "os/zeroes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/rand.h"
#include "os/clock.h"

#define BLOCK	4096u

int zeroes_sample(const char *device, uint64_t offset, uint64_t bytes, uint32_t per_part,
		  uint64_t time_ns, uint64_t seed, struct zeroes *z)
{
	static char block[BLOCK] __attribute__((aligned(BLOCK)));
	uint64_t blocks = bytes / BLOCK / ZEROES_PARTS, end = clock_gettime_ns() + time_ns;
	int fd = open(device, O_RDONLY | O_DIRECT | O_NONBLOCK | O_CLOEXEC);
	int err = -EIO;
	struct rand r;

	if (fd < 0)
		return -errno;
	rand_seed(&r, seed, 0);
	/* Each round visits all parts, so that an early end leaves no part out. */
	for (uint32_t i = 0; i < per_part * ZEROES_PARTS; i++) {
		uint32_t part = i % ZEROES_PARTS;
		uint64_t at = offset / BLOCK + part * blocks;

		if (!blocks || (i && clock_gettime_ns() > end))
			break;
		at += rand_below(&r, blocks);
		if (pread(fd, block, BLOCK, (off_t)(at * BLOCK)) != BLOCK)
			continue;
		err = 0;
		z->seen[part]++;
		z->zero[part] += !block[0] && !memcmp(block, block + 1, BLOCK - 1);
	}
	close(fd);
	return err;
}
