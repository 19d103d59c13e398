/* SPDX-License-Identifier: MIT */
/*
 * A worker from its first breath to its last: everything is opened, allocated and touched, then it
 * waits for the start; the loops do the rest; then everything is taken down in reverse. Whatever
 * goes wrong ends in the block.
 */
#include "core/life.h"
#include "core/ask.h"
#include "core/cool.h"
#include "core/debug.h"
#include "core/debug_io.h"
#include "core/flow_gate.h"
#include "core/gate_ramp.h"
#include "core/gates.h"
#include "core/guard.h"
#include "core/loop.h"
#include "core/warm.h"
#include "core/worker_log.h"
#include "core/worker_sync.h"
#include "core/worker_verify.h"
#include "core/zbd_trim.h"
#include "os/futex.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WHY_BYTES	256

static void set_state(struct worker *w, enum worker_state state)
{
	struct run_control *c = w->setup->control;

	atomic_store(&w->b->state, state);
	atomic_fetch_add(&c->events, 1);
	futex_wake(&c->events);
}

static void engine_log(void *ctx, int level, const char *text)
{
	struct worker *w = ctx;

	debug_say(DEBUG_ENGINE, "job %s: %s: %s", w->job->name, w->job->engine->ops.name, text);
	if (level != FL_LOG_DEBUG)
		stats_note(w->b, "%s", text);
}

static void engine_observe(void *ctx, unsigned histogram, uint64_t ns)
{
	struct worker *w = ctx;

	if (histogram < HOST_HISTOGRAMS_MAX)
		lat_add(&w->b->observed[histogram], ns);
}

static uint64_t *engine_below(void *ctx, const struct engine *e)
{
	struct worker *w = ctx;

	return stats_stacked(w->b, e);
}

static void describe_job(const struct worker *w, struct fl_job *fj)
{
	const struct job *job = w->job;
	const struct workload_conf *wl = &job->workload;

	*fj = (struct fl_job){
		.size = sizeof(*fj), .number = w->setup->number, .name = job->name,
		.ops = (wl->rw.bits & RW_DIRS) | 1u << FL_OP_SYNC | 1u << FL_OP_DATASYNC |
		       (job->verify.trim_percentage ? 1u << FL_OP_TRIM : 0),
		.files = w->setup->files->nr, .files_open_max = (uint32_t)w->setup->files_open_max,
		.block_min = workload_block_min(wl), .block_max = workload_block_max(wl),
		.seed = w->seed,
	};
	fj->flags = ask_flags(job);
	fj->advice = files_goes_along(&job->files) ? FL_ADVICE_SEQUENTIAL :
		     files_advice(&job->files, wl->rw.bits & RW_RANDOM);
}

/* randrepeat=0: a seed nobody can guess; else the one of the job. */
static uint64_t choose_seed(const struct workload_conf *c)
{
	struct timespec ts;

	if (c->randrepeat)
		return c->randseed;
	clock_gettime(CLOCK_REALTIME, &ts);
	return rand_mix64((uint64_t)ts.tv_nsec ^ (uint64_t)ts.tv_sec << 30 ^
			  (uint64_t)getpid() << 44);
}

static int fail_setup(struct worker *w, int err, const char *what, const char *why)
{
	stats_fail(w->b, -err, "%s: %s", what, why);
	return err;
}

