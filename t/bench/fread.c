/* SPDX-License-Identifier: MIT */
/*
 * Buffered reading without the runner: opens a small file, reads all whole records of 256 bytes in
 * it, closes it, many times over. What jobs/fread.ini is compared with (stories.sh).
 *
 *	fread WAY FILE [PASSES]
 *
 * WAY, whose buffer it is:
 *	plain	none: open, read, close
 *	library	the library's: fopen, fread, fclose
 *	user	4096 bytes of this program's, by setvbuf(); the same for every open
 *	mmap	4096 bytes from a fresh mapping for every open, by setvbuf(): as libraries once did
 *	none	the stream has none: setvbuf(_IONBF)
 *
 * The clock is read before and after each record, as the runner does for its latencies. Prints one
 * line: wall, user and system seconds, minor faults in all, per second and per open, and where the
 * stream's buffer lies in its cache line: copies to an unaligned buffer are slower, so which of two
 * ways is ahead can be a matter of luck.
 */
#define _GNU_SOURCE 1
#include "os/clock.h"
#include "os/usage.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORD_BYTES	256
#define BUFFER_BYTES	4096

enum way { PLAIN, LIBRARY, USER, MMAP, NONE, WAYS };

static const char *const way_names[WAYS] = { "plain", "library", "user", "mmap", "none" };

static char user_buffer[BUFFER_BYTES] __attribute__((aligned(BUFFER_BYTES)));
static char record[RECORD_BYTES] __attribute__((aligned(BUFFER_BYTES)));
static uint64_t ticks;		/* all latencies together: keeps the clock reads alive */
static uint64_t records;
static uint64_t records_each;	/* in one pass */
static uintptr_t buffer_at;	/* address of the stream's buffer at the last open */

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void pass_plain(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOATIME | O_CLOEXEC);	/* as the runner does */

	if (fd < 0)
		die(path);
	for (uint64_t i = 0; i < records_each; i++) {
		uint64_t start = clock_ticks();

		if (read(fd, record, sizeof(record)) != (ssize_t)sizeof(record))
			die(path);
		ticks += clock_ticks() - start;
		records++;
	}
	if (close(fd))
		die(path);
}

/* The address of the buffer, by the library's own account (glibc shows it in the FILE). */
static uintptr_t stream_buffer(FILE *stream)
{
#ifdef __GLIBC__
	return (uintptr_t)stream->_IO_buf_base;
#else
	(void)stream;
	return 0;
#endif
}

static void *give_buffer(FILE *stream, enum way way)
{
	void *fresh = NULL;

	switch (way) {
	case USER:
		setvbuf(stream, user_buffer, _IOFBF, BUFFER_BYTES);
		break;
	case MMAP:
		fresh = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (fresh == MAP_FAILED)
			die("mmap");
		setvbuf(stream, fresh, _IOFBF, BUFFER_BYTES);
		break;
	case NONE:
		setvbuf(stream, NULL, _IONBF, 0);
		break;
	default:
		break;
	}
	return fresh;
}

static void pass_stream(const char *path, enum way way)
{
	FILE *stream = fopen(path, "r");
	void *fresh;

	if (!stream)
		die(path);
	fresh = give_buffer(stream, way);
	for (uint64_t i = 0; i < records_each; i++) {
		uint64_t start = clock_ticks();

		if (fread(record, 1, sizeof(record), stream) != sizeof(record))
			die(path);
		ticks += clock_ticks() - start;
		records++;
	}
	buffer_at = stream_buffer(stream);
	if (fclose(stream))
		die(path);
	if (fresh)
		munmap(fresh, BUFFER_BYTES);
}

static void print(const char *name, uint64_t passes, uint64_t ns, const struct usage *u)
{
	double seconds = (double)ns / 1e9;

	printf("%-8s wall %.3f user %.3f sys %.3f s, %llu records, mean %.0f ns; "
	       "minor faults %llu, %.0f/s, %.3f per open; buffer at 64n+%u\n", name, seconds,
	       (double)u->user_us / 1e6, (double)u->system_us / 1e6, (unsigned long long)records,
	       (double)clock_ns(ticks) / (double)records, (unsigned long long)u->faults_minor,
	       (double)u->faults_minor / seconds, (double)u->faults_minor / (double)passes,
	       (unsigned)(buffer_at % 64));
}

int main(int argc, char **argv)
{
	uint64_t passes = argc > 3 ? strtoull(argv[3], NULL, 10) : 10000;
	struct usage before, after, cost;
	enum way way = 0;
	uint64_t start;
	struct stat st;

	while (argc > 1 && way < WAYS && strcmp(argv[1], way_names[way]))
		way++;
	if (argc < 3 || way == WAYS || !passes) {
		fprintf(stderr, "usage: fread plain|library|user|mmap|none FILE [PASSES]\n");
		return 2;
	}
	if (stat(argv[2], &st))
		die(argv[2]);
	records_each = (uint64_t)st.st_size / RECORD_BYTES;
	clock_init(CLOCK_USE_AUTO);
	usage_take(USAGE_PROCESS, &before);
	start = clock_gettime_ns();
	for (uint64_t i = 0; i < passes; i++) {
		if (way == PLAIN)
			pass_plain(argv[2]);
		else
			pass_stream(argv[2], way);
	}
	start = clock_gettime_ns() - start;
	usage_take(USAGE_PROCESS, &after);
	cost = usage_since(&before, &after);
	print(way_names[way], passes, start, &cost);
	return 0;
}
