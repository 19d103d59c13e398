/* SPDX-License-Identifier: MIT */
/*
 * fio-like/pmem.h - how libpmem and dev-dax store to persistent memory, and when it is durable.
 *
 * A store to persistent memory is durable once it has left the CPU's caches (it is flushed) and a
 * fence has waited for that (it is drained). The options of a job choose both:
 *
 *	direct=1	non-temporal stores, which go past the caches
 *	direct=0	temporal stores, and then a flush of the cache lines they went to
 *	sync=0		no drain after a write; there is one at fsync, fdatasync and close
 *	sync=1, dsync	a drain after every write, which is durable when it is handed back
 *
 * A write with FL_REQ_FUA is drained whatever sync says. One fence drains all that a thread has
 * stored before it, to whatever file.
 *
 * Header only; may be included from C++. For engines that are linked to libpmem.
 */
#ifndef FIO_LIKE_PMEM_H
#define FIO_LIKE_PMEM_H

#include "fio-like/engine.h"

#include <libpmem.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Counters side by side in the engine's rows: FL_PMEM_COUNTER_ROWS. */
enum { FL_PMEM_NONTEMPORAL, FL_PMEM_TEMPORAL, FL_PMEM_DRAINS, FL_PMEM_COUNTERS };

#define FL_PMEM_COUNTER_ROWS								\
	{ .name = "nontemporal_writes", .help = "writes by PMEM_F_MEM_NONTEMPORAL" },	\
	{ .name = "temporal_writes", .help = "writes by PMEM_F_MEM_TEMPORAL" },		\
	{ .name = "drains", .help = "fences waited for: after a write, at a sync, at the close" }

/* struct fl_pmem - of a queue. */
struct fl_pmem {
	unsigned flags;			/* of pmem_memcpy(3) */
	uint32_t undrained;		/* something was stored since the last drain */
	uint64_t *counters;		/* FL_PMEM_COUNTERS of them */
	uint64_t *writes;		/* the one of them that each write counts in */
};

/* fl_pmem_init - as the job says. counter: index of FL_PMEM_NONTEMPORAL in q->counters. */
static inline void fl_pmem_init(struct fl_pmem *p, struct fl_queue *q, uint32_t counter)
{
	uint32_t job = q->job->flags;
	int direct = (job & FL_JOB_DIRECT) != 0;

	p->flags = direct ? PMEM_F_MEM_NONTEMPORAL : PMEM_F_MEM_TEMPORAL;
	if (!(job & (FL_JOB_SYNC | FL_JOB_DSYNC)))
		p->flags |= PMEM_F_MEM_NODRAIN;
	p->undrained = 0;
	p->counters = q->counters + counter;
	p->writes = p->counters + (direct ? FL_PMEM_NONTEMPORAL : FL_PMEM_TEMPORAL);
}

/* fl_pmem_store - a write of req->res bytes from req->buf to req->priv. */
static inline void fl_pmem_store(struct fl_pmem *p, const struct fl_req *req)
{
	unsigned flags = p->flags;

	if (req->flags & FL_REQ_FUA)
		flags &= ~PMEM_F_MEM_NODRAIN;
	pmem_memcpy(req->priv, req->buf, (size_t)req->res, flags);
	++*p->writes;
	if (flags & PMEM_F_MEM_NODRAIN)
		p->undrained = 1;
	else
		p->counters[FL_PMEM_DRAINS]++;
}

/* fl_pmem_drain - what was stored until now is durable when it returns. */
static inline void fl_pmem_drain(struct fl_pmem *p)
{
	pmem_drain();
	p->undrained = 0;
	p->counters[FL_PMEM_DRAINS]++;
}

#ifdef __cplusplus
}
#endif
#endif
