/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "core/verify_threads.h"
#include "os/cpu.h"
#include "os/thread.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct verify_thread {
	struct verify_threads *all;
	struct checker checker;
	pthread_t thread;
	bool runs;
	uint32_t epoch;			/* as last seen by it */
	struct usage before, cost;
};

struct verify_threads {
	struct verify_threads_setup s;
	struct verify_task *tasks;	/* by slot */
	uint32_t *marks;		/* of all of them */
	char *texts;
	_Atomic(struct verify_task *) *ring;	/* room for all tasks, so it is never full */
	uint32_t mask;
	uint32_t tail;			/* the worker's own, as are these: */
	uint32_t pending;		/* handed over and not taken back */
	struct verify_task *ready;	/* judged, in no order */
	_Atomic uint32_t head;		/* of the ring: what lies before it has been taken */
	sem_t given, judged;
	_Atomic(struct verify_task *) done;	/* the threads put them there */
	_Atomic uint32_t quit;
	struct verify_thread threads[];
};

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem))
		fl_assert(errno == EINTR);
}

/* ---- A thread -------------------------------------------------------------------------------- */

static void judge(struct checker *c, struct verify_task *task)
{
	task->err = checker_check(c, &task->read);
	task->blocks = c->blocks;
	task->wrong = c->wrong;
	if (unlikely(task->err))
		memcpy(task->why, c->why, sizeof(c->why));
}

static void hand_back(struct verify_threads *t, struct verify_task *task)
{
	struct verify_task *first = atomic_load_explicit(&t->done, memory_order_relaxed);

	do
		task->next = first;
	while (!atomic_compare_exchange_weak(&t->done, &first, task));
	sem_post(&t->judged);
}

/* What this thread costs counts from where everything else does. */
static void follow_epoch(struct verify_thread *own)
{
	uint32_t now = atomic_load_explicit(own->all->s.epoch, memory_order_relaxed);

	if (likely(now == own->epoch))
		return;
	own->epoch = now;
	usage_take(USAGE_THREAD, &own->before);
}

/*
 * Whoever has been let through finds one. It is read before it is taken: after that the worker may
 * put another in its place.
 */
static struct verify_task *take_first(struct verify_threads *t)
{
	uint32_t head = atomic_load(&t->head);
	struct verify_task *task;

	do
		task = atomic_load(&t->ring[head & t->mask]);
	while (!atomic_compare_exchange_weak(&t->head, &head, head + 1));
	return task;
}

static void *run(void *arg)
{
	struct verify_thread *own = arg;
	struct verify_threads *t = own->all;
	struct usage now;

	usage_take(USAGE_THREAD, &own->before);
	for (;;) {
		struct verify_task *task;

		wait_for(&t->given);
		if (atomic_load(&t->quit))
			break;
		task = take_first(t);
		follow_epoch(own);
		judge(&own->checker, task);
		hand_back(t, task);
	}
	usage_take(USAGE_THREAD, &now);
	own->cost = usage_since(&own->before, &now);
	return NULL;
}

/* ---- The worker ------------------------------------------------------------------------------ */

struct verify_task *verify_threads_task(struct verify_threads *t, uint32_t slot)
{
	return &t->tasks[slot];
}

void verify_threads_give(struct verify_threads *t, struct verify_task *task)
{
	atomic_store_explicit(&t->ring[t->tail++ & t->mask], task, memory_order_release);
	t->pending++;
	sem_post(&t->given);
}

struct verify_task *verify_threads_take(struct verify_threads *t, bool wait)
{
	struct verify_task *task;

	if (!t->pending)
		return NULL;
	if (wait)
		wait_for(&t->judged);
	else if (sem_trywait(&t->judged))
		return NULL;
	if (!t->ready)
		t->ready = atomic_exchange(&t->done, NULL);
	task = t->ready;
	t->ready = task->next;
	t->pending--;
	return task;
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static int make_tasks(struct verify_threads *t)
{
	uint32_t slots = t->s.slots, room = 1;

	while (room < slots)
		room *= 2;
	t->mask = room - 1;
	t->ring = calloc(room, sizeof(*t->ring));
	t->tasks = calloc(slots, sizeof(*t->tasks));
	t->marks = calloc(slots, t->s.units_max * sizeof(*t->marks));
	t->texts = calloc(slots, CHECKER_TEXT_BYTES);
	if (!t->ring || !t->tasks || !t->marks || !t->texts)
		return -ENOMEM;
	for (uint32_t i = 0; i < slots; i++)
		t->tasks[i] = (struct verify_task){
			.slot = i, .marks = t->marks + i * t->s.units_max,
			.why = t->texts + (size_t)i * CHECKER_TEXT_BYTES,
		};
	return 0;
}

/* Threads have the CPUs of the one that starts them: those of verify_async_cpus for the while. */
static int start_all(struct verify_threads *t, char *why, size_t why_bytes)
{
	struct cpus own;
	int err = 0;

	if (t->s.cpus) {
		cpus_allowed(&own);
		err = cpus_apply(t->s.cpus);
		snprintf(why, why_bytes, "verify_async_cpus: these CPUs cannot be used: %s",
			 strerror(-err));
	}
	for (uint32_t i = 0; !err && i < t->s.count; i++) {
		snprintf(why, why_bytes, "verify_async: no thread could be started");
		err = thread_start_helper(&t->threads[i].thread, run, &t->threads[i]);
		t->threads[i].runs = !err;
	}
	if (t->s.cpus)
		cpus_apply(&own);
	return err;
}

static void discard(struct verify_threads *t)
{
	for (uint32_t i = 0; i < t->s.count; i++)
		checker_free(&t->threads[i].checker);
	sem_destroy(&t->given);
	sem_destroy(&t->judged);
	free(t->ring);
	free(t->tasks);
	free(t->marks);
	free(t->texts);
	free(t);
}

struct verify_threads *verify_threads_start(const struct verify_threads_setup *s, int *err,
					    char *why, size_t why_bytes)
{
	struct verify_threads *t = calloc(1, sizeof(*t) + s->count * sizeof(t->threads[0]));
	struct usage cost;

	*err = -ENOMEM;
	snprintf(why, why_bytes, "verify_async: no memory for the reads that wait");
	if (!t)
		return NULL;
	t->s = *s;
	sem_init(&t->given, 0, 0);
	sem_init(&t->judged, 0, 0);
	*err = make_tasks(t);
	for (uint32_t i = 0; !*err && i < s->count; i++) {
		t->threads[i].all = t;
		t->threads[i].epoch = atomic_load(s->epoch);
		*err = checker_init(&t->threads[i].checker, &s->checker, why, why_bytes);
	}
	if (!*err)
		*err = start_all(t, why, why_bytes);
	if (!*err)
		return t;
	verify_threads_stop(t, &cost);
	return NULL;
}

void verify_threads_stop(struct verify_threads *t, struct usage *cost)
{
	fl_assert(!t->pending);
	atomic_store(&t->quit, 1);
	for (uint32_t i = 0; i < t->s.count; i++)
		sem_post(&t->given);
	*cost = (struct usage){ .io_known = true };
	for (uint32_t i = 0; i < t->s.count; i++) {
		if (!t->threads[i].runs)
			continue;
		pthread_join(t->threads[i].thread, NULL);
		usage_add(cost, &t->threads[i].cost);
	}
	discard(t);
}
