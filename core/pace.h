/* SPDX-License-Identifier: MIT */
/*
 * How long a job runs, and how it takes its time: runtime, ramp, start delay, think time.
 */
#ifndef CORE_PACE_H
#define CORE_PACE_H

#include "core/opt.h"

struct pace_conf {
	uint64_t runtime_ns;		/* 0: no limit */
	uint32_t time_based;
	uint64_t ramp_ns;		/* what is done so long does not count ... */
	uint64_t ramp_bytes;		/* ... nor what comes before so many have been moved */
	struct range start_delay_ns;
	uint64_t think_ns;		/* pause between I/Os */
	uint64_t think_spin_ns;		/* part of it spent busy */
	uint64_t think_blocks;		/* I/Os between two pauses */
	uint32_t think_at_issue;	/* they are counted when issued, not when completed */
	uint64_t think_iotime_ns;	/* pause after so long, however few I/Os; 0: not */
	uint64_t think_cycles;		/* of the CPU's counter, burnt after each I/O */
};

extern const struct opt_table pace_options;

/* pace_check - 0, or -EINVAL with a sentence; 1 with a note in why. */
int pace_check(struct pace_conf *c, char *why, size_t why_bytes);

/* pace_ramps - does the job begin with what does not count? */
fl_inline bool pace_ramps(const struct pace_conf *c)
{
	return c->ramp_ns || c->ramp_bytes;
}

/* pace_thinks - does anything come between one I/O and the next? */
fl_inline bool pace_thinks(const struct pace_conf *c)
{
	return c->think_ns || c->think_cycles;
}

/* When the next pause is due. */
struct pace_think {
	bool due;			/* it is */
	uint64_t ios_left;
	uint64_t at_ns;			/* clock_now_ns(); UINT64_MAX: not by time */
};

/* pace_think_begin - the first pause, and each next one, is counted from now. */
void pace_think_begin(const struct pace_conf *c, struct pace_think *t);

/* pace_think_due - so many more I/Os were counted: is it time for pace_think()? */
bool pace_think_due(const struct pace_conf *c, struct pace_think *t, uint32_t ios);

/* pace_think_ahead - so many of the I/Os until the next pause came before the last one. */
void pace_think_ahead(const struct pace_conf *c, struct pace_think *t, uint32_t ios);

/*
 * pace_think - burn the cycles of so many I/Os; then, if it is due, pause: spin, then sleep the
 * rest. Ends early when *stop becomes true, or clock_now_ns() reaches until_ns (UINT64_MAX: no
 * bound). The next pause is counted from here. Returns how long it took, clock_ticks().
 */
uint64_t pace_think(const struct pace_conf *c, struct pace_think *t, uint32_t ios,
		    uint64_t until_ns, _Atomic uint32_t *stop);

/*
 * pace_sleep_until - sleep until clock_now_ns() reaches at_ns or *stop becomes true. That is
 * noticed at once after futex_wake(stop) or a signal, else soon.
 */
void pace_sleep_until(uint64_t at_ns, _Atomic uint32_t *stop);

#endif
