/* SPDX-License-Identifier: MIT */
/*
 * Forking workers, always from the main thread: a parent-death signal follows the forking thread.
 */
#define _GNU_SOURCE
#include "core/start.h"
#include "core/claim.h"
#include "core/debug.h"
#include "core/crew.h"
#include "core/life.h"
#include "os/cpu.h"
#include "os/mapguard.h"
#include "os/sig.h"
#include "os/sys.h"
#include "os/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* descriptors kept back: engine rings, logs, the C library */
#define FILES_RESERVED		64u

static void fill_setup(struct crew *crew, struct crew_job *j, uint64_t files_max)
{
	j->setup.job = j->plan->job;
	j->setup.files = &j->plan->files;
	j->setup.block = j->block;
	j->setup.control = crew->control;
	j->setup.number = j->plan->number;
	j->setup.clone = j->plan->clone;
	j->setup.files_open_max = files_max;
}

/* How many files a worker may have open, by its options and by the descriptors there are. */
static uint64_t files_max(struct crew_job *j, uint64_t descriptors)
{
	uint64_t nr = j->plan->files.nr, want = j->plan->job->files.openfiles;

	want = want && want < nr ? want : nr;
	if (want <= descriptors)
		return want;
	stats_note(j->block, "openfiles: %llu files are open at once, not %llu: the descriptor "
		   "limit (ulimit -n) allows no more", (unsigned long long)descriptors,
		   (unsigned long long)want);
	return descriptors;
}

static uint64_t descriptors_each(size_t sharers)
{
	long limit = sysconf(_SC_OPEN_MAX);
	uint64_t all = limit > 0 ? (uint64_t)limit : FILES_RESERVED;
	uint64_t usable = all - fl_min(FILES_RESERVED, all / 2);	/* of a small limit, half */

	return fl_max(usable / (sharers ? sharers : 1), 1u);
}

static const char *name_of(const struct crew_job *j)
{
	const struct job *job = j->plan->job;

	return job->proc.comm ? job->proc.comm : job->name;
}

/* First things in a new process. Leaves at once when the parent has died meanwhile. */
static void become_worker(int parent, const char *name)
{
	if (sig_die_with_parent(parent))
		_exit(1);
	sig_worker();
	mapguard_install();
	cpu_name(name);
}

static void not_started(struct crew_job *j, int err, const char *what)
{
	stats_fail(j->block, err, "%s: %s", what, strerror(err));
	atomic_store(&j->block->state, WORKER_DONE);
}

/* Returns whether the process may go on; if not, j has its error. */
static bool entered(struct crew_job *j, const struct start_entry *entry)
{
	char why[HOST_WHY_BYTES];
	int err = entry->enter ? entry->enter(entry->ctx, why, sizeof(why)) : 0;

	if (!err)
		return true;
	stats_fail(j->block, -err, "%s", why);
	atomic_store(&j->block->state, WORKER_DONE);
	return false;
}

static void start_process(struct crew_job *j, const struct start_entry *entry)
{
	int parent = getpid(), pid = fork();

	if (pid < 0) {
		not_started(j, errno, "the worker process could not be started");
		return;
	}
	if (!pid) {
		become_worker(parent, name_of(j));
		j->block->pid = getpid();
		if (!entered(j, entry))
			_exit(1);
		life_run(&j->setup);
		host_process_exit();
		_exit(0);
	}
	j->pid = pid;
	debug_say(DEBUG_PROCESS, "job %s: clone %u is process %d, wave %u", j->plan->job->name,
		  j->plan->clone, pid, j->setup.wave);
}

static void *thread_main(void *arg)
{
	struct crew_job *j = arg;

	j->block->pid = gettid();
	cpu_name(name_of(j));
	life_run(&j->setup);
	mapguard_thread_end();
	return NULL;
}

/*
 * The process in which all threads of a wave live. Engines share themselves before the first
 * thread.
 */
static void host_threads(struct crew *crew, uint32_t wave, const struct start_entry *entry)
{
	pthread_t *threads = calloc(crew->count, sizeof(*threads));
	pthread_attr_t attr;
	char why[HOST_WHY_BYTES];

	if (!threads)
		_exit(1);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, THREAD_STACK_BYTES);
	for (size_t i = 0; i < crew->count; i++) {
		struct crew_job *j = &crew->jobs[i];
		int err;

		if (j->setup.wave != wave || !j->plan->job->proc.thread)
			continue;
		if (!entered(j, entry))
			continue;
		err = host_process_init(j->plan->job->engine, why, sizeof(why));
		if (err) {
			stats_fail(j->block, -err, "%s: %s", j->plan->job->engine->ops.name, why);
			atomic_store(&j->block->state, WORKER_DONE);
			continue;
		}
		err = pthread_create(&threads[i], &attr, thread_main, j);
		if (err)
			not_started(j, err, "the worker thread could not be started");
	}
	pthread_attr_destroy(&attr);
	for (size_t i = 0; i < crew->count; i++)
		if (threads[i])
			pthread_join(threads[i], NULL);
	free(threads);
	host_process_exit();
	_exit(0);
}

static void start_threads(struct crew *crew, uint32_t wave, const struct start_entry *entry)
{
	int parent = getpid(), pid = fork(), err = errno;

	if (!pid) {
		become_worker(parent, "thread host");
		host_threads(crew, wave, entry);
	}
	for (size_t i = 0; i < crew->count; i++) {
		struct crew_job *j = &crew->jobs[i];

		if (j->setup.wave != wave || !j->plan->job->proc.thread)
			continue;
		if (pid < 0)
			not_started(j, err, "the process of the threads could not be started");
		else
			j->pid = pid;
		debug_say(DEBUG_PROCESS, "job %s: clone %u is a thread of process %d, wave %u",
			  j->plan->job->name, j->plan->clone, j->pid, wave);
	}
}

void start_wave(struct crew *crew, uint32_t wave, const struct start_entry *entry)
{
	size_t threads = 0;

	for (size_t i = 0; i < crew->count; i++)
		threads += crew->jobs[i].setup.wave == wave && crew->jobs[i].plan->job->proc.thread;
	claim_decide(crew, wave);
	fflush(NULL);
	for (size_t i = 0; i < crew->count; i++) {
		struct crew_job *j = &crew->jobs[i];
		bool thread = j->plan->job->proc.thread;

		if (j->setup.wave != wave)
			continue;
		fill_setup(crew, j, files_max(j, descriptors_each(thread ? threads : 1)));
		if (!thread)
			start_process(j, entry);
	}
	if (threads)
		start_threads(crew, wave, entry);
}

void start_kill(const struct crew_job *j)
{
	if (j->pid <= 0)
		return;
	debug_say(DEBUG_PROCESS, "job %s: process %d is killed", j->plan->job->name, j->pid);
	kill(j->pid, SIGKILL);
}

void start_wait_all(const struct crew *crew)
{
	for (size_t i = 0; i < crew->count; i++)
		if (crew->jobs[i].pid > 0)
			sys_reap(crew->jobs[i].pid);
}
