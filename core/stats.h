/* SPDX-License-Identifier: MIT */
/*
 * What a worker writes while it runs: one block per worker in memory shared with the parent.
 *
 * The worker is the only writer and uses plain (relaxed) stores; the parent reads without locks at
 * any moment, also after the worker has died. What can be derived later is not written here: N is
 * the sum of the bins, the latency distribution comes from the bins, depth 1 of a synchronous
 * engine from the number of I/Os.
 *
 * The three time stamps (doc/design.md): start, the request leaves the workload, before prep;
 * issue, queue() is called (synchronous) or commit() has handed it to the kernel; complete, it is
 * back. slat = issue - start, clat = complete - issue, lat = complete - start.
 */
#ifndef CORE_STATS_H
#define CORE_STATS_H

#include "core/host.h"
#include "core/log_ring.h"
#include "core/opt.h"
#include "core/slow.h"
#include "lib/base.h"
#include "lib/hist.h"
#include "os/clock.h"

#include <stdatomic.h>

#define DEPTH_BUCKETS	7		/* 1 2 4 8 16 32 >=64; and 0 4 8 16 32 64 >=64 */

struct lat_stat {
	struct moments m;
	uint64_t bins[HIST_BINS];
};

/* The three latencies of an I/O. */
enum stats_kind { STATS_CLAT, STATS_SLAT, STATS_LAT, STATS_KINDS };

/* One direction. */
struct dir_stats {
	uint64_t ios;			/* issued */
	uint64_t done_ios;		/* handed back without an error */
	uint64_t bytes;			/* moved */
	uint64_t slow_floor;		/* ticks: what takes longer is one of the slowest */
	uint64_t short_ios;		/* handed back with fewer bytes than asked */
	uint64_t drop_ios;		/* never handed to the device */
	uint64_t errors;		/* handed back with an error */
	struct lat_stat intended;	/* complete - intended start, where a schedule wanted it */
	union {
		struct lat_stat kind[STATS_KINDS];
		struct {
			struct lat_stat clat;
			struct lat_stat slat;	/* asynchronous engines only */
			struct lat_stat lat;	/* unused where lat_is_clat */
		};
	};
};

/*
 * I/Os that have ended but are not counted yet. Counting one touches a dozen cache lines, which are
 * cold after each sleep in the kernel; a batch of them is counted for little more than that.
 *
 * The batch lies in shared memory, and counting it can be finished by another process: whenever the
 * worker is killed, the parent still counts each I/O of it exactly once (stats_rescue()).
 *
 * It has two forms. Samples, of the asynchronous loop: what there is to know of each I/O. Chains,
 * of the plain synchronous one: readings of the clock alone, of which each ends an I/O and begins
 * the next; all have one direction and one size.
 */
#define STATS_BATCH	64

struct stats_sample {
	uint64_t slat, clat;		/* ticks */
	uint64_t bytes;
	uint32_t dir;
};

/* What counting a batch changes and its inverse cannot tell: as it was before. */
struct stats_before {
	uint64_t ios, done_ios, bytes;
	struct {
		uint64_t sum;
		unsigned __int128 sumsq;
	} kind[STATS_KINDS];
};

enum stats_form { STATS_SAMPLES, STATS_CHAIN, STATS_CHAIN_PREP };

struct stats_batch {
	uint32_t n;			/* I/Os in it */
	uint32_t form;			/* enum stats_form */
	uint32_t counting;		/* bit per direction: being counted, before[] holds */
	uint32_t dirs;			/* bit per direction that is in it */
	uint64_t len;			/* chains: the size of each */
	union {
		struct stats_sample sample[STATS_BATCH];
		struct {
			uint64_t start[STATS_BATCH + 1];	/* I/O i ended at start[i + 1] */
			uint64_t issue[STATS_BATCH];		/* STATS_CHAIN_PREP */
		};
	};
	struct stats_before before[DIRS];
	uint64_t offset[STATS_BATCH];		/* chains: bytes, in the only file */
	/* where each I/O is logged */
	uint64_t log_head;			/* of the ring, before any of it was logged */
};

/* States of a worker, in order. */
enum worker_state {
	WORKER_IDLE = 0,		/* not started */
	WORKER_SETUP,			/* opening, allocating, waiting for the others */
	WORKER_READY,			/* waits for the start signal */
	WORKER_RAMP,			/* runs, not counted */
	WORKER_RUN,
	WORKER_FINISH,			/* end_fsync, closing */
	WORKER_DONE,			/* its block is final */
};

