/* SPDX-License-Identifier: MIT */
/* From I/Os that start to entries of the ring. */
#include "core/recorder.h"
#include "fio-like/engine.h"
#include "lib/iolog.h"
#include "os/clock.h"

#include <errno.h>
#include <stdlib.h>

#define LOOK_NS		100000000	/* how often a wait looks at the stop flag */

struct record_part {
	struct gate_part part;
	struct log_ring *ring;
};

static void put(struct log_ring *ring, enum iolog_action action, uint32_t file, uint64_t at)
{
	const struct log_issue issue = { .at = at, .action = action, .file = file };

	log_ring_issue(ring, &issue);
}

/* ---- I/Os ------------------------------------------------------------------------------------ */

/* What cannot be recorded is not issued: it waits for room. */
static enum gate_says ask_room(struct gate_part *p, struct gate_ask *a)
{
	struct log_ring *ring = container_of(p, struct record_part, part)->ring;

	if (likely(log_ring_room(ring)))
		return GATE_OPEN;
	a->seen = log_ring_expect(ring, &a->word);
	return GATE_SHUT;
}

static void start(struct gate_part *p, const struct workload_io *io, uint64_t now,
		  uint64_t *intended)
{
	static const uint32_t actions[] = {
		[FL_OP_READ] = IOLOG_READ, [FL_OP_WRITE] = IOLOG_WRITE, [FL_OP_TRIM] = IOLOG_TRIM,
		[FL_OP_SYNC] = IOLOG_SYNC, [FL_OP_DATASYNC] = IOLOG_DATASYNC,
		[FL_OP_SYNC_RANGE] = IOLOG_SYNC_RANGE,
	};
	const struct log_issue issue = {
		.at = now, .offset = io->offset, .len = io->len, .action = actions[io->op],
		.file = io->file,
	};

	(void)intended;
	fl_assert(io->op < ARRAY_SIZE(actions));
	log_ring_issue(container_of(p, struct record_part, part)->ring, &issue);
}

static void free_part(struct gate_part *p)
{
	free(container_of(p, struct record_part, part));
}

static const struct gate_ops ops = {
	.reads_back = true, .ask = ask_room, .start = start, .free = free_part,
};

struct gate_part *recorder_part(struct log_ring *ring, int *err)
{
	struct record_part *p = calloc(1, sizeof(*p));

	if (!p) {
		*err = -ENOMEM;
		return NULL;
	}
	*p = (struct record_part){ .part = { .ops = &ops, .look_at = UINT64_MAX }, .ring = ring };
	return &p->part;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void wait_and_put(struct recorder_files *r, enum iolog_action action, uint32_t file)
{
	while (!log_ring_room(r->ring) && !atomic_load_explicit(r->stop, memory_order_relaxed))
		log_ring_wait(r->ring, LOOK_NS);
	if (log_ring_room(r->ring))
		put(r->ring, action, file, clock_ticks());
}

void recorder_file(void *ctx, uint32_t file, bool open)
{
	wait_and_put(ctx, open ? IOLOG_OPEN : IOLOG_CLOSE, file);
}

void recorder_sync(struct recorder_files *r, uint32_t file)
{
	wait_and_put(r, IOLOG_SYNC, file);
}
