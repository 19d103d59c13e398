/* SPDX-License-Identifier: MIT */
/* The writer's thread, and what the main thread has to do with it. */
#define _GNU_SOURCE
#include "core/logs.h"
#include "core/diag.h"
#include "core/log_job.h"
#include "os/cpu.h"
#include "os/file.h"
#include "os/futex.h"
#include "os/mem.h"
#include "os/output.h"
#include "os/sig.h"
#include "os/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IDLE_NS		250000000ull	/* what few entries there are is written after so long */
#define LOOK_NS		100000000	/* how often a wait for the writer looks for signals */
#define OPEN_FEW	32u		/* descriptors; start.c keeps more back for workers */
/* Entries of a ring: what a job makes while the writer gets no CPU for some milliseconds. */
#define ENTRIES_DEFAULT	32768u
#define RINGS_BYTES	(16u << 20)	/* of all rings, as long as that leaves each a few */

/* Bandwidth of all jobs together (--bandwidth-log). */
struct log_total {
	struct log_out out[DIRS];
	uint64_t start_ns, interval_ns, due_ns, last_ns;
	uint64_t (*seen)[DIRS];		/* by job */
	uint32_t *epoch;		/* by job */
};

struct logs {
	struct crew *crew;
	struct log_job *jobs;		/* those that log */
	size_t count;
	struct log_job **by_number;	/* of all jobs of the crew; NULL: it logs nothing */
	struct log_total *total;	/* NULL: not asked for */
	struct log_scratch *scratch;
	struct log_bell *bell;		/* in shared memory, at the beginning of it */
	size_t shared_bytes;
	struct cpus *cpus;		/* where the writer may run; NULL: anywhere */
	pthread_t thread;
	_Atomic uint32_t created;	/* all files are; a futex */
	_Atomic uint32_t quit;
};

/* ---- The bandwidth of all -------------------------------------------------------------------- */

/* What all jobs have moved since the last time, ramps aside. */
static void total_moved(struct logs *l, uint64_t moved[DIRS])
{
	struct log_total *t = l->total;

	memset(moved, 0, DIRS * sizeof(*moved));
	for (size_t i = 0; i < l->crew->count; i++) {
		const struct worker_block *b = l->crew->jobs[i].block;
		uint32_t epoch = atomic_load(&b->epoch);
		bool ramp = atomic_load(&b->state) < WORKER_RUN;

		for (int d = 0; d < DIRS; d++) {
			uint64_t bytes = ramp ? 0 : b->dir[d].bytes;

			moved[d] += bytes - (epoch == t->epoch[i] ? t->seen[i][d] : 0);
			t->seen[i][d] = bytes;
		}
		t->epoch[i] = epoch;
	}
}

static void total_sample(struct logs *l, uint64_t now_ns, uint64_t *due)
{
	struct log_total *t = l->total;
	uint64_t moved[DIRS];
	double seconds;

	if (now_ns >= t->due_ns) {
		seconds = (double)(now_ns - t->last_ns) / 1e9;
		total_moved(l, moved);
		for (uint32_t d = 0; d < DIRS; d++) {
			struct logfmt_line line = {
				.time = (now_ns - t->start_ns) / 1000000, .dir = d,
				.value = (uint64_t)((double)moved[d] / 1024 / seconds + 0.5),
			};
			char *end = logfmt_put(&t->out[d].text, l->scratch->text, &line);

			log_file_write(&l->scratch->files, t->out[d].file, l->scratch->text,
				       (size_t)(end - l->scratch->text));
		}
		t->last_ns = now_ns;
		while (t->due_ns <= now_ns)
			t->due_ns += t->interval_ns;
	}
	*due = fl_min(*due, t->due_ns);
}

static struct log_total *total_new(struct logs *l)
{
	struct log_total *t = calloc(1, sizeof(*t));
	uint64_t ms = UINT64_MAX;

	fl_assert(t);
	t->seen = calloc(l->crew->count, sizeof(*t->seen));
	t->epoch = calloc(l->crew->count, sizeof(*t->epoch));
	fl_assert(t->seen && t->epoch);
	for (size_t i = 0; i < l->crew->count; i++)
		ms = fl_min(ms, l->crew->jobs[i].plan->job->measure.bw_interval_ms);
	t->interval_ns = ms * 1000000;
	t->start_ns = t->last_ns = clock_now_ns();
	t->due_ns = t->start_ns + t->interval_ns;
	return t;
}

static void total_create(struct logs *l)
{
	static const char *const names[DIRS] = {
		"agg-read_bw.log", "agg-write_bw.log", "agg-trim_bw.log",
	};

	for (int d = 0; d < DIRS; d++)
		l->total->out[d].file = log_files_add(&l->scratch->files, names[d], false, 0);
}

static void total_free(struct log_total *t)
{
	if (!t)
		return;
	free(t->seen);
	free(t->epoch);
	free(t);
}

/* ---- The thread ------------------------------------------------------------------------------ */

