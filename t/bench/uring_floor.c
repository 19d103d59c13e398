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
#include "t/bench/flight.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <sys/syscall.h>

#define SETUP_NO_SQARRAY (1u << 16)

struct ring {
	int fd;
	uint32_t *sq_tail, *cq_head, *cq_tail;
	uint32_t sq_mask, cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
};

struct floor {
	struct flight flight;
	struct ring ring;
};

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

static void submit(struct flight *f, uint32_t count)
{
	struct ring *r = &((struct floor *)f)->ring;
	uint32_t tail = *r->sq_tail, *batch = f->free + f->nr_free - count;

	for (uint32_t i = 0; i < count; i++) {
		struct io_uring_sqe *sqe = &r->sqes[(tail + i) & r->sq_mask];
		uint64_t at = floor_next(&f->blocks);

		f->slots[batch[i]].start = clock_ticks();
		sqe->opcode = IORING_OP_READ;
		sqe->fd = f->fd;
		sqe->off = at;
		sqe->addr = (uintptr_t)f->buffers + batch[i] * f->blocks.bytes;
		sqe->len = (uint32_t)f->blocks.bytes;
		sqe->user_data = batch[i];
	}
	__atomic_store_n(r->sq_tail, tail + count, __ATOMIC_RELEASE);
	enter(r, count, 0);
	flight_issued(f, count);
}

static uint64_t reap(struct flight *f, uint32_t count)
{
	struct ring *r = &((struct floor *)f)->ring;
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

		flight_done(f, (uint32_t)cqe->user_data, cqe->res, now);
	}
	__atomic_store_n(r->cq_head, head + count, __ATOMIC_RELEASE);
	f->ios += count;
	return now;
}

static void set_up(struct flight *f)
{
	ring_open(&((struct floor *)f)->ring, f->depth);
}

int main(int argc, char **argv)
{
	static struct floor f;

	return flight_main(&f.flight, argc, argv, "uring_floor", set_up, submit, reap);
}