static int open_queue(struct worker *w, struct fl_job *fj)
{
	const struct host_setup hs = {
		.engine = w->job->engine, .job = fj, .opts = w->job->engine_opts,
		.depth = w->job->depth.slots, .counters = w->b->counters,
		.observe = engine_observe, .below = engine_below, .log = engine_log, .ctx = w,
	};
	char why[HOST_WHY_BYTES];
	int err = host_queue_open(&w->hq, &hs);

	if (err) {
		fail_setup(w, err, w->job->engine->ops.name,
			   host_explain(&w->hq, err, why, sizeof(why)));
		w->hq.q.engine = NULL;	/* what was never open is not to be closed */
		return err;
	}
	w->sync = w->hq.q.flags & FL_QUEUE_SYNC;
	w->b->is_sync = w->sync && !w->job->depth.offload;
	debug_say(DEBUG_ENGINE, "job %s: engine %s (%s): a queue of depth %u is open%s",
		  w->job->name, w->job->engine->ops.name, w->job->engine->origin,
		  w->job->depth.depth, w->sync ? ", synchronous" : "");
	err = guard_begin(&w->hq, &w->job->files, w->setup->files->nr);
	if (err)
		return fail_setup(w, err, "lockfile", "no memory for so many files");
	err = zbd_trim_begin(&w->hq, w->setup->zones);
	if (err)
		return fail_setup(w, err, "zonemode", "no memory");
	debug_io_watch(&w->hq, w->job->name);
	w->prep = w->job->engine->ops.prep;
	w->limited = faults_any_limit(&w->job->faults);
	w->timed = measure_timed(&w->job->measure) || w->limited || w->setup->log ||
		   w->job->latency.target_ns;
	w->b->lat_is_clat = w->b->is_sync && !w->prep;
	w->slots = w->job->depth.slots - (w->sync ? w->job->depth.depth - 1 : 0);
	if (w->sync && w->job->depth.depth > 1)
		stats_note(w->b, "iodepth=%u has no effect: engine %s is synchronous, one I/O is "
			   "in flight at a time", w->job->depth.depth, w->job->engine->ops.name);
	return 0;
}

static int make_slots(struct worker *w)
{
	uint32_t n = w->slots;
	bool overlaps = w->job->depth.serialize || (verify_on(&w->job->verify) &&
						    w->job->verify.overlaps);
	int err = 0;

	w->ios = aligned_alloc(_Alignof(struct io), n * sizeof(*w->ios));
	w->done = calloc(n, sizeof(*w->done));
	w->board = w->setup->board;
	w->board_first = w->board ? w->setup->board_first : 0;
	if (overlaps && n > 1 && !w->board)
		w->board = overlap_new(n, workload_block_max(&w->job->workload), false, &err);
	if (!w->ios || !w->done || err)
		return fail_setup(w, -ENOMEM, "iodepth", "no memory for so many I/Os");
	memset(w->ios, 0, n * sizeof(*w->ios));
	for (uint32_t i = n; i > 0; i--) {
		w->ios[i - 1].req.size = sizeof(struct fl_req);
		w->ios[i - 1].req.slot = i - 1;
		w->ios[i - 1].next = w->free;
		w->free = &w->ios[i - 1];
	}
	return 0;
}

static int make_buffers(struct worker *w)
{
	const struct fl_engine *ops = &w->job->engine->ops;
	const struct buffer_conf *c = &w->job->buffer;
	struct buffers_want want = {
		.bytes = workload_block_max(&w->job->workload), .count = w->slots,
		.content = {
			.unit = sizes_min(&w->job->workload.sizes, 1u << DIR_WRITE),
			.bytes = w->setup->files->bytes,
			.seed = w->seed + w->setup->number, .shared = w->setup->content,
			.number = w->setup->content_number,
		},
	};
	char why[WHY_BYTES] = "";
	int err = 0;

	if (ops->buffers_alloc) {
		err = ops->buffers_alloc(&w->hq.q, buffers_stride(c, want.bytes) * want.count,
					 c->align ? c->align : mem_page_size(), &want.base);
		if (err)
			return fail_setup(w, err, "I/O buffers of the engine",
					  host_explain(&w->hq, err, why, sizeof(why)));
	}
	err = buffers_alloc(&w->buffers, c, &want, why, sizeof(why));
	if (err)
		return fail_setup(w, err, "I/O buffers", why);
	w->fill = (buffers_active(c) || verify_on(&w->job->verify)) &&
		  w->job->workload.rw.bits & RW_WRITE;
	w->b->buffer_mod64 = (uint32_t)((uintptr_t)w->buffers.base % 64);
	w->hq.q.buffers = w->buffers.base;
	w->hq.q.buffer_stride = w->buffers.stride;
	if (ops->buffers_ready)
		err = ops->buffers_ready(&w->hq.q);
	return err ? fail_setup(w, err, "I/O buffers",
				host_explain(&w->hq, err, why, sizeof(why)))
		   : 0;
}

