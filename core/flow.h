/* SPDX-License-Identifier: MIT */
/*
 * flow=: jobs with the same flow_id go ahead in step, each by its weight: with flow=3 and flow=1
 * one does three I/Os for each of the other.
 *
 * Each job has done some I/Os per unit of its weight, the group all I/Os of its jobs per unit of
 * all their weights. Who is ahead of the group waits; so whoever is behind may always go, and no
 * circle of waiting closes. Jobs come and go: the parent alone takes them in and out, so that a job
 * may be killed at any moment without holding up the others. One that comes in begins where the
 * group is.
 *
 * Counts and weights lie in memory that parent and workers share.
 */
#ifndef CORE_FLOW_H
#define CORE_FLOW_H

#include "core/opt.h"

#include <stdatomic.h>

#define FLOW_WEIGHT_MAX	1000

struct flow_conf {
	uint32_t weight;		/* flow=; 0: the job goes as it likes */
	uint32_t id;
	uint64_t sleep_ns;		/* who is ahead asks again after that; 0: when it helps */
};

extern const struct opt_table flow_options;

/* flow_check - 0, or 1 with a note in why. */
int flow_check(const struct flow_conf *c, char *why, size_t why_bytes);

struct flow_group {
	_Atomic uint64_t ios;		/* of all members that are in */
	_Atomic uint64_t weight;	/* likewise; written by the parent */
	_Atomic uint32_t turn;		/* goes up when somebody may have to be woken: a futex */
	_Atomic uint32_t waiting;	/* somebody waits for that */
	uint32_t id;
} __attribute__((aligned(64)));

struct flow_member {
	struct flow_group *group;
	uint32_t weight;
	_Atomic uint32_t in;		/* it counts; written by the parent */
	_Atomic uint32_t resting;	/* it does no I/O of this kind now; written by the worker */
	_Atomic uint64_t ios;		/* since it came in, and what it was given then */
} __attribute__((aligned(64)));

struct flows;

/* flows_new - for so many members. NULL with *err = -errno. Before any fork. */
struct flows *flows_new(size_t members, int *err);
void flows_free(struct flows *f);	/* NULL is fine */

/* flows_add - one more member, of the group of its id; not in yet. Before any fork. */
struct flow_member *flows_add(struct flows *f, const struct flow_conf *c);

/* flow_enter, flow_leave - the parent takes a member in or out; wakes who waits. Twice is fine. */
void flow_enter(struct flow_member *m);
void flow_leave(struct flow_member *m);

/*
 * flow_may - may this member, which is in, start an I/O now? It may be ahead by one part in 64 of
 * what it has done, and 64 I/Os at most, so that fast jobs need not take turns at each I/O.
 */
bool flow_may(const struct flow_member *m);

/* flow_count - it starts one. */
void flow_count(struct flow_member *m);

/* flow_wake - those who wait are to ask again. */
void flow_wake(struct flow_group *g);

#endif
