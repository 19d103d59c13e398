/* SPDX-License-Identifier: MIT */
/*
 * An engine that watches who is where: it keeps each request for a while, and says how often two were
 * in flight together of which one changes what the other touches. Its queues see each other, in all
 * processes, through a small file of counters in the current directory: one for each block of 512
 * bytes of one file. Completions come in an order of their own.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <fio-like/engine.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 512, BLOCKS = 4096 };

/* Readers count by one, a writer by this much. */
#define WRITER	(1u << 16)

struct board {
	_Atomic uint32_t users[BLOCKS];
};

struct overlap {
	struct board *board;
	uint64_t random;
	uint32_t count;
	struct fl_req *list[];		/* in flight */
};

enum { COUNT_OVERLAPS, COUNT_TOGETHER };

static const struct fl_counter counters[] = {
	[COUNT_OVERLAPS] = { .name = "overlaps", .help = "blocks that two had at once, and one wrote" },
	[COUNT_TOGETHER] = { .name = "together", .help = "most requests in flight",
			     .merge = FL_MERGE_MAX },
};

static int overlap_open(struct fl_queue *q)
{
	struct overlap *o = q->host->alloc(sizeof(*o) + q->depth * sizeof(o->list[0]), 0);
	int fd = open("overlap.board", O_RDWR | O_CREAT | O_CLOEXEC, 0644);

	if (!o || fd < 0 || ftruncate(fd, sizeof(struct board)))
		return -errno;
	o->board = mmap(NULL, sizeof(struct board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (o->board == MAP_FAILED)
		return -errno;
	o->random = q->job->seed + q->job->number;
	q->priv = o;
	return 0;
}

static void overlap_close(struct fl_queue *q)
{
	struct overlap *o = q->priv;

	munmap(o->board, sizeof(*o->board));
	q->host->free(o);
}

static void each_block(struct fl_queue *q, struct fl_req *req, int sign)
{
	struct overlap *o = q->priv;
	uint32_t mine = req->op == FL_OP_READ ? 1 : WRITER;

	if (req->op > FL_OP_TRIM)
		return;
	for (uint64_t b = req->offset / BLOCK; b < (req->offset + req->len + BLOCK - 1) / BLOCK; b++) {
		_Atomic uint32_t *users = &o->board->users[b % BLOCKS];
		uint32_t others;

		if (sign < 0) {
			atomic_fetch_sub(users, mine);
			continue;
		}
		others = atomic_fetch_add(users, mine);
		q->counters[COUNT_OVERLAPS] += others >= WRITER || (others && mine == WRITER);
	}
}

static int overlap_queue(struct fl_queue *q, struct fl_req *req)
{
	struct overlap *o = q->priv;

	each_block(q, req, 1);
	o->list[o->count++] = req;
	if (o->count > q->counters[COUNT_TOGETHER])
		q->counters[COUNT_TOGETHER] = o->count;
	return FL_PENDING;
}

static int overlap_complete(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
			    struct fl_req **done)
{
	struct overlap *o = q->priv;
	const struct timespec nap = { 0, 20000 };
	uint32_t n = 0, most = min > 1 ? min : 1;

	if (min && timeout_ns && o->count)
		nanosleep(&nap, NULL);
	while (n < max && n < most && o->count) {
		struct fl_req *req;
		uint32_t at;

		o->random = o->random * 6364136223846793005u + 1442695040888963407u;
		at = (o->random >> 33) % o->count;
		req = o->list[at];
		o->list[at] = o->list[--o->count];
		each_block(q, req, -1);
		req->res = req->op <= FL_OP_TRIM ? (int64_t)req->len : 0;
		done[n++] = req;
	}
	return (int)n;
}

static const struct fl_engine overlap_engine = {
	FL_ENGINE_HEAD, .name = "overlap", .help = "counts requests that overlap in flight",
	.ops_supported = 1u << FL_OP_READ | 1u << FL_OP_WRITE | 1u << FL_OP_TRIM | 1u << FL_OP_SYNC,
	FL_ENGINE_COUNTERS(counters),
	.open = overlap_open, .close = overlap_close, .queue = overlap_queue,
	.complete = overlap_complete,
};

FL_ENGINE_EXPORT(&overlap_engine);
