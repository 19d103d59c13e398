/* SPDX-License-Identifier: MIT */
/*
 * One worker: a queue, its files, its buffers, its workload, and the block it counts into. life.c
 * builds it up and takes it down; the loops (loop.h) do its I/O.
 */
#ifndef CORE_WORKER_H
#define CORE_WORKER_H

#include "core/frontier.h"
#include "core/gate.h"
#include "core/job.h"
#include "core/lifetimes.h"
#include "core/log_ring.h"
#include "core/offload.h"
#include "core/openset.h"
#include "core/overlap.h"
#include "core/prios.h"
#include "core/recorder.h"
#include "core/replayer.h"
#include "core/stats.h"
#include "core/trail.h"
#include "core/verifier.h"
#include "os/clock.h"
#include "os/usage.h"

#include <errno.h>

/* What parent and workers share besides the blocks. */
struct run_control {
	_Atomic uint32_t go;		/* number of the last wave that may start; a futex */
	_Atomic uint32_t events;	/* goes up with each change of a worker's state; a futex */
};

/* What a worker is told. All pointers outlive it. */
struct worker_setup {
	const struct job *job;
	const struct file_set *files;
	struct worker_block *block;
	struct run_control *control;
	struct overlap *board;		/* of serialize_overlap across jobs, or NULL */
	struct flow_member *flow;	/* its place in its flow, or NULL */
	_Atomic uint64_t *ramp;		/* bytes moved towards ramp_size, by its group; or NULL */
	uint32_t board_first;		/* the job's own slots on it begin here */
	struct prios *prios;		/* latencies by priority; or NULL */
	struct lifetimes *lives;	/* of blocks; or NULL */
	struct log_ring *log;		/* where it logs its I/Os, or NULL */
	struct log_ring *issued;	/* ... and what it issues (write_iolog), or NULL */
	struct frontier *frontier;	/* of a job that verifies what it writes, or NULL */
	struct zbd_share *zones;	/* of a job with zonemode=zbd, or NULL */
	const char *aux_path;		/* --aux-path, or NULL */
	struct content_shared *content;	/* of dedupe_global; or NULL */
	uint32_t content_number;	/* of the job among its sources */
	uint32_t wave;			/* starts when control->go reaches it */
	uint32_t number;		/* of the job in the whole run, from 0 */
	uint32_t clone;			/* among those of its section */
	uint64_t files_open_max;	/* what the descriptor limit leaves for this worker */
	bool claim;			/* block devices are opened exclusively (core/claim.h) */
};

/* One slot of the queue: three cache lines, of which the last two belong to the loop. */
struct io {
	struct fl_req req;		/* first: a request of ours is an io */
	uint64_t start, issue;		/* clock_ticks() */
	uint64_t want;			/* bytes of the whole I/O */
	uint64_t moved;			/* of them, by earlier short answers */
	uint32_t depth;			/* in flight when it was handed over, itself included */
	bool verify;			/* what is read is to be checked */
	uint64_t promises;		/* fsync: what it promises, see frontier_candidate() */
	uint64_t intended;		/* clock_ticks(): when a schedule wanted it; 0: none did */
	struct io *next;		/* free list; commit order */
} __attribute__((aligned(64)));

/* Who says what comes next. */
enum worker_source { SOURCE_WORKLOAD, SOURCE_VERIFIER, SOURCE_REPLAY };

/* Why a loop came back. */
enum loop_end {
	LOOP_PASS,			/* the pass is over */
	LOOP_TIME,			/* the deadline has come */
	LOOP_STOP,			/* stopped from outside */
	LOOP_FAILED,			/* stats_fail() has been called */
};

struct verify_threads;

