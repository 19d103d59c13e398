/* SPDX-License-Identifier: MIT */
/* A ramp by bytes. Others of the group may end it, so it also looks from time to time. */
#include "core/gate_ramp.h"
#include "os/clock.h"

#include <stdlib.h>

#define LOOK_NS		2000000ull

struct ramp_part {
	struct gate_part part;
	const struct pace_conf *conf;
	_Atomic uint64_t *sum;
	uint64_t *deadline;
	uint64_t time_over;		/* when ramp_time is */
};

static struct ramp_part *of(struct gate_part *p)
{
	return container_of(p, struct ramp_part, part);
}

static void end_if_reached(struct ramp_part *r, uint64_t now)
{
	if (gate_ramp_reached(r->conf, r->sum))
		*r->deadline = fl_max(now, r->time_over);
}

static enum gate_says ramp_look(struct gate_part *p, uint64_t now)
{
	end_if_reached(of(p), now);
	p->look_at = now + clock_ns_to_ticks(LOOK_NS);
	return GATE_OPEN;
}

static void ramp_begin(struct gate_part *p, uint64_t now)
{
	of(p)->time_over = now + clock_ns_to_ticks(of(p)->conf->ramp_ns);
	p->look_at = now;
}

static void ramp_anew(struct gate_part *p, uint64_t now)
{
	(void)now;
	p->over = true;
}

static void ramp_done(struct gate_part *p, const struct gate_done *d)
{
	if (d->err || d->io->op >= DIRS)
		return;
	atomic_fetch_add_explicit(of(p)->sum, d->io->len, memory_order_relaxed);
	end_if_reached(of(p), d->now);
}

static void ramp_free(struct gate_part *p)
{
	free(of(p));
}

static const struct gate_ops ramp_ops = {
	.begin = ramp_begin, .anew = ramp_anew, .done = ramp_done, .look = ramp_look,
	.free = ramp_free,
};

struct gate_part *gate_ramp_new(const struct pace_conf *c, _Atomic uint64_t *sum,
				uint64_t *deadline)
{
	struct ramp_part *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->part = (struct gate_part){ .ops = &ramp_ops, .look_at = UINT64_MAX };
	r->conf = c;
	r->sum = sum;
	r->deadline = deadline;
	return &r->part;
}
