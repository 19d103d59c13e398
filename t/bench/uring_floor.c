/* SPDX-License-Identifier: MIT */
/*
 * The floor under the io_uring engine: a bare loop over the kernel's rings that keeps DEPTH random
 * reads in flight, hands over BATCH at a time and takes back BATCH at a time, with the ordered
 * clock reads that a measured asynchronous I/O needs: one per start, per hand-over and per reap.
 *
 *	uring_floor FILE SECONDS DEPTH BATCH [BLOCK_BYTES [direct]]
 *
 * No library and no statistics but the sum of the latencies; page-aligned buffers, no registered
 * buffers or files; the flags of a ring that make it faster, as far as the kernel has them.
 *
 * Prints I/Os per second, and the user and system time of one in ns.
 */
#define _GNU_SOURCE 1
#include "os/clock.h"
#include "os/usage.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEPTH_MAX	4096u
#define SETUP_NO_SQARRAY (1u << 16)

struct ring {
	int fd;
	uint32_t *sq_tail, *cq_head, *cq_tail;
	uint32_t sq_mask, cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
};

struct slot {
	uint64_t start, issue;
};

struct floor {
	struct ring ring;
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

static void *map_ring(const struct ring *r, size_t bytes, off_t what)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, r->fd, what);

	if (p == MAP_FAILED)
		die("mmap");
	return p;
}

static void ring_open(struct ring *r, uint32_t depth)
{
	static const uint32_t flags[] = {
		SETUP_NO_SQARRAY | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, 0,
	};
	struct io_uring_params p;
	char *sq, *cq;

	r->fd = -1;
	for (size_t i = 0; r->fd < 0 && i < ARRAY_SIZE(flags); i++) {
		p = (struct io_uring_params){ .flags = flags[i] };
		r->fd = (int)syscall(__NR_io_uring_setup, depth, &p);
	}
	if (r->fd < 0)
		die("io_uring_setup");
	sq = map_ring(r, p.sq_off.array + p.sq_entries * 4 + 4096,
		      (off_t)IORING_OFF_SQ_RING);
	cq = map_ring(r, p.cq_off.cqes + p.cq_entries * sizeof(*r->cqes),
		      (off_t)IORING_OFF_CQ_RING);
	r->sqes = map_ring(r, p.sq_entries * sizeof(*r->sqes), (off_t)IORING_OFF_SQES);
	r->cqes = (struct io_uring_cqe *)(cq + p.cq_off.cqes);
	r->sq_tail = (uint32_t *)(sq + p.sq_off.tail);
	r->cq_head = (uint32_t *)(cq + p.cq_off.head);
	r->cq_tail = (uint32_t *)(cq + p.cq_off.tail);
	r->sq_mask = p.sq_entries - 1;
	r->cq_mask = p.cq_entries - 1;
	if (!(p.flags & SETUP_NO_SQARRAY))
		for (uint32_t i = 0; i < p.sq_entries; i++)
			((uint32_t *)(sq + p.sq_off.array))[i] = i;
}

static void enter(struct ring *r, uint32_t submit, uint32_t wait)
{
	long n;

	do
		n = syscall(__NR_io_uring_enter, r->fd, submit, wait,
			    wait ? IORING_ENTER_GETEVENTS : 0, NULL, 0);
	while (n < 0 && errno == EINTR);
	if (n != (long)submit)
		die("io_uring_enter");
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
	struct ring *r = &f->ring;
	uint32_t tail = *r->sq_tail, *batch = f->free + f->nr_free - count;
	uint64_t now;

	for (uint32_t i = 0; i < count; i++) {
		struct io_uring_sqe *sqe = &r->sqes[(tail + i) & r->sq_mask];
		uint64_t at = next_offset(f);

		f->slots[batch[i]].start = clock_ticks();
		sqe->opcode = IORING_OP_READ;
		sqe->fd = f->fd;
		sqe->off = at;
		sqe->addr = (uintptr_t)f->buffers + batch[i] * f->block_bytes;
		sqe->len = (uint32_t)f->block_bytes;
		sqe->user_data = batch[i];
	}
	__atomic_store_n(r->sq_tail, tail + count, __ATOMIC_RELEASE);
	enter(r, count, 0);
	now = clock_ticks();
	for (uint32_t i = 0; i < count; i++)
		f->slots[batch[i]].issue = now;
	f->nr_free -= count;
}

/* Takes back count reads. Returns the time of that. */
static uint64_t reap(struct floor *f, uint32_t count)
{
	struct ring *r = &f->ring;
	uint32_t head = *r->cq_head;
	uint32_t ready = __atomic_load_n(r->cq_tail, __ATOMIC_ACQUIRE) - head;
	uint64_t now;

	if (ready < count) {
		enter(r, 0, count);
		(void)__atomic_load_n(r->cq_tail, __ATOMIC_ACQUIRE);
	}
	now = clock_ticks();
	for (uint32_t i = 0; i < count; i++) {
		const struct io_uring_cqe *cqe = &r->cqes[(head + i) & r->cq_mask];
		const struct slot *s = &f->slots[cqe->user_data];

		if (cqe->res != (int32_t)f->block_bytes)
			die("a read came back short");
		f->ticks += now - s->start + (now - s->issue);
		f->free[f->nr_free++] = (uint32_t)cqe->user_data;
	}
	__atomic_store_n(r->cq_head, head + count, __ATOMIC_RELEASE);
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
	ring_open(&f->ring, f->depth);
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
		fprintf(stderr, "usage: uring_floor FILE SECONDS DEPTH BATCH "
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
		fprintf(stderr, "uring_floor: the clock stands still\n");
	printf("%.0f %.1f %.1f\n", (double)f.ios * 1e9 / (double)clock_ns(end - began),
	       (double)used.user_us * 1e3 / (double)f.ios,
	       (double)used.system_us * 1e3 / (double)f.ios);
	return 0;
}