static int make_workload(struct worker *w)
{
	const struct job *job = w->job;
	const struct file_set *set = w->setup->files;
	struct workload_file *files = calloc(set->nr, sizeof(*files));
	uint64_t limit = workload_limit(&job->workload, set->bytes, set->zone_bytes);
	int err;

	if (!files)
		return fail_setup(w, -ENOMEM, "workload", "no memory for so many files");
	for (uint32_t i = 0; i < set->nr; i++) {
		files[i].start = set->plan[i].start;
		files[i].bytes = set->plan[i].bytes;
		files[i].size = set->plan[i].size;
	}
	err = workload_init(&w->wl, &job->workload, files, set->nr, limit, w->seed,
			    w->setup->number);
	if (err)
		return fail_setup(w, err, "workload",
				  err == -ENOMEM ? "no memory for the order of blocks" :
				  "no block fits into any file");
	if (!job->pace.time_based && !job->files.fill)
		w->b->bytes_target = (limit ? limit : w->wl.total_bytes) *
				     (job->workload.loops ? job->workload.loops : 1);
	return 0;
}

/* pre_read */
static int warm(struct worker *w)
{
	char why[HOST_WHY_BYTES] = "";
	int err;

	if (!w->job->files.pre_read)
		return 0;
	if (w->job->engine->ops.caps & (FL_CAP_NO_FILES | FL_CAP_NAMES)) {
		stats_note(w->b, "pre_read has no effect: engine %s has no files that could be "
			   "read", w->job->engine->ops.name);
		return 0;
	}
	err = warm_files(w->setup->files, &w->b->stop, why, sizeof(why));
	return err ? fail_setup(w, err, "opening files", why) : 0;
}

/* invalidate */
static void drop_cached(struct worker *w)
{
	if (w->job->files.invalidate && !w->files.no_files)
		cool_files(&w->files, w->b);
}

static int open_files(struct worker *w)
{
	const struct job *job = w->job;
	char why[HOST_WHY_BYTES];
	int err;

	err = openset_init(&w->files, &w->hq, w->setup->files,
			   (uint32_t)w->setup->files_open_max);
	if (err)
		return fail_setup(w, err, "files", "no memory for so many");
	w->files.identify = w->setup->board;
	w->files.claim = w->setup->claim;
	err = openset_open_all(&w->files);
	if (err)
		return fail_setup(w, err, "opening files",
				  host_explain(&w->hq, err, why, sizeof(why)));
	if (w->files.hint_err)
		stats_note(w->b, "write_hint has no effect: %s", strerror(-w->files.hint_err));
	if (!job->files.pre_read)
		drop_cached(w);
	return warm(w);
}

/* read_iolog */
static int make_replay(struct worker *w)
{
	char why[REPLAYER_TEXT_BYTES];
	int err = worker_replay_make(w, why, sizeof(why));

	return err ? fail_setup(w, err, "read_iolog", why) : 0;
}

static int make_verifier(struct worker *w)
{
	char why[WHY_BYTES] = "";
	int err = worker_verify_make(w, why, sizeof(why));

	return err ? fail_setup(w, err, "verify", why) : 0;
}

/* fadvise_hint=dontneed-behind, willneed-ahead */
static int make_trail(struct worker *w)
{
	if (!files_goes_along(&w->job->files) || w->job->files.direct || w->files.no_files)
		return 0;
	w->trail = trail_new(w->setup->files, w->b);
	return w->trail ? 0 : fail_setup(w, -ENOMEM, "fadvise_hint", "no memory for so many files");
}

/* io_submit_mode=offload */
static int make_generator(struct worker *w, struct gate *gate)
{
	const struct offload_setup setup = {
		.workload = &w->wl, .replay = w->replay, .pace = &w->job->pace,
		.epoch = &w->b->epoch,
		.gate = gate, .depth = w->slots, .timed = w->timed,
	};
	int err = 0;

	if (w->job->depth.offload)
		w->offload = offload_start(&setup, &err);
	if (err)
		gate_free(gate);
	return err ? fail_setup(w, err, "io_submit_mode=offload", strerror(-err)) : 0;
}

/* rate and its like */
static int make_gates(struct worker *w)
{
	struct gate *arrivals = NULL;
	int err = gates_make(w, &arrivals);

	if (!err)
		return make_generator(w, arrivals);
	gate_free(arrivals);
	return fail_setup(w, err, "rates, zones", strerror(-err));
}

static void stop_helpers(struct worker *w)
{
	if (w->offload)
		offload_stop(w->offload, &w->offload_cost);
	w->offload = NULL;
	worker_verify_stop(w);
}

