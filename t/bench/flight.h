/* SPDX-License-Identifier: MIT */
/*
 * The floors that keep reads in flight differ in how they hand them to the kernel and take them
 * back. All else of such a program is here, in line, so that there is no call between the two.
 */
#ifndef T_BENCH_FLIGHT_H
#define T_BENCH_FLIGHT_H

#include "os/clock.h"
#include "os/usage.h"
#include "t/bench/floor.h"

#include <string.h>
#include <sys/mman.h>

#define DEPTH_MAX	4096u

struct slot {
	uint64_t start, issue;
};

/* First member of the floor's own struct. */
struct flight {
	struct floor_blocks blocks;
	struct slot *slots;
	uint32_t *free;			/* slots not in flight */
	uint32_t nr_free;
	char *buffers;			/* one per slot */
	int fd;
	uint32_t depth, batch;
	uint64_t deadline;		/* clock_ticks() */
	uint64_t ios, ticks;
};

/* flight_issued - count reads, in the last of the free slots, are with the kernel by now. */
fl_inline void flight_issued(struct flight *f, uint32_t count)
{
	uint64_t now = clock_ticks();

	f->nr_free -= count;
	for (uint32_t i = 0; i < count; i++)
		f->slots[f->free[f->nr_free + i]].issue = now;
}

/* flight_done - the read of a slot has come back with this result, at this time. */
fl_inline void flight_done(struct flight *f, uint32_t slot, int64_t res, uint64_t now)
{
	const struct slot *s = &f->slots[slot];

	if (res != (int64_t)f->blocks.bytes)
		die("a read came back short");
	f->ticks += now - s->start + (now - s->issue);
	f->free[f->nr_free++] = slot;
}

static void flight_set_up(struct flight *f, const char *path, int direct)
{
	size_t bytes = f->depth * f->blocks.bytes;

	f->fd = floor_open(&f->blocks, path, direct);
	posix_fadvise(f->fd, 0, 0, POSIX_FADV_RANDOM);
	f->buffers = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	f->slots = calloc(f->depth, sizeof(*f->slots));
	f->free = calloc(f->depth, sizeof(*f->free));
	if (f->buffers == MAP_FAILED || !f->slots || !f->free)
		die("memory");
	memset(f->buffers, 0, bytes);
	for (; f->nr_free < f->depth; f->nr_free++)
		f->free[f->nr_free] = f->nr_free;
	f->blocks.random = clock_gettime_ns() | 1;
}

/*
 * flight_main - the whole program. set_up: what the floor needs besides; submit: start count reads
 * by one call; reap: take back count of them, and return the time of that.
 */
fl_inline int flight_main(struct flight *f, int argc, char **argv, const char *name,
			  void (*set_up)(struct flight *f),
			  void (*submit)(struct flight *f, uint32_t count),
			  uint64_t (*reap)(struct flight *f, uint32_t count))
{
	double seconds = argc > 2 ? strtod(argv[2], NULL) : 0;
	struct usage before, after, used;
	uint64_t began, end;

	if (argc > 4) {
		f->depth = (uint32_t)strtoul(argv[3], NULL, 10);
		f->batch = (uint32_t)strtoul(argv[4], NULL, 10);
	}
	f->blocks.bytes = argc > 5 ? strtoull(argv[5], NULL, 10) : 4096;
	if (argc > 7 || !(seconds > 0) || !f->blocks.bytes || !f->batch || f->batch > f->depth ||
	    f->depth > DEPTH_MAX || f->depth % f->batch) {
		fprintf(stderr, "usage: %s FILE SECONDS DEPTH BATCH [BLOCK_BYTES [direct]]\n"
			"BATCH divides DEPTH, which is at most %u\n", name, DEPTH_MAX);
		return 2;
	}
	clock_init(CLOCK_USE_AUTO);
	flight_set_up(f, argv[1], argc > 6 ? O_DIRECT : 0);
	set_up(f);
	usage_take(USAGE_PROCESS, &before);
	began = clock_ticks();
	f->deadline = began + clock_ns_to_ticks((uint64_t)(seconds * 1e9));
	while (f->nr_free)
		submit(f, f->batch);
	do {
		end = reap(f, f->batch);
		submit(f, f->batch);
	} while (end < f->deadline);
	reap(f, f->depth);
	end = clock_ticks();
	usage_take(USAGE_PROCESS, &after);
	used = usage_since(&before, &after);
	if (!f->ticks)
		fprintf(stderr, "%s: the clock stands still\n", name);
	printf("%.0f %.1f %.1f\n", (double)f->ios * 1e9 / (double)clock_ns(end - began),
	       (double)used.user_us * 1e3 / (double)f->ios,
	       (double)used.system_us * 1e3 / (double)f->ios);
	return 0;
}

#endif