/*
 * The thread's descriptors are its own, so that a thousand workers do not inherit those of a
 * thousand logs. Where that is forbidden, few are kept open.
 */
static void create_files(struct logs *l)
{
	int64_t limit = file_table_own() ? -1 : file_limit_raise();

	l->scratch->files.open_max = OPEN_FEW;
	if (limit / 2 > OPEN_FEW)
		l->scratch->files.open_max = (unsigned)(limit / 2);
	for (size_t i = 0; i < l->count; i++)
		log_job_create(&l->jobs[i], l->scratch);
	if (l->total)
		total_create(l);
	atomic_store(&l->created, 1);
	futex_wake(&l->created);
}

static void *write_logs(void *arg)
{
	struct logs *l = arg;

	if (l->cpus)
		cpus_apply(l->cpus);	/* one that has gone offline since is no reason to stop */
	create_files(l);
	for (;;) {
		uint32_t seen = atomic_load(&l->bell->rung);
		bool quit = atomic_load(&l->quit), more = false;
		uint64_t now_ns = clock_now_ns(), due = now_ns + IDLE_NS;
		size_t left = 0;

		for (size_t i = 0; i < l->count; i++) {
			if (l->jobs[i].done)
				continue;
			more |= log_job_work(&l->jobs[i], l->scratch, now_ns, &due);
			left += !l->jobs[i].done;
		}
		if (l->total)
			total_sample(l, now_ns, &due);
		if (quit && !left)
			break;
		now_ns = clock_now_ns();
		if (!more && due > now_ns)
			log_bell_wait(l->bell, seen, due - now_ns);
	}
	log_files_close(&l->scratch->files);
	return NULL;
}

static int start_writer(struct logs *l)
{
	int err = thread_start_helper(&l->thread, write_logs, l);

	/* A log that is a pipe waits for its reader; the user may have enough of that. */
	while (!err && !atomic_load(&l->created) && !sig_stops())
		futex_wait(&l->created, 0, LOOK_NS);
	return err;
}

/* ---- Rings ----------------------------------------------------------------------------------- */

static bool needs_ring(const struct crew_job *j)
{
	return log_each(&j->plan->job->log) || log_windows(&j->plan->job->log);
}

/* One for what has ended, one for what is issued. */
static size_t rings_of(const struct crew_job *j)
{
	return needs_ring(j) + (j->plan->job->log.iolog != NULL);
}

/* How many entries the ring of a job has, where so many jobs have one. */
static uint64_t entries_of(const struct crew_job *j, size_t rings)
{
	const struct job *job = j->plan->job;
	uint64_t fair = RINGS_BYTES / sizeof(union log_entry) / rings, want, entries = 1;

	want = job->log.entries ? job->log.entries : fl_min(fair, (uint64_t)ENTRIES_DEFAULT);
	want = fl_max(fl_max(want, 4ull * job->depth.depth), (uint64_t)LOG_ENTRIES_MIN);
	while (2 * entries <= want)
		entries *= 2;
	return entries < 4ull * job->depth.depth || entries < job->log.entries ? 2 * entries :
	       entries;
}

/* One mapping: the bell, then all rings. */
static int make_rings(struct logs *l)
{
	size_t rings = 0, bytes = 4096;
	char *at;
	int err = 0;

	for (size_t i = 0; i < l->crew->count; i++)
		rings += rings_of(&l->crew->jobs[i]);
	for (size_t i = 0; i < l->crew->count; i++) {
		const struct crew_job *j = &l->crew->jobs[i];

		if (rings_of(j))
			bytes += rings_of(j) * log_ring_bytes(entries_of(j, rings));
	}
	l->bell = mem_shared(bytes, &err);
	if (!l->bell)
		return err;
	l->shared_bytes = bytes;
	at = (char *)l->bell + 4096;
	for (size_t i = 0; i < l->crew->count; i++) {
		struct crew_job *j = &l->crew->jobs[i];
		const struct job *job = j->plan->job;
		uint64_t entries;

		if (!rings_of(j))
			continue;
		entries = entries_of(j, rings);
		if (job->log.iolog) {
			j->setup.issued = (struct log_ring *)at;
			log_ring_init(j->setup.issued, l->bell, entries, job->depth.depth, 0);
			at += log_ring_bytes(entries);
		}
		if (!needs_ring(j))
			continue;
		j->setup.log = (struct log_ring *)at;
		log_ring_init(j->setup.log, l->bell, entries, job->depth.depth,
			      job->log.window_ms * 1000000);
		j->setup.log->prio = proc_ioprio(&job->proc);
		at += log_ring_bytes(entries);
	}
	return 0;
}

/* ---- For the main thread --------------------------------------------------------------------- */

/* The CPUs of all jobs that name some: there is one writer. */
static void choose_cpus(struct logs *l)
{
	for (size_t i = 0; i < l->count; i++) {
		const struct cpus *c = l->jobs[i].conf->cpus;

		if (!c)
			continue;
		if (!l->cpus)
			l->cpus = calloc(1, sizeof(*l->cpus));
		for (unsigned cpu = 0; l->cpus && cpu < CPUS_MAX; cpu++)
			if (cpus_has(c, cpu))
				cpus_add(l->cpus, cpu);
	}
}

