/* SPDX-License-Identifier: MIT */
/*
 * The generator of arrivals, and both ends of its ring.
 *
 * Sleeping without missing the other's news: one says that it sleeps and then looks once more, the
 * other writes its news and then looks whether anybody sleeps. All four are sequentially
 * consistent, so at least one of the two sees the other.
 */
#define _GNU_SOURCE
#include "core/offload.h"
#include "os/clock.h"
#include "os/cpu.h"
#include "os/futex.h"
#include "os/thread.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define SPINS		200		/* looks before a sleep: a few microseconds */
#define ROOM_MIN	64u
/*
 * Arrivals with pauses between them come at a pace of their own, and the ring holds what a device
 * that stalls leaves undone. Without pauses it only has to be long enough to keep the worker busy:
 * all of it is backlog.
 */
#define ROOM_PACED	16384u

/*
 * ---- The generator's end ----------------------------------------------------------------------
 */

static void wake_worker(struct offload *o)
{
	if (atomic_load(&o->asleep) && atomic_exchange(&o->asleep, 0))
		eventfd_write(o->event, 1);
}

static bool has_room(struct offload *o)
{
	o->head_seen = atomic_load(&o->head);
	return o->tail_own - o->head_seen < o->room;
}

/* Returns false when the generator is to end. */
static bool wait_for_room(struct offload *o)
{
	for (int i = 0; i < SPINS; i++) {
		if (has_room(o))
			return true;
		cpu_relax();
	}
	for (;;) {
		uint32_t seen = atomic_load(&o->bell);

		if (atomic_load(&o->quit))
			return false;
		atomic_store(&o->full, 1);
		if (has_room(o))
			return true;
		futex_wait(&o->bell, seen, FUTEX_FOREVER);
	}
}

/* Returns false when the generator is to end. */
static bool put(struct offload *o, const struct arrival *a)
{
	if (unlikely(o->tail_own - o->head_seen == o->room) && !has_room(o) && !wait_for_room(o))
		return false;
	o->ring[o->tail_own++ & o->mask] = *a;
	atomic_store(&o->tail, o->tail_own);
	wake_worker(o);
	return true;
}

/* What this thread costs counts from where everything else does. */
static void follow_epoch(struct offload *o)
{
	uint32_t now = atomic_load_explicit(o->s.epoch, memory_order_relaxed);

	if (likely(now == o->epoch))
		return;
	o->epoch = now;
	usage_take(USAGE_THREAD, &o->before);
}

static bool choose(struct offload *o, struct arrival *a)
{
	if (o->s.replay)
		return replayer_next(o->s.replay, &a->io);
	if (o->s.gate && workload_chooses_dir(o->s.workload))
		o->s.workload->dirs_open = gate_steer(o->s.gate, RW_READ | RW_WRITE);
	return workload_next(o->s.workload, &a->io);
}

/* Wait until it is to arrive. Returns false when the generator is to end. */
static bool pass_gate(struct offload *o, struct arrival *a)
{
	struct gate_ask ask = { .io = &a->io };

	if (gate_wait(o->s.gate, &ask, UINT64_MAX, &o->quit) != GATE_OPEN)
		return false;
	a->intended = gate_start(o->s.gate, &ask);
	return true;
}

static void go_through(struct offload *o)
{
	const struct pace_conf *pace = o->s.pace;
	struct arrival a = { .start = 0 };
	uint64_t took;

	while (!atomic_load_explicit(&o->quit, memory_order_relaxed) && choose(o, &a)) {
		if (o->s.gate && !pass_gate(o, &a))
			return;
		if (o->s.timed)
			a.start = clock_ticks();
		if (!put(o, &a))
			return;
		follow_epoch(o);
		if (pace_thinks(pace) && pace_think_due(pace, &o->think, 1)) {
			took = pace_think(pace, &o->think, 1, UINT64_MAX, &o->quit);
			if (o->s.gate)
				gate_pause(o->s.gate, took, false);
		}
	}
}

/* Wait for another pass to begin. Returns false when there is none. */
static bool next_pass(struct offload *o, uint32_t *pass)
{
	for (int i = 0; i < SPINS && atomic_load(&o->pass) == *pass; i++)
		cpu_relax();
	for (;;) {
		uint32_t seen = atomic_load(&o->bell), now = atomic_load(&o->pass);

		if (atomic_load(&o->quit))
			return false;
		if (now != *pass) {
			*pass = now;
			return true;
		}
		futex_wait(&o->bell, seen, FUTEX_FOREVER);
	}
}