struct worker {
	/* what each I/O needs lies together, for the sake of the caches */
	struct host_queue hq __attribute__((aligned(64)));
	struct worker_block *b;
	struct io *ios;			/* one per slot */
	struct io *free;		/* asynchronous: slots not in flight */
	struct fl_req **done;		/* room for depth pointers */
	uint64_t deadline;		/* clock_ticks(); UINT64_MAX: none */
	uint32_t in_flight;
	uint32_t slots;			/* how many ios there are */
	bool fill;			/* worker_fill() before each write */
	bool prep;			/* the engine has a prep hook */
	bool timed;			/* latencies are wanted */
	bool ramping;			/* ramp_time, ramp_size: not over */
	bool limited;			/* max_latency is set for some direction */
	struct log_ring *log;		/* NULL: nothing is logged, or not yet */
	bool watched;			/* the loop has more to do with an I/O that has ended */
	bool sync;			/* the engine finishes each request in queue() */
	struct overlap *board;		/* serialize_overlap, where there can be any; or NULL */
	uint32_t board_first;		/* our slots on it begin here */
	uint32_t source;		/* enum worker_source */
	struct verifier *verify;	/* NULL: nothing is verified */
	struct verify_threads *judges;	/* verify_async; or NULL */
	struct replayer *replay;	/* NULL: no log is replayed */
	struct trail *trail;		/* advice as it goes; NULL: none */
	struct gate *gate;		/* what I/Os wait for before they start; NULL: nothing */
	bool gated;			/* there is one, here or in the generator of arrivals */
	bool steered;			/* which direction comes next is up to the gate */
	struct openset files;
	struct buffers buffers;
	struct workload wl;
	/* the rest */
	struct vstate state;		/* verify_state_load */
	const struct worker_setup *setup;
	const struct job *job;
	uint64_t seed;
	struct pace_think think;	/* when the next pause is due */
	struct offload *offload;	/* the generator of arrivals, or NULL */
	struct usage offload_cost;	/* of its thread */
	struct usage judges_cost;	/* of their threads */
	/* chosen, but it overlaps what is in flight, or the gate is shut ... */
	struct arrival waiting;
	bool has_waiting;		/* ... it comes first, after the end of a ramp too */
	struct usage usage_before;
	struct recorder_files record;	/* of setup->issued */
};

/* worker_op_name - an operation in a word, "read"; never NULL. */
const char *worker_op_name(uint32_t op);

/*
 * worker_io_error - note the failure of one I/O in the block: file, operation, offset, reason. err:
 * -errno. Returns whether the job ends with it. The full device of fill_device is an end, but no
 * failure.
 */
bool worker_io_error(struct worker *w, const struct fl_req *req, uint64_t done, int err);
/* worker_open_error - note that a file could not be opened, and the job ends. */
void worker_open_error(struct worker *w, const struct fl_req *req, int err);
/*
 * worker_slow - one of the slowest I/Os has ended (now: the clock_ticks() of it), or one that
 * failed with this positive errno, of however long.
 */
void worker_slow(struct worker *w, const struct io *io, uint64_t now, int err)
	__attribute__((noinline, cold));
/* worker_too_slow - max_latency: this I/O took ns, and the job ends with it. */
void worker_too_slow(struct worker *w, const struct io *io, uint64_t ns);
/*
 * worker_broken - the engine broke a rule of engine.h, and the job ends with that sentence. Returns
 * -EPROTO.
 */
int worker_broken(struct worker *w, const char *fmt, ...) fl_printf(2, 3);
/*
 * worker_check - judge what a read brought that ended well and is to be verified. Returns whether
 * the job ends with it.
 */
bool worker_check(struct worker *w, const struct io *io);
/*
 * verify_async, where w->judges is set. worker_give - have it judged by another thread, which has
 * the slot and its buffer until worker_take() returns it. worker_take - a slot whose read has been
 * judged; *ends is set to true if the job ends with it. NULL: there is none yet, or, with wait,
 * none is being judged.
 */
void worker_give(struct worker *w, const struct io *io);
struct io *worker_take(struct worker *w, bool wait, bool *ends);
/* worker_back_verified - worker_back() of a job that verifies, for what changes or syncs a file. */
void worker_back_verified(struct worker *w, const struct io *io, int err);
/* worker_queue_error - note that the queue itself has failed, with all that was in flight. */
void worker_queue_error(struct worker *w, int err);

/* worker_log - an I/O that went well, completed at `end`, goes to the log that w->log is. */
void worker_log(struct worker *w, const struct io *io, uint64_t end);

/* worker_log_wait - sleep until the log has room for another I/O or the job is to stop. */
void worker_log_wait(struct worker *w);

