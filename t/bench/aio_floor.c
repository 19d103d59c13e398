/* SPDX-License-Identifier: MIT */
/*
 * The floor under the libaio engine: a bare loop of io_submit(2) and io_getevents(2) that keeps
 * DEPTH random reads in flight, hands over BATCH at a time and takes back BATCH at a time, with the
 * ordered clock reads that a measured asynchronous I/O needs: one per start, per hand-over and per
 * reap.
 *
 *	aio_floor FILE SECONDS DEPTH BATCH [BLOCK_BYTES [direct]]
 *
 * No library and no statistics but the sum of the latencies; page-aligned buffers.
 *
 * Prints I/Os per second, and the user and system time of one in ns.
 */
#define _GNU_SOURCE 1
#include "os/clock.h"
#include "os/usage.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEPTH_MAX	4096u

struct slot {
	uint64_t start, issue;
};

struct floor {
	aio_context_t ctx;
	struct iocb *iocbs;		/* one per slot */
	struct iocb **list;
	struct io_event *events;
	struct slot *slots;
	uint32_t *free;			/* slots not in flight */
	uint32_t nr_free;
	char *buffers;
	int fd;
	uint32_t depth, batch;
	uint64_t block_bytes, blocks, random;
	uint64_t deadline;		/* clock_ticks() */
	uint64_t ios, ticks;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* The next offset in bytes: G. Marsaglia, "Xorshift RNGs", 2003. */
fl_inline uint64_t next_offset(struct floor *f)
{
	uint64_t x = f->random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	f->random = x;
	return (uint64_t)((unsigned __int128)x * f->blocks >> 64) * f->block_bytes;
}

/* Starts count reads by one call. */
static void submit(struct floor *f, uint32_t count)
{
	uint32_t *batch = f->free + f->nr_free - count;
	uint64_t now;
	long n;

	for (uint32_t i = 0; i < count; i++) {
		struct iocb *cb = &f->iocbs[batch[i]];
		uint64_t at = next_offset(f);

		f->slots[batch[i]].start = clock_ticks();
		cb->aio_data = batch[i];
		cb->aio_lio_opcode = IOCB_CMD_PREAD;
		cb->aio_fildes = (uint32_t)f->fd;
		cb->aio_buf = (uintptr_t)f->buffers + batch[i] * f->block_bytes;
		cb->aio_nbytes = f->block_bytes;
		cb->aio_offset = (int64_t)at;
		f->list[i] = cb;
	}
	n = syscall(__NR_io_submit, f->ctx, count, f->list);
	if (n != (long)count)
		die("io_submit");
	now = clock_ticks();
	for (uint32_t i = 0; i < count; i++)
		f->slots[batch[i]].issue = now;
	f->nr_free -= count;
}

/* Takes back count reads. Returns the time of that. */
static uint64_t reap(struct floor *f, uint32_t count)
{
	uint64_t now;
	long n;

	do
		n = syscall(__NR_io_getevents, f->ctx, count, count, f->events, NULL);
	while (n < 0 && errno == EINTR);
	if (n != (long)count)
		die("io_getevents");
	now = clock_ticks();
	for (uint32_t i = 0; i < count; i++) {
		const struct io_event *event = &f->events[i];
		const struct slot *s = &f->slots[event->data];

		if (event->res != (int64_t)f->block_bytes)
			die("a read came back short");
		f->ticks += now - s->start + (now - s->issue);
		f->free[f->nr_free++] = (uint32_t)event->data;
	}
	f->ios += count;
	return now;
}

static void set_up(struct floor *f, const char *path, bool direct)
{
	struct stat st;

	f->fd = open(path, O_RDONLY | O_CLOEXEC | (direct ? O_DIRECT : 0));
	if (f->fd < 0 || fstat(f->fd, &st))
		die(path);
	f->blocks = (uint64_t)lseek(f->fd, 0, SEEK_END) / f->block_bytes;
	if (!f->blocks) {
		fprintf(stderr, "%s: smaller than one block\n", path);
		exit(1);
	}
	posix_fadvise(f->fd, 0, 0, POSIX_FADV_RANDOM);
	f->buffers = mmap(NULL, f->depth * f->block_bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	f->slots = calloc(f->depth, sizeof(*f->slots));
	f->free = calloc(f->depth, sizeof(*f->free));
	if (f->buffers == MAP_FAILED || !f->slots || !f->free)
		die("memory");
	memset(f->buffers, 0, f->depth * f->block_bytes);
	while (f->nr_free < f->depth) {
		f->free[f->nr_free] = f->nr_free;
		f->nr_free++;
	}
	f->iocbs = calloc(f->depth, sizeof(*f->iocbs));
	f->list = calloc(f->depth, sizeof(*f->list));
	f->events = calloc(f->depth, sizeof(*f->events));
	if (!f->iocbs || !f->list || !f->events)
		die("memory");
	if (syscall(__NR_io_setup, f->depth, &f->ctx))
		die("io_setup");
}

int main(int argc, char **argv)
{
	struct floor f = { .block_bytes = 4096 };
	double seconds = argc > 2 ? atof(argv[2]) : 0;
	uint64_t began, end;
	struct usage before, after, used;

	if (argc > 4) {
		f.depth = (uint32_t)strtoul(argv[3], NULL, 10);
		f.batch = (uint32_t)strtoul(argv[4], NULL, 10);
	}
	if (argc > 5)
		f.block_bytes = strtoull(argv[5], NULL, 10);
	if (argc > 7 || !(seconds > 0) || !f.block_bytes || !f.batch || f.batch > f.depth ||
	    f.depth > DEPTH_MAX || f.depth % f.batch) {
		fprintf(stderr, "usage: aio_floor FILE SECONDS DEPTH BATCH "
			"[BLOCK_BYTES [direct]]\n"
			"BATCH divides DEPTH, which is at most %u\n", DEPTH_MAX);
		return 2;
	}
	clock_init(CLOCK_USE_AUTO);
	set_up(&f, argv[1], argc > 6);
	f.random = clock_gettime_ns() | 1;
	usage_take(USAGE_PROCESS, &before);
	began = clock_ticks();
	f.deadline = began + clock_ns_to_ticks((uint64_t)(seconds * 1e9));
	while (f.nr_free)
		submit(&f, f.batch);
	do {
		end = reap(&f, f.batch);
		submit(&f, f.batch);
	} while (end < f.deadline);
	reap(&f, f.depth);
	end = clock_ticks();
	usage_take(USAGE_PROCESS, &after);
	used = usage_since(&before, &after);
	if (!f.ticks)
		fprintf(stderr, "aio_floor: the clock stands still\n");
	printf("%.0f %.1f %.1f\n", (double)f.ios * 1e9 / (double)clock_ns(end - began),
	       (double)used.user_us * 1e3 / (double)f.ios,
	       (double)used.system_us * 1e3 / (double)f.ios);
	return 0;
}
