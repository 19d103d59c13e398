/* SPDX-License-Identifier: MIT */
/*
 * Seeking without the runner: fseek() to random positions at the start of a file, and no reads. The
 * library answers a seek outside of its buffer by filling the buffer from an aligned position, so
 * that the price of a seek is the size of the buffer.
 *
 *	seek BUFFER_BYTES|library FILE [SEEKS [RANGE_BYTES]]
 *
 * 200,000 seeks into the first 4,000,000 bytes unless told otherwise; positions are bytes, not
 * blocks. The clock is read before and after each. Prints one line: wall, user and system seconds,
 * seeks per second, and what the library read underneath, per seek, by the kernel's count.
 */
#define _GNU_SOURCE 1
#include "lib/rand.h"
#include "os/clock.h"
#include "os/usage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* A stream with a page-aligned buffer of so many bytes; 0: the library's own choice. */
static FILE *open_stream(const char *path, size_t buffer_bytes)
{
	FILE *stream = fopen(path, "r");
	void *buffer = NULL;

	if (!stream)
		die(path);
	if (!buffer_bytes)
		return stream;
	if (posix_memalign(&buffer, 4096, buffer_bytes))
		die("buffer");
	memset(buffer, 0, buffer_bytes);
	setvbuf(stream, buffer, _IOFBF, buffer_bytes);
	return stream;
}

int main(int argc, char **argv)
{
	uint64_t seeks = argc > 3 ? strtoull(argv[3], NULL, 10) : 200000;
	uint64_t range = argc > 4 ? strtoull(argv[4], NULL, 10) : 4000000;
	struct usage before, after, cost;
	uint64_t ticks = 0, start, ns;
	size_t buffer_bytes;
	struct rand random;
	FILE *stream;

	if (argc < 3 || !seeks || !range) {
		fprintf(stderr, "usage: seek BUFFER_BYTES|library FILE [SEEKS [RANGE_BYTES]]\n");
		return 2;
	}
	buffer_bytes = strcmp(argv[1], "library") ? strtoull(argv[1], NULL, 10) : 0;
	clock_init(CLOCK_USE_AUTO);
	rand_seed(&random, 1, 0);
	stream = open_stream(argv[2], buffer_bytes);
	usage_take(USAGE_PROCESS, &before);
	start = clock_gettime_ns();
	for (uint64_t i = 0; i < seeks; i++) {
		long at = (long)rand_below(&random, range);
		uint64_t began = clock_ticks();

		if (fseek(stream, at, SEEK_SET))
			die("fseek");
		ticks += clock_ticks() - began;
	}
	ns = clock_gettime_ns() - start;
	usage_take(USAGE_PROCESS, &after);
	cost = usage_since(&before, &after);
	printf("%-8s wall %.3f user %.3f sys %.3f s, %.0f seeks/s, mean %.0f ns; "
	       "%.0f bytes in %.2f calls read per seek\n", argv[1], (double)ns / 1e9,
	       (double)cost.user_us / 1e6, (double)cost.system_us / 1e6,
	       (double)seeks * 1e9 / (double)ns, (double)clock_ns(ticks) / (double)seeks,
	       (double)cost.io_read_chars / (double)seeks,
	       (double)cost.io_read_calls / (double)seeks);
	return 0;
}
