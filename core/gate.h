/* SPDX-License-Identifier: MIT */
/*
 * The gate before each I/O of a job that does not simply go as fast as it can: may the I/O that
 * comes next start now, and if not, what is waited for?
 *
 * A gate is made of parts, one for each reason to wait, each in a file of its own; gates.c lists
 * them. An I/O starts when every part lets it. The loops know the gate alone: they ask it before
 * each I/O, tell it which start and which are back, and wait as it says. Requests in flight are
 * reaped all the while.
 *
 *	gate_steer	which directions may the workload choose from?
 *	gate_ask	may this I/O start? The answer GATE_SHUT says until when to wait; a loop
 *			also asks again whenever something has been completed.
 *	gate_start	it starts now.
 *	gate_done	it is back.
 *	gate_look	time has passed, whether I/Os start or not; when g->look_at has come.
 *
 * All of a gate belongs to one thread. A job with io_submit_mode=offload has two: what belongs to
 * arrivals is in the generator's, the rest in the worker's. Jobs without any part have no gate, and
 * loops that do not know of it (is_plain).
 */
#ifndef CORE_GATE_H
#define CORE_GATE_H

#include "core/workload.h"

#include <stdatomic.h>

#define GATE_PARTS	8		/* at most */
#define GATE_DIRS_ALL	((1u << DIRS) - 1)

enum gate_says {
	GATE_OPEN,			/* it may start */
	GATE_SHUT,			/* not now */
	GATE_DROP,			/* never: the next one is to be chosen in its place */
	GATE_END,			/* the job ends; if by a failure, it has been noted */
};

/* A question, and what the answer GATE_SHUT leaves in it. Times are clock_ticks(). */
struct gate_ask {
	struct workload_io *io;		/* the last part may move it */
	uint64_t now;			/* set by gate_ask() */
	uint32_t in_flight;		/* I/Os of this worker */
	/* the answer: wait until then, ... */
	uint64_t until;			/* UINT64_MAX: only for what is below, or a completion */
	/* ... or until this is no longer `seen` (futex_wake() tells); NULL: only until then */
	_Atomic uint32_t *word;
	uint32_t seen;
};

/* An I/O that is back. */
struct gate_done {
	const struct workload_io *io;	/* .op, .file, .offset, .len */
	uint64_t now;			/* clock_ticks() */
	uint64_t lat;			/* ticks since it started; 0 where nothing is timed */
	int err;			/* 0, or -errno */
};

struct gate_part;

/* What a part does. A hook that is NULL lets pass, or does nothing. */
struct gate_ops {
	bool reads_back;		/* start and ask are for what a verifier reads, too */
	/* begin - the job begins, and all schedules with it. */
	void (*begin)(struct gate_part *p, uint64_t now);
	/* anew - all counters have been reset: the ramp is over. */
	void (*anew)(struct gate_part *p, uint64_t now);
	/*
	 * steer - of these directions (a bit each), those that may start by now; if there are none,
	 * the one that may first. Only of workloads that are free to choose.
	 */
	uint32_t (*steer)(struct gate_part *p, uint32_t dirs, uint64_t now);
	/* ask - as gate_ask(). Parts lower a->until; nobody raises it. */
	enum gate_says (*ask)(struct gate_part *p, struct gate_ask *a);
	/*
	 * start - every part has said GATE_OPEN. *intended: when it was to start, if the part knows
	 */
	void (*start)(struct gate_part *p, const struct workload_io *io, uint64_t now,
		      uint64_t *intended);
	void (*done)(struct gate_part *p, const struct gate_done *d);
	/* look - returns GATE_OPEN, or GATE_END. Sets p->look_at. */
	enum gate_says (*look)(struct gate_part *p, uint64_t now);
	/*
	 * pause - the job has paused for so many ticks until now: of its own will (thinktime), or
	 * `busy` with what no schedule knows of (reading back what it has written).
	 */
	void (*pause)(struct gate_part *p, uint64_t now, uint64_t ticks, bool busy);
	void (*free)(struct gate_part *p);
};

/* The first member of every part. */
struct gate_part {
	const struct gate_ops *ops;
	uint64_t look_at;		/* clock_ticks() of the next look(); UINT64_MAX: never */
	bool over;			/* it has nothing more to say, and leaves in gate_anew() */
};

struct gate {
	struct gate_part *parts[GATE_PARTS];
	uint32_t nr;
	uint64_t look_at;		/* the earliest of the parts' */
	uint64_t margin_ns;		/* sleeps end so long before it is time */
	bool resting;			/* nobody looks */
};

/* gate_new - a gate without parts, which is none yet. NULL: no memory. gate_free(): parts too. */
struct gate *gate_new(void);
void gate_free(struct gate *g);		/* NULL is fine */
/* gate_add - one more part, which the gate owns from now on. */
void gate_add(struct gate *g, struct gate_part *p);

/* gate_begin, gate_anew, gate_pause, gate_look, gate_steer - the hooks of all parts. */
void gate_begin(struct gate *g, uint64_t now);
void gate_anew(struct gate *g, uint64_t now);	/* g->nr may be 0 after it */
void gate_pause(struct gate *g, uint64_t ticks, bool busy);
/* gate_rest - the job only reads back from now on: no look until gate_pause(). */
void gate_rest(struct gate *g);
enum gate_says gate_look(struct gate *g, uint64_t now);
uint32_t gate_steer(struct gate *g, uint32_t dirs);

/*
 * gate_ask - a->io and a->in_flight are set. Looks, too, where that is due. Reads the clock. Asking
 * changes nothing, except that the last part may take what the I/O needs, and move it, when it
 * lets it pass. What a verifier reads back (io->back) passes freely, here and below, but for
 * parts that want to know of it.
 */
enum gate_says gate_ask(struct gate *g, struct gate_ask *a);

/*
 * gate_start - at a->now, after GATE_OPEN. Returns when the I/O was to start, in clock_ticks();
 * 0: nobody has intended anything.
 */
uint64_t gate_start(struct gate *g, const struct gate_ask *a);
void gate_done(struct gate *g, const struct gate_done *d);

/*
 * gate_sleep - wait as the answer says, but not beyond `end` (clock_ticks()), and only while *stop
 * is 0. Sleeps, and spins at the end, so that it is not late by the time it takes to wake up.
 */
void gate_sleep(struct gate *g, const struct gate_ask *a, uint64_t end, _Atomic uint32_t *stop);

/*
 * gate_patience - for those who wait for completions meanwhile: how long they may sleep, in ns.
 * 0: it is almost time, look without waiting. gate_woke: a sleep of `asked` ns, through which
 * nothing came, took `took`.
 */
uint64_t gate_patience(const struct gate *g, const struct gate_ask *a, uint64_t now);
void gate_woke(struct gate *g, uint64_t asked, uint64_t took);

/*
 * gate_wait - ask and sleep until the answer is not GATE_SHUT. That it is when `end` comes first,
 * or *stop is set. For those who have nothing in flight meanwhile.
 */
enum gate_says gate_wait(struct gate *g, struct gate_ask *a, uint64_t end, _Atomic uint32_t *stop);

#endif
