/* SPDX-License-Identifier: MIT */
/* The supervisor: forks, waits, samples, stops. Starting a worker is in start.c. */
#include "core/run.h"
#include "core/debug.h"
#include "core/logs.h"
#include "core/start.h"
#include "os/futex.h"
#include "os/sig.h"
#include "os/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define LOOK_NS		100000000ull	/* a death without a word is noticed after at most this */
#define SETUP_GRACE_NS	2000000000ull	/* a stopped worker without any I/O yet has this long */
#define DRAIN_GRACE_NS	60000000000ull	/* one that waits for its I/O: after one signal ... */
#define HASTE_NS	2000000000ull	/* ... and so long after a second */
#define TELL_NS		5000000000ull	/* then it is told on stderr what is being waited for */
#define DYING_NS	5000000000ull	/* a killed one that is still there waits in the kernel */

/* When the user asked for the end, and whether we have said what it waits for. */
struct stopping {
	uint64_t first_ns, second_ns;	/* clock_now_ns(); 0: not yet */
	bool told;
};

static enum worker_state state_of(const struct crew_job *j)
{
	return atomic_load(&j->block->state);
}

static void mark_ended(struct crew *crew, struct crew_job *j)
{
	if (j->ended)
		return;
	j->ended = true;
	j->seen_end_ns = clock_now_ns();
	logs_ended(crew->logs, j);
	debug_say(DEBUG_PROCESS, "job %s: clone %u has ended", j->plan->job->name, j->plan->clone);
}

/* Nothing more comes from the worker, nor does it hold what others wait for. */
static void forget(struct crew *crew, struct crew_job *j)
{
	zbd_share_forget(j->setup.zones);
	if (j->setup.board)
		overlap_clear(j->setup.board, j->setup.board_first, j->plan->job->depth.slots);
	mark_ended(crew, j);
}

/* What a worker had measured that did not finish; why: "the worker ..." */
static void rescue(struct crew_job *j, const char *why)
{
	if (j->setup.log && state_of(j) >= WORKER_RUN)
		stats_log_dead(j->block, j->setup.log);
	stats_rescue(j->block);
	stats_fail(j->block, EOWNERDEAD, "the worker %s before it had finished; what it had "
		   "measured until then is reported", why);
}

/* The process of this job has gone; was its block final? */
static void bury(struct crew *crew, struct crew_job *j, int status, const struct rusage *ru)
{
	char text[96] = "was ";
	size_t was = WIFSIGNALED(status) ? strlen(text) : 0;

	status_text(status, text + was, sizeof(text) - was);
	if (state_of(j) != WORKER_DONE) {
		j->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		rescue(j, text);
		if (!j->block->usage_known && !j->plan->job->proc.thread) {
			j->usr_us = (uint64_t)ru->ru_utime.tv_sec * 1000000 +
				    (uint64_t)ru->ru_utime.tv_usec;
			j->sys_us = (uint64_t)ru->ru_stime.tv_sec * 1000000 +
				    (uint64_t)ru->ru_stime.tv_usec;
			j->ctx = (uint64_t)(ru->ru_nvcsw + ru->ru_nivcsw);
			j->minflt = (uint64_t)ru->ru_minflt;
			j->majflt = (uint64_t)ru->ru_majflt;
		}
	}
	debug_say(DEBUG_PROCESS, "job %s: process %d %s", j->plan->job->name, j->pid, text);
	forget(crew, j);
}

/*
 * A process that waits in the kernel for a device cannot be killed before the device answers, which
 * may be never. The signal stays with it; the run ends without it.
 */
static void give_up(struct crew *crew, struct crew_job *j)
{
	if (state_of(j) != WORKER_DONE)
		rescue(j, "had to be left in the kernel, where it waits for its device,");
	j->pid = 0;
	forget(crew, j);
}

/* Whom does this job's end end, by exit_what? */
static bool ends_with(const struct crew_job *ended, const struct crew_job *other)
{
	switch (ended->plan->job->proc.exit_what) {
	case PROC_EXIT_ALL:
		return true;
	case PROC_EXIT_STONEWALL:
		return other->started;
	default:
		return other->plan->group == ended->plan->group;
	}
}

/* exitall, exitall_on_error: the end of one job is the end of others. */
static void end_others(struct crew *crew, const struct crew_job *ended)
{
	const struct proc_conf *p = &ended->plan->job->proc;

	if (!crew->exitall && !(p->exitall_on_error && ended->block->fatal))
		return;
	for (size_t i = 0; i < crew->count; i++) {
		struct crew_job *j = &crew->jobs[i];

		if (j->ended || !ends_with(ended, j))
			continue;
		atomic_store(&j->block->stop, 1);
		if (!j->started) {
			j->started = true;
			mark_ended(crew, j);
		}
	}
}

/*
 * A worker that is to stop may sleep in a system call, or fall asleep in the next: wake it every
 * time.
 */