static int build_up(struct worker *w, struct fl_job *fj)
{
	const struct job *job = w->job;
	char why[WHY_BYTES] = "";
	int err;

	w->seed = choose_seed(&job->workload);
	err = worker_verify_load(w, why, sizeof(why));
	if (err)
		return fail_setup(w, err, "verify", why);
	w->b->seed = w->seed;
	describe_job(w, fj);
	err = proc_place(&job->proc, w->setup->clone, why, sizeof(why));
	if (err)
		return fail_setup(w, err, "placing the job", why);
	err = cgroups_enter(&job->cgroups, job->proc.thread, why, sizeof(why));
	if (err)
		return fail_setup(w, err, "entering the control group", why);
	err = proc_become(&job->proc, why, sizeof(why));
	if (err)
		return fail_setup(w, err, "becoming another user", why);
	err = exec_run(&job->exec, EXEC_PRERUN, job->name, &w->b->stop, why, sizeof(why));
	if (err)
		return err == -ECANCELED ? err : fail_setup(w, err, "before the job", why);
	err = open_queue(w, fj);
	if (!err)
		err = make_slots(w);
	if (!err)
		err = make_buffers(w);
	if (!err)
		err = open_files(w);
	if (!err)
		err = job->logs ? make_replay(w) : make_workload(w);
	if (!err)
		err = make_verifier(w);
	if (!err)
		err = make_trail(w);
	if (!err)
		err = make_gates(w);
	if (!err)
		worker_record_make(w);
	pace_think_begin(&job->pace, &w->think);
	return err;
}

static void wait_for_go(struct worker *w)
{
	_Atomic uint32_t *go = &w->setup->control->go;
	uint32_t seen;

	set_state(w, WORKER_READY);
	while ((seen = atomic_load(go)) < w->setup->wave && !atomic_load(&w->b->stop))
		futex_wait(go, seen, FUTEX_FOREVER);
}

static void start_counting(struct worker *w)
{
	uint64_t start_ns = 0;

	clock_read_ns((clockid_t)w->job->clocks.start_clock, &start_ns);
	host_counters(&w->hq);
	usage_take(w->job->proc.thread ? USAGE_THREAD : USAGE_PROCESS, &w->usage_before);
	w->b->start_ms = start_ns / 1000000;
	w->b->wall_start_ms = clock_wall_ms();
	w->b->start_ns = clock_now_ns();
}

/* Has the loop more to do with each I/O than to count it? */
static bool is_watched(const struct worker *w)
{
	return w->limited || w->setup->prios || w->setup->lives || w->trail || w->verify ||
	       w->gated;
}

/* What follows counts, and is logged. */
static void enter_run(struct worker *w)
{
	w->log = w->setup->log;
	if (w->log)
		log_ring_start(w->log, w->b->start_ns, worker_deadline_ns(w));
	w->watched = is_watched(w) || w->log;
	set_state(w, WORKER_RUN);
}

static uint64_t deadline_in(uint64_t ns)
{
	return ns ? clock_ticks() + clock_ns_to_ticks(ns) : UINT64_MAX;
}

static void begin(struct worker *w)
{
	const struct pace_conf *p = &w->job->pace;
	struct rand r;

	rand_seed(&r, w->seed, (3ull << 32) + w->setup->number);
	if (p->start_delay_ns.hi) {
		uint64_t ns = p->start_delay_ns.lo +
			      rand_below(&r, p->start_delay_ns.hi - p->start_delay_ns.lo + 1);

		pace_sleep_until(clock_now_ns() + ns, &w->b->stop);
	}
	start_counting(w);
	w->deadline = deadline_in(p->ramp_ns || p->ramp_bytes ? p->ramp_ns : p->runtime_ns);
	w->watched = is_watched(w);
	worker_record_begin(w);
	if (w->gate)
		gate_begin(w->gate, clock_ticks());
	w->ramping = pace_ramps(p);
	if (w->ramping || latency_searches(&w->job->latency))
		set_state(w, WORKER_RAMP);
	else
		enter_run(w);
}

/* Who waited for nothing but the end of the ramp goes on as one who waits for nothing. */
static void count_anew(struct worker *w)
{
	gate_anew(w->gate, clock_ticks());
	if (w->gate->nr)
		return;
	gate_free(w->gate);
	w->gate = NULL;
	w->steered = false;
	w->gated = w->job->depth.offload;
}