/*
 * worker_load - put what workload_next() chose into a request. Returns 0; -EBUSY if its file could
 * not be opened because all that are open have I/O in flight; or another -errno, noted already.
 */
fl_inline int worker_load(struct worker *w, struct io *io, const struct workload_io *next)
{
	int err = 0;

	io->req.op = next->op;
	io->req.offset = next->offset;
	io->req.len = next->len;
	if (unlikely(next->op == FL_OP_SYNC_RANGE))
		io->req.arg = next->arg;
	io->req.file = openset_get(&w->files, next->file, &err);
	io->want = next->len;
	io->moved = 0;
	io->verify = w->verify && next->verify;
	if (unlikely(w->verify != NULL) && next->op >= DIRS)
		io->promises = verifier_sync(w->verify, next->file);
	if (likely(io->req.file))
		return 0;
	io->req.file = &w->files.files[next->file].f;
	if (err != -EBUSY || !w->in_flight)
		worker_open_error(w, &io->req, err);
	return err;
}

/* worker_next_other - worker_next() where it is not up to the workload alone. */
bool worker_next_other(struct worker *w, struct workload_io *next);

/* worker_next - what comes next: the workload's choice, a check of the verifier's, or the log's. */
fl_inline bool worker_next(struct worker *w, struct workload_io *next)
{
	if (unlikely(w->source != SOURCE_WORKLOAD))
		return worker_next_other(w, next);
	return workload_next(&w->wl, next);
}

/* worker_choose - the same, after a gate has said what to choose from. */
fl_inline bool worker_choose(struct worker *w, struct workload_io *next)
{
	if (unlikely(w->steered))
		w->wl.dirs_open = gate_steer(w->gate, RW_READ | RW_WRITE);
	return worker_next(w, next);
}

/*
 * worker_fill - the buffer of a write becomes what is to be written; whoever verifies knows of a
 * trim. Only where w->fill is set.
 */
fl_inline void worker_fill(struct worker *w, void *buf, uint32_t slot,
			   const struct workload_io *next)
{
	if (w->verify)
		verifier_fill(w->verify, buf, next, slot);
	else if (next->op == FL_OP_WRITE)
		buffers_prepare(&w->buffers, buf, next->len, next->offset);
}

/* worker_back - an I/O is back, with this error or 0: what a verifier has to know of it. */
fl_inline void worker_back(struct worker *w, const struct io *io, int err)
{
	if (unlikely(w->verify != NULL) && io->req.op != FL_OP_READ)
		worker_back_verified(w, io, err);
}

/* worker_deadline_ns - the deadline as clock_now_ns() counts; UINT64_MAX: none. */
fl_inline uint64_t worker_deadline_ns(const struct worker *w)
{
	return w->deadline == UINT64_MAX ? UINT64_MAX : clock_ns_at(w->deadline);
}

/* worker_ended - has the time come, or has the parent said stop? now: the clock_ticks() at hand. */
fl_inline bool worker_ended(const struct worker *w, uint64_t now, enum loop_end *why)
{
	if (unlikely(now >= w->deadline)) {
		*why = LOOP_TIME;
		return true;
	}
	if (unlikely(atomic_load_explicit(&w->b->stop, memory_order_relaxed))) {
		*why = LOOP_STOP;
		return true;
	}
	return false;
}

/* worker_gate_end - the gate has said GATE_END: how the loop ends. */
fl_inline enum loop_end worker_gate_end(const struct worker *w)
{
	if (w->b->fatal)
		return LOOP_FAILED;
	return atomic_load(&w->b->stop) ? LOOP_STOP : LOOP_TIME;
}

/*
 * worker_gate_done - an I/O is back, at `now`: the gate hears of it, and latency from the intended
 * start is counted.
 */
void worker_gate_done(struct worker *w, const struct io *io, uint64_t now, int err);

/*
 * worker_short - a request came back with res bytes, fewer than asked. Returns true when the rest
 * must be queued again (the request is set up for it), false when the I/O is over; *err then is 0
 * or -errno.
 */
bool worker_short(struct worker *w, struct io *io, int *err);

#endif