/* How far latency_target has come. */
enum latency_phase {
	LATENCY_NONE,			/* not asked for */
	LATENCY_SEARCHES,
	LATENCY_FOUND,			/* the depth is known; counting may begin */
	LATENCY_COUNTS,
	LATENCY_OVER,
};

#define WORKER_TEXT_BYTES	320
#define WORKER_NOTES		8

/* What an engine counts that lies below that of the job. */
#define STACKED_NAME_BYTES	40

struct stacked_counters {
	char engine[ENGINE_NAME_MAX + 1];
	uint32_t nr;
	struct {
		char name[STACKED_NAME_BYTES];
		uint32_t merge;		/* enum fl_merge */
	} row[HOST_COUNTERS_MAX];
	uint64_t counters[HOST_COUNTERS_MAX];
	uint64_t before[HOST_COUNTERS_MAX];	/* as they were when counting began */
};

struct worker_block {
	/* what each I/O touches lies together, for the sake of the caches */
	_Atomic uint32_t state;		/* enum worker_state */
	_Atomic uint32_t stop;		/* written by the parent: end soon, drain */
	_Atomic uint32_t epoch;		/* goes up when the counters were reset (end of ramp) */
	int32_t pid;			/* of the process, or thread id */
	/* clock_ticks() of the last completion: the last sign of life */
	uint64_t beat_ticks;
	uint64_t depth[DEPTH_BUCKETS];	/* asynchronous engines only */
	uint64_t submit[DEPTH_BUCKETS];
	uint64_t complete[DEPTH_BUCKETS];
	struct stats_batch batch;
	uint64_t counters[HOST_COUNTERS_MAX];	/* the engine's own */
	struct dir_stats dir[DIRS];
	struct lat_stat sync;		/* fsync, fdatasync, sync_file_range */
	uint64_t sync_ios;
	uint64_t sync_slow_floor;
	/* the rest */
	uint64_t seed;			/* of all that is random; known once it is ready */
	struct slow_list slow[DIRS];	/* the slowest I/Os, failed ones too */
	struct slow_list slow_sync;
	int32_t error;			/* positive errno of the first failure, 0 */
	char error_text[WORKER_TEXT_BYTES];	/* job, file, offset, operation, in words */
	uint32_t fatal;			/* that failure ended the job */
	uint64_t errors;		/* I/Os that failed */
	uint32_t lat_is_clat;		/* start and issue are one stamp: lat equals clat */
	uint32_t is_sync;		/* FL_QUEUE_SYNC: no slat, depth always 1 */
	uint64_t start_ns;		/* clock_now_ns() at the start of what is counted */
	uint64_t wall_start_ms;		/* realtime of the same */
	uint64_t start_ms;		/* the same by job_start_clock_id */
	uint64_t end_ns;		/* of the end; 0 while it runs */
	uint64_t bytes_target;		/* how much it means to move in all; 0: time decides */
	uint64_t bytes_all;		/* moved in all, ramp included, for the live line */
	uint64_t passes;		/* over the files */
	_Atomic uint64_t ramp_bytes;	/* moved towards ramp_size, by all of its group */
	uint32_t latency_depth;		/* that latency_target has come to; 0: not asked for */
	uint32_t latency_phase;		/* enum latency_phase */
	uint64_t invalidate_ns;		/* dropping what was cached, before start_ns */
	uint64_t trail_bytes, trail_ns;	/* advice given as the job goes (trail.h) */
	uint64_t check_ns;		/* of the time counted: reading back what was written */
	uint64_t verify_blocks, verify_wrong;	/* checked; of them wrong */
	/* rusage of the counted part, written at its end; the parent has wait4() for the dead */
	uint64_t usr_us, sys_us, ctx, minflt, majflt;
	uint64_t wait_us;		/* ready to run, but no CPU was free */
	/* that storage was asked for, by the kernel's count */
	uint64_t read_bytes, write_bytes;
	uint32_t storage_known;		/* the kernel tells */
	uint32_t usage_known;
	uint32_t buffer_mod64;		/* address of the first I/O buffer modulo 64 */
	/* written by the parent when its logs are: entries, and waits for the writer of them */
	uint64_t log_entries, log_waits, log_wait_ns;
	uint64_t counters_before[HOST_COUNTERS_MAX];	/* as they were when counting began */
	struct lat_stat observed[HOST_HISTOGRAMS_MAX];	/* the engine's own histograms */
	_Atomic uint32_t nr_stacked;
	struct stacked_counters stacked[HOST_STACK_MAX];
	_Atomic uint32_t nr_notes;
	char notes[WORKER_NOTES][WORKER_TEXT_BYTES];
} __attribute__((aligned(64)));

