/* SPDX-License-Identifier: MIT */
/* The list of the parts. */
#include "core/gates.h"
#include "core/flow_gate.h"
#include "core/gate_minimum.h"
#include "core/gate_ramp.h"
#include "core/gate_rate.h"
#include "core/latency_gate.h"
#include "core/recorder.h"
#include "core/zbd_gate.h"

#include <errno.h>

static struct gate_part *make_rate(struct worker *w, int *err)
{
	const struct rate_setup s = {
		.conf = &w->job->rate, .workload = &w->job->workload, .seed = w->seed,
		.number = w->setup->number,
	};
	struct gate_part *p;

	if (!(rate_dirs(&w->job->rate) & w->job->workload.rw.bits))
		return NULL;
	p = gate_rate_new(&s);
	*err = p ? 0 : -ENOMEM;
	return p;
}

static struct gate_part *make_minimum(struct worker *w, int *err)
{
	uint32_t dirs = w->job->workload.rw.bits & RW_DIRS;
	struct gate_part *p;

	if (!(minimum_dirs(&w->job->minimum) & dirs))
		return NULL;
	p = gate_minimum_new(&w->job->minimum, w->b, dirs, pace_ramps(&w->job->pace));
	*err = p ? 0 : -ENOMEM;
	return p;
}

static struct gate_part *make_ramp(struct worker *w, int *err)
{
	struct gate_part *p;

	if (!w->setup->ramp)
		return NULL;
	p = gate_ramp_new(&w->job->pace, w->setup->ramp, &w->deadline);
	*err = p ? 0 : -ENOMEM;
	return p;
}

/*
 * A part for this job; NULL with *err as it is: the job needs none. *err: -ENOMEM. Who belongs to
 * arrivals is asked on the thread they come from.
 */
typedef struct gate_part *(*part_maker)(struct worker *w, int *err);

/* The last one: what it hears of does start. */
static struct gate_part *record(struct worker *w, int *err)
{
	return w->setup->issued ? recorder_part(w->setup->issued, err) : NULL;
}

static struct gate_part *replay(struct worker *w, int *err)
{
	return w->replay ? replayer_part(w->replay, err) : NULL;
}

/* When an I/O is to arrive. In the order they are asked. */
static const part_maker of_arrivals[] = {
	replay,
	make_rate,
	flow_gate_new,
	NULL
};

/* Whether one that has arrived may start. Zones come last: they take what the I/O needs. */
static const part_maker of_starts[] = {
	make_ramp,
	make_minimum,
	latency_gate_new,
	record,
	zbd_gate_new,
	NULL
};

static int add_all(struct gate **g, const part_maker *make, struct worker *w)
{
	int err = 0;

	for (; *make && !err; make++) {
		struct gate_part *p = (*make)(w, &err);

		if (!p)
			continue;
		if (!*g)
			*g = gate_new();
		if (*g)
			gate_add(*g, p);
		else
			p->ops->free(p);
		err = *g ? 0 : -ENOMEM;
	}
	return err;
}

int gates_make(struct worker *w, struct gate **arrivals)
{
	struct gate **first = w->job->depth.offload ? arrivals : &w->gate;
	int err = add_all(first, of_arrivals, w);

	if (!err)
		err = add_all(&w->gate, of_starts, w);
	w->gated = w->gate || *arrivals;
	w->steered = w->gate && !w->job->depth.offload && !w->replay &&
		     workload_chooses_dir(&w->wl);
	return err;
}
