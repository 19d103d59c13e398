/* SPDX-License-Identifier: MIT */
/* The counters of all CPUs against one another. */
#define _GNU_SOURCE 1
#include "os/clock_test.h"
#include "os/clock.h"
#include "os/cpu.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* What the threads share; the latest stamp has a cache line of its own. */
struct course {
	_Atomic uint64_t latest __attribute__((aligned(64)));
	_Atomic uint32_t end __attribute__((aligned(64)));
	_Atomic int err;		/* -errno of a thread that could not go to its CPU */
};

struct runner {
	pthread_t thread;
	struct course *course;
	unsigned cpu;
	struct clock_test found;
};

/* The load is over before the counter is read: clock_counter_read() is ordered. */
static void *compare(void *arg)
{
	struct runner *r = arg;
	struct course *c = r->course;
	struct cpus one;
	uint64_t mine = 0;
	int err;

	memset(&one, 0, sizeof(one));
	cpus_add(&one, r->cpu);
	err = cpus_apply(&one);
	if (err)
		atomic_store(&c->err, err);
	while (!err && !atomic_load_explicit(&c->end, memory_order_relaxed)) {
		uint64_t seen = atomic_load(&c->latest), now = clock_counter_read();

		if (seen != mine) {
			r->found.readings++;
			if (now < seen) {
				r->found.backward++;
				r->found.worst_ticks = fl_max(r->found.worst_ticks, seen - now);
			}
		}
		while (now > seen && !atomic_compare_exchange_weak(&c->latest, &seen, now))
			;
		mine = now;
	}
	return NULL;
}

int clock_test_cpus(struct clock_test *t, uint64_t ns)
{
	struct course course = { 0 };
	struct runner *runners;
	struct cpus mine;
	unsigned started = 0;
	int err, count = cpus_allowed(&mine);

	*t = (struct clock_test){ 0 };
	if (count < 0)
		return count;
	runners = calloc((size_t)count, sizeof(*runners));
	err = runners ? 0 : -ENOMEM;
	for (; !err && started < (unsigned)count; started++) {
		runners[started].course = &course;
		runners[started].cpu = (unsigned)cpus_nth(&mine, started);
		err = -pthread_create(&runners[started].thread, NULL, compare, &runners[started]);
		if (err)
			break;
	}
	if (!err)
		clock_sleep_ns(ns);
	atomic_store(&course.end, 1);
	for (unsigned i = 0; i < started; i++) {
		const struct clock_test *found = &runners[i].found;

		pthread_join(runners[i].thread, NULL);
		t->readings += found->readings;
		t->backward += found->backward;
		t->worst_ticks = fl_max(t->worst_ticks, found->worst_ticks);
	}
	t->cpus = started;
	free(runners);
	return err ? err : atomic_load(&course.err);
}