/* lat_add - one sample, ns. */
fl_inline void lat_add(struct lat_stat *l, uint64_t ns)
{
	moments_add(&l->m, ns);
	l->bins[hist_index(ns)]++;
}

/* depth_bucket - which of 1 2 4 8 16 32 >=64 holds this depth: the bucket of d holds d .. 2d-1. */
fl_inline unsigned depth_bucket(unsigned depth)
{
	unsigned log2 = 31 - (unsigned)__builtin_clz(depth | 1);

	return log2 < DEPTH_BUCKETS - 1 ? log2 : DEPTH_BUCKETS - 1;
}

/* batch_bucket - which of 0, 1-4, 5-8, 9-16, 17-32, 33-64, >64 holds this batch. */
fl_inline unsigned batch_bucket(unsigned batch)
{
	unsigned log2 = 32 - (unsigned)__builtin_clz((batch - 1) | 3);	/* 1-4: 2, 5-8: 3 */

	if (!batch)
		return 0;
	return log2 < DEPTH_BUCKETS ? log2 - 1 : DEPTH_BUCKETS - 1;
}

/*
 * stats_sample - one I/O has ended well: into the batch, which has room. Returns whether it is full
 * then. slat and clat in ticks.
 */
fl_inline bool stats_sample(struct worker_block *b, uint32_t dir, uint64_t bytes, uint64_t slat,
			    uint64_t clat)
{
	struct stats_batch *bt = &b->batch;
	uint32_t n = bt->n;

	bt->sample[n] = (struct stats_sample){ slat, clat, bytes, dir };
	bt->dirs |= 1u << dir;
	__atomic_store_n(&bt->n, n + 1, __ATOMIC_RELEASE);
	return unlikely(n + 1 == STATS_BATCH);
}

/*
 * stats_slow - an I/O, of enum fl_op, that took longer than the floor of its direction, or failed:
 * keep it if it is one of the slowest.
 */
void stats_slow(struct worker_block *b, uint32_t op, const struct slow_io *io);

/* stats_count - count the batch and empty it. */
void stats_count(struct worker_block *b);

/*
 * stats_rescue - the same in another process, when the worker has been killed: begin or go on
 * wherever it was.
 */
void stats_rescue(struct worker_block *b);

/*
 * stats_log - log what stats_count() will count: right before it. There must be room for a batch
 * (log_ring_room()), and the batch is a chain. stats_log_begin - the next one begins, it is empty.
 */
void stats_log(const struct worker_block *b, struct log_ring *r);
fl_inline void stats_log_begin(struct worker_block *b, const struct log_ring *r)
{
	b->batch.log_head = atomic_load_explicit(&r->head, memory_order_relaxed);
}

/* stats_log_dead - log what a worker had not logged when it died. By the parent. */
void stats_log_dead(const struct worker_block *b, struct log_ring *r);

/* stats_init - a zeroed block becomes an empty one. Before the worker starts. */
void stats_init(struct worker_block *b);

/* stats_reset - forget all that was counted (end of the ramp). Worker's thread. */
void stats_reset(struct worker_block *b);

/* stats_stacked - a place for the counters of an engine below; NULL: there is none left. */
uint64_t *stats_stacked(struct worker_block *b, const struct engine *e);

/* stats_fail - note the error that ends the job. err: positive errno. Later calls are ignored. */
void stats_fail(struct worker_block *b, int err, const char *fmt, ...) fl_printf(3, 4);

/* stats_error - note the first error that does not end the job. */
void stats_error(struct worker_block *b, int err, const char *fmt, ...) fl_printf(3, 4);

/* stats_note - leave a remark for the result; the same text once, at most WORKER_NOTES. */
void stats_note(struct worker_block *b, const char *fmt, ...) fl_printf(2, 3);

#endif
