/* SPDX-License-Identifier: MIT */
/* When to lose patience, and with which requests. */
#include "core/cancel.h"

#include <stdlib.h>

#define QUIET_TIME_NS	60000000000ull	/* nothing came back for so long: after the job's time, */
#define QUIET_STOP_NS	10000000000ull	/* after a first signal */
#define COMING_NS	1000000000ull	/* after a second: what is cancelled has so long */

/* How long a device may be silent. */
static uint64_t patience_ns(uint32_t stop)
{
	return stop > 1 ? 0 : stop ? QUIET_STOP_NS : QUIET_TIME_NS;
}

/* Cancel whatever the engine holds: all slots but those that are free or held here. */
static void cancel_all(struct cancel *c, struct worker *w, const struct io *held)
{
	struct fl_queue *q = &w->hq.q;
	bool *ours;

	if (!q->engine->cancel)
		return;
	ours = calloc(w->slots, sizeof(*ours));
	if (!ours)
		return;
	for (const struct io *io = w->free; io; io = io->next)
		ours[io->req.slot] = true;
	for (const struct io *io = held; io; io = io->next)
		ours[io->req.slot] = true;
	for (uint32_t i = 0; i < w->slots; i++)
		if (!ours[i] && q->engine->cancel(q, &w->ios[i].req) >= 0)
			c->coming++;
	free(ours);
}

bool cancel_look(struct cancel *c, struct worker *w, const struct io *held, bool progress)
{
	uint32_t stop = atomic_load(&w->b->stop);
	uint64_t now = clock_ticks();

	if (progress || !c->quiet_since)
		c->quiet_since = now;
	if (!c->asked && clock_ns(now - c->quiet_since) >= patience_ns(stop)) {
		c->asked = now;
		cancel_all(c, w, held);
	}
	if (progress || stop < 2)
		return true;
	return c->coming && clock_ns(now - c->asked) < COMING_NS;
}

void cancel_note(const struct cancel *c, const struct worker *w)
{
	if (c->ios)
		stats_note(w->b, "the device did not answer: %llu I/Os in flight were cancelled, "
			   "and are counted nowhere", (unsigned long long)c->ios);
	if (w->in_flight)
		stats_note(w->b, "%u I/Os were in flight when the job was told to leave at once: "
			   "they are counted as issued, and have no latency", w->in_flight);
}