static void wake_stopping(const struct crew *crew)
{
	for (size_t i = 0; i < crew->count; i++) {
		const struct crew_job *j = &crew->jobs[i];

		if (crew_running(j) && atomic_load(&j->block->stop) &&
		    state_of(j) >= WORKER_SETUP)	/* before, the signal would kill it */
			sig_wake(j->pid, j->block->pid ? j->block->pid : j->pid);
	}
}

/* A worker that died, or never ran, has been measured as far as it goes. */
static void tell_measured(struct crew *crew, const struct run_watch *watch)
{
	for (size_t i = 0; i < crew->count; i++) {
		struct crew_job *j = &crew->jobs[i];

		if (!j->setup.wave || j->measured || (!j->ended && state_of(j) < WORKER_FINISH))
			continue;
		j->measured = true;
		if (watch->job_measured)
			watch->job_measured(watch->ctx, i);
	}
}

static void reap_children(struct crew *crew, const struct run_watch *watch)
{
	struct rusage ru;
	int status, pid;

	while ((pid = wait4(-1, &status, WNOHANG, &ru)) > 0)
		for (size_t i = 0; i < crew->count; i++)
			if (crew->jobs[i].pid == pid && crew->jobs[i].started)
				bury(crew, &crew->jobs[i], status, &ru);
	for (size_t i = 0; i < crew->count; i++)
		if (crew_running(&crew->jobs[i]) && state_of(&crew->jobs[i]) == WORKER_DONE)
			mark_ended(crew, &crew->jobs[i]);
	tell_measured(crew, watch);
	for (size_t i = 0; i < crew->count; i++) {
		struct crew_job *j = &crew->jobs[i];

		if (j->ended && j->setup.wave && !j->told) {
			j->told = true;
			if (watch->job_ended)
				watch->job_ended(watch->ctx, i);
			end_others(crew, j);
		}
	}
}

static bool all_ended(const struct crew *crew, size_t before)
{
	for (size_t i = 0; i < before; i++)
		if (!crew->jobs[i].ended)
			return false;
	return true;
}

/* Has every clone of the job that this one waits for ended? */
static bool wait_is_over(const struct crew *crew, const struct crew_job *j)
{
	const char *name = j->plan->job->proc.wait_for;

	for (size_t i = 0; name && i < crew->count; i++)
		if (!crew->jobs[i].ended && !strcmp(crew->jobs[i].plan->job->name, name))
			return false;
	return true;
}

/*
 * Jobs that end where others begin: their files could not be made, or were all that was wanted; or
 * they were told to stop before their time came.
 */
static bool has_nothing_to_do(struct crew_job *j)
{
	if (j->plan->failed)
		stats_fail(j->block, j->plan->failed, "%s", j->plan->failed_why ?
			   j->plan->failed_why : "its files could not be made");
	return j->plan->failed || j->plan->job->files.create_only || atomic_load(&j->block->stop);
}

/* Start every job whose time has come, as one wave. */
static void start_due(struct crew *crew, const struct run_watch *watch)
{
	const struct start_entry entry = { watch->enter, watch->ctx };
	bool any = false;

	for (size_t i = 0; i < crew->count; i++) {
		struct crew_job *j = &crew->jobs[i];

		if (j->started)
			continue;
		if (j->plan->stonewall && !all_ended(crew, i))
			break;
		if (j->plan->job->proc.wait_for && !wait_is_over(crew, j))
			continue;
		j->started = true;
		if (has_nothing_to_do(j)) {
			mark_ended(crew, j);
			continue;
		}
		j->setup.wave = crew->waves + 1;
		if (watch->job_begins)
			watch->job_begins(watch->ctx, i);
		any = true;
	}
	if (any)
		start_wave(crew, ++crew->waves, &entry);
}

/* Those of the wave that may not go are stopped before they have begun. */
static void hold_back(struct crew *crew, const struct run_watch *watch)
{
	char why[WORKER_TEXT_BYTES];

	for (size_t i = 0; watch->may_go && i < crew->count; i++) {
		struct crew_job *j = &crew->jobs[i];
		int err;

		if (!crew_running(j) || j->setup.wave != crew->waves ||
		    state_of(j) != WORKER_READY)
			continue;
		why[0] = '\0';
		err = watch->may_go(watch->ctx, i, why, sizeof(why));
		if (!err)
			continue;
		stats_fail(j->block, -err, "%s", why[0] ? why : strerror(-err));
		atomic_store(&j->block->stop, 1);
	}
}

/* Let the wave go when all of it has set up, or failed to. */
static void release_wave(struct crew *crew, const struct run_watch *watch)
{
	uint32_t go = atomic_load(&crew->control->go);

	if (go == crew->waves)
		return;
	for (size_t i = 0; i < crew->count; i++) {
		const struct crew_job *j = &crew->jobs[i];

		if (crew_running(j) && j->setup.wave == crew->waves && state_of(j) < WORKER_READY)
			return;
	}
	hold_back(crew, watch);
	debug_say(DEBUG_PROCESS, "wave %u has set up and goes", crew->waves);
	atomic_store(&crew->control->go, crew->waves);
	futex_wake(&crew->control->go);
}