/*
 * The deadline has come: of the ramp or of the search for a depth, then counting begins; or of the
 * job. Returns whether to go on.
 */
static bool time_is_up(struct worker *w)
{
	bool found = w->b->latency_phase == LATENCY_FOUND;

	if (atomic_load(&w->b->state) != WORKER_RAMP || (!w->ramping && !found))
		return false;
	if (w->ramping && w->setup->ramp &&
	    !gate_ramp_reached(&w->job->pace, w->setup->ramp)) {
		if (w->deadline == UINT64_MAX)
			return false;		/* no time has come: a gate ends the job */
		w->deadline = UINT64_MAX;	/* ramp_time is over, ramp_size is not */
		return true;
	}
	start_counting(w);
	stats_reset(w->b);
	if (w->setup->prios)
		prios_reset(w->setup->prios);
	if (w->ramping)
		w->deadline = deadline_in(w->job->pace.runtime_ns);
	if (w->ramping && w->gate)
		count_anew(w);
	w->ramping = false;
	if (found)
		w->b->latency_phase = LATENCY_COUNTS;
	if (found || !latency_searches(&w->job->latency))
		enter_run(w);
	return true;
}

static int reopen_files(struct worker *w)
{
	char why[HOST_WHY_BYTES];
	int err = openset_close_all(&w->files);

	if (!err && w->job->files.unlink_each_loop)
		err = files_unlink(w->setup->files, true);
	if (!err)
		err = openset_open_all(&w->files);
	return err ? fail_setup(w, err, "reopening files",
				host_explain(&w->hq, err, why, sizeof(why)))
		   : 0;
}

/*
 * Has a loop over the files ended, so that what it has written is to be read back? With verify_only
 * the files are as the last loop has left them.
 */
static bool loop_is_over(const struct worker *w, enum loop_end why)
{
	if (why != LOOP_PASS || w->verify->stopped)
		return why == LOOP_TIME || why == LOOP_PASS;
	return !w->job->pace.time_based && workload_loop_over(&w->wl) &&
	       !(w->job->verify.only && w->wl.loops_left);
}

/* Read back what the loop has written, however long it takes: from the medium, not from memory. */
static enum loop_end check_loop(struct worker *w)
{
	uint64_t begun = clock_ticks(), deadline = w->deadline, before = w->b->invalidate_ns;
	struct offload *offload = w->offload;
	enum loop_end why;

	if (!verifier_begin_check(w->verify))
		return LOOP_PASS;
	flow_gate_rest(w, true);
	if (w->has_waiting)
		verifier_put_back(w->verify, &w->waiting.io);
	w->has_waiting = false;	/* what was to be written is not, now */
	worker_sync_files(w, false);
	drop_cached(w);
	w->b->invalidate_ns = before;	/* that of before the clock started */
	w->deadline = UINT64_MAX;
	w->offload = NULL;		/* what is to be read does not arrive, it is there */
	if (w->gate)
		gate_rest(w->gate);
	if (w->log)
		w->log->deadline_ns = UINT64_MAX;
	why = w->sync && !offload ? loop_sync(w) : loop_async(w);
	w->deadline = deadline;
	w->offload = offload;
	verifier_end_check(w->verify);
	flow_gate_rest(w, false);
	w->b->check_ns += clock_ns(clock_ticks() - begun);
	if (w->gate)
		gate_pause(w->gate, clock_ticks() - begun, true);
	if (offload)
		offload_rested(offload, clock_ticks() - begun);
	return why;
}

/* A pass that fits into the queue as a whole is over before its loop has looked at the time. */
static enum loop_end run_pass(struct worker *w)
{
	enum loop_end why = w->sync && !w->offload ? loop_sync(w) : loop_async(w);

	if (why == LOOP_PASS && w->deadline != UINT64_MAX)
		worker_ended(w, clock_ticks(), &why);
	return why;
}

/* Is there another pass to go through? */
static bool begin_pass(struct worker *w)
{
	if (w->replay)
		return replayer_pass(w->replay);
	return workload_next_pass(&w->wl, w->job->pace.time_based);
}

