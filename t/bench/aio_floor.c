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
#include "t/bench/flight.h"

#include <errno.h>
#include <linux/aio_abi.h>
#include <sys/syscall.h>

struct floor {
	struct flight flight;
	aio_context_t ctx;
	struct iocb *iocbs;		/* one per slot */
	struct iocb **list;
	struct io_event *events;
};

static void submit(struct flight *f, uint32_t count)
{
	struct floor *own = (struct floor *)f;
	uint32_t *batch = f->free + f->nr_free - count;
	long n;

	for (uint32_t i = 0; i < count; i++) {
		struct iocb *cb = &own->iocbs[batch[i]];
		uint64_t at = floor_next(&f->blocks);

		f->slots[batch[i]].start = clock_ticks();
		cb->aio_data = batch[i];
		cb->aio_lio_opcode = IOCB_CMD_PREAD;
		cb->aio_fildes = (uint32_t)f->fd;
		cb->aio_buf = (uintptr_t)f->buffers + batch[i] * f->blocks.bytes;
		cb->aio_nbytes = f->blocks.bytes;
		cb->aio_offset = (int64_t)at;
		own->list[i] = cb;
	}
	n = syscall(__NR_io_submit, own->ctx, count, own->list);
	if (n != (long)count)
		die("io_submit");
	flight_issued(f, count);
}

static uint64_t reap(struct flight *f, uint32_t count)
{
	struct floor *own = (struct floor *)f;
	uint64_t now;
	long n;

	do
		n = syscall(__NR_io_getevents, own->ctx, count, count, own->events, NULL);
	while (n < 0 && errno == EINTR);
	if (n != (long)count)
		die("io_getevents");
	now = clock_ticks();
	for (uint32_t i = 0; i < count; i++)
		flight_done(f, (uint32_t)own->events[i].data, own->events[i].res, now);
	f->ios += count;
	return now;
}

static void set_up(struct flight *f)
{
	struct floor *own = (struct floor *)f;

	own->iocbs = calloc(f->depth, sizeof(*own->iocbs));
	own->list = calloc(f->depth, sizeof(*own->list));
	own->events = calloc(f->depth, sizeof(*own->events));
	if (!own->iocbs || !own->list || !own->events)
		die("memory");
	if (syscall(__NR_io_setup, f->depth, &own->ctx))
		die("io_setup");
}

int main(int argc, char **argv)
{
	static struct floor f;

	return flight_main(&f.flight, argc, argv, "aio_floor", set_up, submit, reap);
}
