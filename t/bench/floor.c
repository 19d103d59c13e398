/* SPDX-License-Identifier: MIT */
/*
 * The floor under every number of the runner: the tightest loop in C that does the same call and
 * reads the same ordered clock around it. What the runner is slower than this is its own cost.
 *
 *	floor MODE FILE SECONDS [BLOCK_BYTES]
 *
 * MODE: psync, pread of random blocks of FILE; mmap, memcpy out of a shared read-only mapping of
 * it, whose pages are faulted in as they are touched; null, nothing at all; async, nothing at all
 * with 32 requests in flight: three stamps for each, as the runner needs where submission is a
 * step of its own. null and async take the size of FILE and never read it.
 *
 * Offsets come from an xorshift generator multiplied into the number of blocks, without a division.
 * The only statistic is the sum of the latencies, which keeps the clock reads alive. Buffer
 * page-aligned, advice to the kernel that of a random reader, which is what the runner gives.
 *
 * Prints I/Os per second.
 */
#define _GNU_SOURCE 1
#include "os/clock.h"
#include "t/bench/floor.h"

#include <string.h>
#include <sys/mman.h>

#define IN_FLIGHT	32u

struct floor {
	const char *map;
	char *buf;
	int fd;
	struct floor_blocks blocks;
	uint64_t began, deadline;	/* clock_ticks() */
	uint64_t ios;
	uint64_t ticks;			/* all latencies together */
};

/*
 * The three loops of one I/O at a time differ in their call alone. clock: what reads the time, so
 * that the choice between counter and system call is made once and not for every I/O. Returns the
 * time of the end.
 */
#define LOOP(f, clock, call) ({						\
	uint64_t end_, start_;						\
									\
	do {								\
		uint64_t at = floor_next(&(f)->blocks);				\
									\
		start_ = clock();					\
		call;							\
		end_ = clock();						\
		(f)->ticks += end_ - start_;				\
		(f)->ios++;						\
	} while (end_ < (f)->deadline);					\
	end_; })

#define PSYNC(f)	if (pread((f)->fd, (f)->buf, (f)->blocks.bytes, (off_t)at) !=	\
			    (ssize_t)(f)->blocks.bytes)					\
				die("pread")
#define MMAP(f)		memcpy((f)->buf, (f)->map + at, (f)->blocks.bytes)
/* The offset has to exist, or the compiler would leave the generator out. */
#define NOTHING(f)	__asm__ volatile("" : : "r"(at))

static uint64_t run_psync(struct floor *f)
{
	return clock_scale.counter ? LOOP(f, clock_counter_read, PSYNC(f)) :
				     LOOP(f, clock_gettime_ns, PSYNC(f));
}

static uint64_t run_mmap(struct floor *f)
{
	return clock_scale.counter ? LOOP(f, clock_counter_read, MMAP(f)) :
				     LOOP(f, clock_gettime_ns, MMAP(f));
}

static uint64_t run_null(struct floor *f)
{
	return clock_scale.counter ? LOOP(f, clock_counter_read, NOTHING(f)) :
				     LOOP(f, clock_gettime_ns, NOTHING(f));
}

/* One in, one out: the oldest of those in flight is done as soon as the next one is in. */
static uint64_t run_async(struct floor *f)
{
	struct {
		uint64_t start, issue;
	} ring[IN_FLIGHT];
	uint64_t end;

	for (unsigned i = 0; i < IN_FLIGHT; i++)
		ring[i].start = ring[i].issue = clock_ticks();
	do {
		unsigned slot = f->ios % IN_FLIGHT;
		uint64_t at = floor_next(&f->blocks);

		end = clock_ticks();
		f->ticks += end - ring[slot].start + (end - ring[slot].issue);
		ring[slot].start = clock_ticks();
		NOTHING(f);
		ring[slot].issue = clock_ticks();
		f->ios++;
	} while (end < f->deadline);
	return end;
}

static const struct mode {
	const char *name;
	uint64_t (*run)(struct floor *f);
	bool reads, maps;
} modes[] = {
	{ "psync", run_psync, true, false },
	{ "mmap", run_mmap, true, true },
	{ "null", run_null, false, false },
	{ "async", run_async, false, false },
};

static void set_up(struct floor *f, const struct mode *mode, const char *path)
{
	size_t bytes;
	void *map;

	f->fd = floor_open(&f->blocks, path, 0);
	if (!mode->reads)
		return;
	posix_fadvise(f->fd, 0, 0, POSIX_FADV_RANDOM);
	f->buf = mmap(NULL, f->blocks.bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (f->buf == MAP_FAILED)
		die("mmap");
	memset(f->buf, 0, f->blocks.bytes);
	if (!mode->maps)
		return;
	bytes = f->blocks.count * f->blocks.bytes;
	map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, f->fd, 0);
	if (map == MAP_FAILED || madvise(map, bytes, MADV_RANDOM))
		die("mmap");
	f->map = map;
}

int main(int argc, char **argv)
{
	struct floor f = { .blocks.bytes = 4096 };
	const struct mode *mode = NULL;
	double seconds;
	uint64_t end;

	for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(modes); i++)
		if (!strcmp(argv[1], modes[i].name))
			mode = &modes[i];
	seconds = argc > 3 ? atof(argv[3]) : 0;
	if (argc > 4)
		f.blocks.bytes = strtoull(argv[4], NULL, 10);
	if (!mode || !(seconds > 0) || !f.blocks.bytes || argc > 5) {
		fprintf(stderr, "usage: floor psync|mmap|null|async FILE SECONDS [BLOCK_BYTES]\n");
		return 2;
	}
	clock_init(CLOCK_USE_AUTO);
	set_up(&f, mode, argv[2]);
	f.blocks.random = clock_gettime_ns() | 1;
	f.began = clock_ticks();
	f.deadline = f.began + clock_ns_to_ticks((uint64_t)(seconds * 1e9));
	end = mode->run(&f);
	/* The sum is part of what was measured, so somebody has to look at it. */
	if (!f.ticks)
		fprintf(stderr, "floor: the clock stands still\n");
	printf("%.0f\n", (double)f.ios * 1e9 / (double)clock_ns(end - f.began));
	return 0;
}