static void sample(struct crew *crew, uint64_t now, uint64_t *next)
{
	for (size_t i = 0; i < crew->count; i++) {
		struct crew_job *j = &crew->jobs[i];
		uint64_t due;

		if (!crew_running(j) || state_of(j) != WORKER_RUN ||
		    j->plan->job->measure.disable_bw)
			continue;
		due = rates_look(&j->rates, j->block, now);
		*next = fl_min(*next, due);
	}
}

/* What a stopped run still waits for, once, for the person who waits with it. */
static void tell_waiting(const struct crew *crew)
{
	size_t n = 0;
	const struct crew_job *first = NULL;

	for (size_t i = 0; i < crew->count; i++) {
		if (!crew_running(&crew->jobs[i]))
			continue;
		first = first ? first : &crew->jobs[i];
		n++;
	}
	if (first)
		diag_say(stderr, "fio-like: still waiting for the I/O of job %s%s; another signal "
			 "ends it at once", first->plan->job->name, n > 1 ? " and others" : "");
}

/* Workers that do not leave in time are killed; what they have measured is in memory of ours. */
static void kill_late(struct crew *crew, struct stopping *st, int how_often, uint64_t now)
{
	uint64_t grace = how_often > 1 ? HASTE_NS : DRAIN_GRACE_NS;
	uint64_t since = how_often > 1 ? st->second_ns : st->first_ns;

	for (size_t i = 0; i < crew->count; i++) {
		struct crew_job *j = &crew->jobs[i];
		bool setup = state_of(j) < WORKER_RAMP;

		if (!crew_running(j) || now < since + (setup ? SETUP_GRACE_NS : grace))
			continue;
		start_kill(j);
		if (!j->killed_ns)
			j->killed_ns = now;
		else if (now >= j->killed_ns + DYING_NS)
			give_up(crew, j);
	}
	if (!st->told && how_often == 1 && now >= st->first_ns + TELL_NS) {
		st->told = true;
		tell_waiting(crew);
	}
}

/*
 * The user wants it to end: once, nothing new starts and workers drain; twice, they are killed
 * soon.
 */
static void stop_all(struct crew *crew, struct stopping *st, int how_often, uint64_t now)
{
	crew->stopped_by = sig_stop_signal();
	if (!st->first_ns)
		st->first_ns = now;
	if (how_often > 1 && !st->second_ns)
		st->second_ns = now;
	for (size_t i = 0; i < crew->count; i++) {
		struct crew_job *j = &crew->jobs[i];

		atomic_store(&j->block->stop, how_often > 1 ? 2 : 1);
		if (!j->started) {
			j->started = true;
			mark_ended(crew, j);
		}
	}
	futex_wake(&crew->control->go);
	kill_late(crew, st, how_often, now);
}

/* When the caller's turn comes next, clock_now_ns(). */
struct due {
	uint64_t tick, period, status;
};

/* Is it time? Then the next time follows so much later, however late it has become. */
static bool is_due(uint64_t *due, uint64_t every_ns, uint64_t now)
{
	if (!every_ns || now < *due)
		return false;
	*due += every_ns * ((now - *due) / every_ns + 1);
	return true;
}

static void notify(struct crew *crew, const struct run_watch *w, struct due *due, uint64_t now,
		   uint64_t *next)
{
	bool asked = (w->status || w->period) && sig_report_take();

	if (w->look)
		w->look(w->ctx, now);
	if (w->tick && is_due(&due->tick, w->tick_ns, now))
		w->tick(w->ctx, crew, now);
	if (w->period && (is_due(&due->period, w->period_ns, now) || asked))
		w->period(w->ctx, crew, now);
	if (w->status && (is_due(&due->status, w->status_ns, now) || asked))
		w->status(w->ctx, crew);
	if (w->tick && w->tick_ns)
		*next = fl_min(*next, due->tick);
	if (w->period_ns)
		*next = fl_min(*next, due->period);
	if (w->status_ns)
		*next = fl_min(*next, due->status);
}

void run_all(struct crew *crew, const struct run_watch *watch)
{
	uint64_t now = clock_now_ns();
	struct stopping stopping = { 0 };
	struct due due = { now + watch->tick_ns, now + watch->period_ns, now + watch->status_ns };
	uint32_t news = 0;

	crew->start_ns = now;
	while (!all_ended(crew, crew->count)) {
		uint32_t seen = atomic_load(&crew->control->events);
		uint64_t next;

		if (seen != news)
			logs_look(crew->logs);
		news = seen;
		if (!sig_stops())
			start_due(crew, watch);
		reap_children(crew, watch);
		release_wave(crew, watch);
		now = clock_now_ns();
		next = now + LOOK_NS;
		sample(crew, now, &next);
		notify(crew, watch, &due, now, &next);
		logs_tell(crew->logs);
		if (sig_stops())
			stop_all(crew, &stopping, sig_stops(), now);
		wake_stopping(crew);
		if (next > now && !all_ended(crew, crew->count))
			futex_wait(&crew->control->events, seen, next - now);
	}
	start_wait_all(crew);
}