static void all_passes(struct worker *w)
{
	bool reopen = w->job->files.reopen_each_loop || w->job->files.unlink_each_loop;
	enum loop_end why = LOOP_PASS;

	while (why == LOOP_PASS && !atomic_load(&w->b->stop) &&
	       !(w->verify && w->verify->stopped) &&
	       begin_pass(w)) {
		if (reopen && w->b->passes && reopen_files(w))
			break;
		if (w->offload)
			offload_pass(w->offload);
		do
			why = run_pass(w);
		while (why == LOOP_TIME && time_is_up(w));
		if (w->verify && loop_is_over(w, why) && check_loop(w))
			why = LOOP_STOP;
		w->b->passes++;
	}
	stop_helpers(w);
	if (w->replay && w->replay->err)
		fail_setup(w, w->replay->err, "read_iolog", w->replay->why);
}

static void stop_counting(struct worker *w)
{
	struct usage now, d;

	w->b->end_ns = clock_now_ns();
	if (w->log)
		log_ring_end(w->log);
	if (w->setup->issued)
		log_ring_end(w->setup->issued);
	usage_take(w->job->proc.thread ? USAGE_THREAD : USAGE_PROCESS, &now);
	d = usage_since(&w->usage_before, &now);
	if (w->job->proc.thread && w->job->depth.offload)
		usage_add(&d, &w->offload_cost);
	if (w->job->proc.thread && verify_judges(&w->job->verify))
		usage_add(&d, &w->judges_cost);
	w->b->usr_us = d.user_us;
	w->b->sys_us = d.system_us;
	w->b->wait_us = d.wait_us;
	w->b->ctx = usage_switches(&d);
	w->b->minflt = d.faults_minor;
	w->b->majflt = d.faults_major;
	w->b->read_bytes = d.io_read_bytes;
	w->b->write_bytes = d.io_write_bytes;
	w->b->storage_known = d.io_known;
	w->b->usage_known = 1;
	host_counters(&w->hq);
}

/* ran: it was released, and so has something behind it that a command may look at. */
static void last_things(struct worker *w, bool ran)
{
	char why[WHY_BYTES];

	if (ran && exec_run(&w->job->exec, EXEC_POSTRUN, w->job->name, &w->b->stop, why,
			    sizeof(why)))
		stats_note(w->b, "%s", why);
	if (w->job->files.unlink &&
	    !(w->job->engine->ops.caps & (FL_CAP_NO_FILES | FL_CAP_NAMES)))
		files_unlink(w->setup->files, false);
}

static void take_down(struct worker *w)
{
	const struct fl_engine *ops = &w->job->engine->ops;
	char why[HOST_WHY_BYTES];
	int err;

	if (w->in_flight)
		host_abandon(&w->hq);
	err = openset_close_all(&w->files);
	if (err)
		fail_setup(w, err, "closing files", host_explain(&w->hq, err, why, sizeof(why)));
	stop_helpers(w);
	gate_free(w->gate);
	workload_free(&w->wl);
	if (ops->buffers_alloc && w->buffers.base && ops->buffers_free)
		ops->buffers_free(&w->hq.q, w->buffers.base);
	debug_io_unwatch(&w->hq);
	zbd_trim_end(&w->hq);
	guard_end(&w->hq);
	if (w->hq.q.engine)
		host_queue_close(&w->hq);
	if (w->setup->board)
		overlap_clear(w->board, w->board_first, w->slots);
	else
		overlap_free(w->board);
	buffers_free(&w->buffers);	/* only now can no request in flight touch them */
	openset_free(&w->files);
	trail_free(w->trail);
	worker_replay_free(w);
	free(w->ios);
	free(w->done);
	worker_verify_free(w);
}

void life_run(const struct worker_setup *setup)
{
	struct worker w = { .setup = setup, .job = setup->job, .b = setup->block };
	struct fl_job fj;
	bool ran = false;
	int err;

	set_state(&w, WORKER_SETUP);
	err = build_up(&w, &fj);
	if (!err) {
		wait_for_go(&w);
		ran = !atomic_load(&w.b->stop);
		if (ran) {
			begin(&w);
			all_passes(&w);
			flow_gate_rest(&w, true);
			worker_sync_at_end(&w);
			stop_counting(&w);
		}
		set_state(&w, WORKER_FINISH);
	}
	take_down(&w);
	last_things(&w, ran);
	set_state(&w, WORKER_DONE);
}