static void *generate(void *arg)
{
	struct offload *o = arg;
	struct usage now;
	uint32_t pass = 0;

	while (next_pass(o, &pass)) {
		if (pass == 1) {
			pace_think_begin(o->s.pace, &o->think);
			if (o->s.gate)
				gate_begin(o->s.gate, clock_ticks());
			usage_take(USAGE_THREAD, &o->before);
		}
		go_through(o);
		atomic_store(&o->over, pass);
		wake_worker(o);
	}
	usage_take(USAGE_THREAD, &now);
	if (pass)
		o->cost = usage_since(&o->before, &now);
	return NULL;
}

/*
 * ---- The worker's end -------------------------------------------------------------------------
 */

static void ring_bell(struct offload *o)
{
	atomic_fetch_add(&o->bell, 1);
	futex_wake(&o->bell);
}

void offload_publish(struct offload *o)
{
	o->unpublished = 0;
	atomic_store(&o->head, o->head_own);
	if (atomic_load(&o->full) && atomic_exchange(&o->full, 0))
		ring_bell(o);
}

int offload_look(struct offload *o)
{
	bool over;

	if (o->unpublished)
		offload_publish(o);
	/* In this order: what comes before the end of the pass is in the ring by then. */
	over = atomic_load(&o->over) == atomic_load_explicit(&o->pass, memory_order_relaxed);
	o->tail_seen = atomic_load(&o->tail);
	if (o->tail_seen != o->head_own)
		return 1;
	return over ? 0 : -EAGAIN;
}

bool offload_wait(struct offload *o, int fd, uint64_t timeout_ns)
{
	struct pollfd fds[2] = {
		{ .fd = o->event, .events = POLLIN }, { .fd = fd, .events = POLLIN },
	};
	struct timespec ts = { (time_t)(timeout_ns / 1000000000), (long)(timeout_ns % 1000000000) };
	eventfd_t count;

	for (int i = 0; fd < 0 && i < SPINS; i++) {
		if (offload_look(o) != -EAGAIN)
			return false;
		cpu_relax();
	}
	atomic_store(&o->asleep, 1);
	if (offload_look(o) == -EAGAIN)
		ppoll(fds, fd < 0 ? 1 : 2, &ts, NULL);
	/* Should the bell be rung only now, the next sleep is a short one. */
	if (!atomic_exchange(&o->asleep, 0))
		eventfd_read(o->event, &count);
	return fds[1].revents;
}

/*
 * ---- Beginning and end ------------------------------------------------------------------------
 */

static void discard(struct offload *o)
{
	gate_free(o->s.gate);
	if (o->event >= 0)
		close(o->event);
	free(o->ring);
	free(o);
}

struct offload *offload_start(const struct offload_setup *s, int *err)
{
	struct offload *o = aligned_alloc(_Alignof(struct offload), sizeof(*o));
	bool paced = s->pace->think_ns || s->gate;
	uint32_t want = fl_max(s->depth, paced ? ROOM_PACED : ROOM_MIN);

	*err = -ENOMEM;
	if (!o)
		return NULL;
	*o = (struct offload){ .s = *s, .room = ROOM_MIN };
	while (o->room < want)
		o->room *= 2;
	o->mask = o->room - 1;
	o->share = ROOM_MIN / 4;
	o->epoch = atomic_load(s->epoch);
	o->ring = calloc(o->room, sizeof(*o->ring));
	o->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (o->event < 0)
		*err = -errno;
	if (o->event >= 0 && o->ring)
		*err = thread_start_helper(&o->thread, generate, o);
	if (!*err)
		return o;
	o->s.gate = NULL;	/* the caller's, then */
	discard(o);
	return NULL;
}

void offload_pass(struct offload *o)
{
	atomic_fetch_add(&o->pass, 1);
	ring_bell(o);
}

void offload_rested(struct offload *o, uint64_t ticks)
{
	if (o->s.gate && atomic_load(&o->over) == atomic_load(&o->pass))
		gate_pause(o->s.gate, ticks, true);
}

void offload_stop(struct offload *o, struct usage *cost)
{
	atomic_store(&o->quit, 1);
	futex_wake(&o->quit);
	ring_bell(o);
	pthread_join(o->thread, NULL);
	*cost = o->cost;
	discard(o);
}
