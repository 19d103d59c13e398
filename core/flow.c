/* SPDX-License-Identifier: MIT */
/* The options of flow, the books of a group, and who is ahead. */
#include "core/flow.h"
#include "os/futex.h"
#include "os/mem.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define AHEAD_SHARE	6		/* as a shift: one part in 64 */
#define AHEAD_MAX	64

#define AT(member)	.offset = offsetof(struct flow_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "flow", .type = FL_OPT_U32, AT(weight), .max = FLOW_WEIGHT_MAX,
	  .help = "weight of the job among those that run with the same flow_id; 0: none",
	  .more = "They go ahead in step: of flow=3 and flow=1, the one does three I/Os for each "
		  "of the other. A job that has ended no longer counts, and one that starts later "
		  "begins where the others are." },
	{ .name = "flow_id", .type = FL_OPT_U32, AT(id), .max = UINT32_MAX,
	  .help = "which jobs go in step" },
	{ .name = "flow_sleep", .type = FL_OPT_TIME, AT(sleep_ns), .def_unit_ns = 1000,
	  .help = "a job that is ahead waits so long before it looks again; 0: until it may go" },
};

const struct opt_table flow_options = OPT_TABLE("Flow", rows, 0);

int flow_check(const struct flow_conf *c, char *why, size_t why_bytes)
{
	if (c->weight || (!c->id && !c->sleep_ns))
		return 0;
	snprintf(why, why_bytes, "%s has no effect without flow", c->id ? "flow_id" : "flow_sleep");
	return 1;
}

/* ---- The shared memory ----------------------------------------------------------------------- */

struct flows {
	struct flow_member *members;	/* shared, as many as there are groups at most */
	struct flow_group *groups;
	size_t nr_members, nr_groups, bytes;
};

struct flows *flows_new(size_t members, int *err)
{
	struct flows *f = calloc(1, sizeof(*f));

	if (!f) {
		*err = -ENOMEM;
		return NULL;
	}
	f->bytes = members * (sizeof(*f->members) + sizeof(*f->groups));
	f->members = mem_shared(f->bytes, err);
	if (!f->members) {
		free(f);
		return NULL;
	}
	f->groups = (struct flow_group *)(f->members + members);
	return f;
}

void flows_free(struct flows *f)
{
	if (f)
		mem_shared_free(f->members, f->bytes);
	free(f);
}

struct flow_member *flows_add(struct flows *f, const struct flow_conf *c)
{
	struct flow_member *m = &f->members[f->nr_members++];
	size_t i = 0;

	while (i < f->nr_groups && f->groups[i].id != c->id)
		i++;
	if (i == f->nr_groups)
		f->groups[f->nr_groups++].id = c->id;
	m->group = &f->groups[i];
	m->weight = c->weight;
	return m;
}

/* ---- Coming and going ------------------------------------------------------------------------ */

void flow_wake(struct flow_group *g)
{
	if (!atomic_exchange(&g->waiting, 0))
		return;
	atomic_fetch_add(&g->turn, 1);
	futex_wake(&g->turn);
}

void flow_enter(struct flow_member *m)
{
	struct flow_group *g = m->group;
	uint64_t weight = atomic_load(&g->weight), ios = 0;

	if (atomic_load(&m->in))
		return;
	if (weight)
		ios = (uint64_t)((unsigned __int128)atomic_load(&g->ios) * m->weight / weight);
	atomic_store(&m->ios, ios);
	atomic_fetch_add(&g->ios, ios);
	atomic_fetch_add(&g->weight, m->weight);
	atomic_store(&m->in, 1);
	flow_wake(g);
}

/* Its count is final when it rests or is dead. */
void flow_leave(struct flow_member *m)
{
	struct flow_group *g = m->group;

	if (!atomic_load(&m->in))
		return;
	atomic_store(&m->in, 0);
	atomic_fetch_sub(&g->weight, m->weight);
	atomic_fetch_sub(&g->ios, atomic_load(&m->ios));
	flow_wake(g);
}

/* ---- Going ahead ----------------------------------------------------------------------------- */

bool flow_may(const struct flow_member *m)
{
	uint64_t ios = atomic_load_explicit(&m->ios, memory_order_relaxed);
	uint64_t all = atomic_load(&m->group->ios);
	uint64_t weight = atomic_load_explicit(&m->group->weight, memory_order_relaxed);
	uint64_t ahead = fl_min(ios >> AHEAD_SHARE, (uint64_t)AHEAD_MAX);

	/* less than its own weight: it is just being taken out */
	return (unsigned __int128)ios * weight <= (unsigned __int128)all * m->weight +
	       (weight > m->weight ? ahead * (weight - m->weight) : 0);
}

/*
 * First the group's: of a worker that is killed in between, or taken out, the group then keeps an
 * I/O, and all the others may go a little further. The other way round nobody might.
 */
void flow_count(struct flow_member *m)
{
	atomic_fetch_add(&m->group->ios, 1);
	atomic_fetch_add_explicit(&m->ios, 1, memory_order_relaxed);
}