static void make_jobs(struct logs *l)
{
	for (size_t i = 0; i < l->crew->count; i++) {
		if (!log_any(&l->crew->jobs[i].plan->job->log))
			continue;
		l->by_number[i] = &l->jobs[l->count++];
		log_job_init(l->by_number[i], l->crew, &l->crew->jobs[i]);
	}
	choose_cpus(l);
}

static void free_logs(struct logs *l)
{
	for (size_t i = 0; i < l->count; i++)
		log_job_free(&l->jobs[i]);
	total_free(l->total);
	if (l->scratch)
		log_files_free(&l->scratch->files);
	free(l->scratch);
	free(l->jobs);
	free(l->by_number);
	free(l->cpus);
	if (l->bell)
		mem_shared_free(l->bell, l->shared_bytes);
	free(l);
}

int logs_start(struct logs **logs, struct crew *crew, bool bandwidth, char *why, size_t why_bytes)
{
	struct logs *l;
	size_t n = 0;
	int err;

	*logs = NULL;
	for (size_t i = 0; i < crew->count; i++)
		n += log_any(&crew->jobs[i].plan->job->log);
	if (!n && !bandwidth)
		return 0;
	l = calloc(1, sizeof(*l));
	fl_assert(l);
	l->crew = crew;
	l->jobs = calloc(n + 1, sizeof(*l->jobs));
	l->by_number = calloc(crew->count, sizeof(*l->by_number));
	l->scratch = calloc(1, sizeof(*l->scratch));
	err = l->jobs && l->by_number && l->scratch ? make_rings(l) : -ENOMEM;
	if (!err) {
		make_jobs(l);
		if (bandwidth)
			l->total = total_new(l);
		err = start_writer(l);
	}
	if (err) {
		snprintf(why, why_bytes, "the writer of the logs could not be started: %s",
			 strerror(-err));
		free_logs(l);
		return err;
	}
	*logs = l;
	return 0;
}

void logs_look(struct logs *l)
{
	if (l)
		log_bell_ring(l->bell);
}

void logs_ended(struct logs *l, const struct crew_job *j)
{
	struct log_job *lj = l ? l->by_number[j - l->crew->jobs] : NULL;

	if (!lj)
		return;
	atomic_store(&lj->ended, 1);
	log_bell_ring(l->bell);
}

void logs_tell(struct logs *l)
{
	if (!l || !atomic_load(&l->created))
		return;
	for (size_t i = 0; i < l->scratch->files.count; i++) {
		struct log_file *f = l->scratch->files.list[i];
		int err = atomic_load(&f->error);

		if (!err || f->told)
			continue;
		f->told = true;
		diag_say(stderr, "fio-like: log %s: %s; %s", f->path, output_error(-err),
			 f->bytes ? "what comes is not in it" : "it is not written");
	}
}

/* What became of a job's logs, into its block: the worker has ended. */
static void account(struct log_job *j)
{
	struct worker_block *b = j->crew->block;
	const struct log_ring *r = j->ring;

	for (int k = 0; k < LOG_KINDS; k++) {
		const struct log_file *f = j->out[k].file;

		if (f && f->error)
			stats_note(b, "log %s is incomplete: %s", f->path,
				   output_error(-f->error));
	}
	log_iolog_account(&j->iolog, b);
	if (!r)
		return;
	b->log_entries = atomic_load(&r->head);
	b->log_waits = r->waits;
	b->log_wait_ns = r->wait_ns;
	if (r->waits)
		stats_note(b, "the logs could not be written as fast as I/Os ended: %llu times "
			   "the job waited before the next one, %llu ms in all, which no latency "
			   "contains", (unsigned long long)r->waits,
			   (unsigned long long)(r->wait_ns / 1000000));
}

/* Returns false when the user does not want to wait any longer. */
static bool join(struct logs *l)
{
	struct timespec until;

	atomic_store(&l->quit, 1);
	log_bell_ring(l->bell);
	for (;;) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += LOOK_NS;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		if (!pthread_timedjoin_np(l->thread, NULL, &until))
			return true;
		if (sig_stops() > 1)
			return false;
	}
}

bool logs_finish(struct logs *l)
{
	bool incomplete = false;

	if (!l)
		return false;
	if (!join(l)) {
		/* It still works with all of this; the process ends soon. */
		diag_say(stderr, "fio-like: the logs are not complete: writing them was broken "
			 "off");
		return true;
	}
	logs_tell(l);
	for (size_t i = 0; i < l->count; i++)
		account(&l->jobs[i]);
	for (size_t i = 0; i < l->scratch->files.count; i++)
		incomplete |= l->scratch->files.list[i]->error;
	free_logs(l);
	return incomplete;
}
