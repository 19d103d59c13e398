/* SPDX-License-Identifier: MIT */
/* Waiting: between I/Os, before the start. */
#include "core/pace.h"
#include "os/clock.h"
#include "os/futex.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

#define NAP_NS		100000000ull	/* longest sleep before the stop flag is looked at again */

static const struct fl_opt_value think_types[] = {
	{ "complete", 0, "when they are completed" },
	{ "issue", 1, "when they are issued" },
	{ NULL, 0, NULL },
};

#define AT(member)	.offset = offsetof(struct pace_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "runtime", .alias = "timeout", .type = FL_OPT_TIME, AT(runtime_ns),
	  .help = "end the job after this time; 0 is no limit" },
	{ .name = "time_based", .type = FL_OPT_FLAG, AT(time_based),
	  .help = "run for all of runtime, going over the files again and again" },
	{ .name = "ramp_time", .type = FL_OPT_TIME, AT(ramp_ns),
	  .help = "run this long before anything is counted; comes on top of runtime" },
	{ .name = "ramp_size", .type = FL_OPT_SIZE, AT(ramp_bytes),
	  .help = "move so many bytes before anything is counted",
	  .more = "With group_reporting those of all jobs of the group together. With ramp_time, "
		  "too, counting begins when both are over." },
	{ .name = "startdelay", .type = OPT_RANGE_TIME, AT(start_delay_ns),
	  .help = "wait before the job starts; a range draws the time at random" },
	{ .name = "thinktime", .type = FL_OPT_TIME, AT(think_ns), .def_unit_ns = 1000,
	  .help = "pause between I/Os, in no latency",
	  .more = "What is in flight is waited for before the pause begins." },
	{ .name = "thinktime_spin", .type = FL_OPT_TIME, AT(think_spin_ns), .def_unit_ns = 1000,
	  .help = "part of thinktime spent busy on the CPU" },
	{ .name = "thinktime_blocks", .type = FL_OPT_U64, AT(think_blocks), .min = 1,
	  .max = UINT32_MAX,
	  .help = "I/Os between two pauses; default: 1, without thinktime_iotime" },
	{ .name = "thinktime_blocks_type", .type = FL_OPT_ENUM, AT(think_at_issue),
	  .def = "complete", .values = think_types,
	  .help = "when I/Os are counted for thinktime_blocks" },
	{ .name = "thinktime_iotime", .type = FL_OPT_TIME, AT(think_iotime_ns),
	  .help = "pause after I/O has gone on for this long",
	  .more = "With thinktime_blocks, whichever comes first; without, this alone." },
	{ .name = "thinkcycles", .type = FL_OPT_U64, AT(think_cycles), .max = UINT32_MAX,
	  .unit = "cycles of the CPU's time stamp counter",
	  .help = "keep the CPU busy for so long after each I/O, before the next",
	  .more = "Beside what else is in flight. Where there is no such counter that can be "
		  "trusted, a cycle is a nanosecond." },
};

const struct opt_table pace_options = OPT_TABLE("Time", rows, 0);

int pace_check(struct pace_conf *c, char *why, size_t why_bytes)
{
	if ((c->think_iotime_ns || c->think_at_issue) && !c->think_ns) {
		snprintf(why, why_bytes, "thinktime_iotime and thinktime_blocks_type have no "
			 "effect without thinktime");
		return -EINVAL;
	}
	if (!c->think_blocks && !c->think_iotime_ns)
		c->think_blocks = 1;
	if (c->think_spin_ns > c->think_ns) {
		snprintf(why, why_bytes, "thinktime_spin is longer than thinktime, "
			 "of which it is a part");
		return -EINVAL;
	}
	if (c->time_based && !c->runtime_ns) {
		snprintf(why, why_bytes, "time_based without runtime has no effect; give runtime=");
		c->time_based = 0;
		return 1;
	}
	if (c->start_delay_ns.lo > c->start_delay_ns.hi) {
		uint64_t lo = c->start_delay_ns.hi;

		c->start_delay_ns.hi = c->start_delay_ns.lo;
		c->start_delay_ns.lo = lo;
	}
	return 0;
}

void pace_sleep_until(uint64_t at_ns, _Atomic uint32_t *stop)
{
	uint64_t now = clock_now_ns();

	while (now < at_ns && !atomic_load_explicit(stop, memory_order_relaxed)) {
		futex_wait(stop, 0, fl_min(at_ns - now, NAP_NS));
		now = clock_now_ns();
	}
}

void pace_think_begin(const struct pace_conf *c, struct pace_think *t)
{
	t->due = false;
	t->ios_left = c->think_blocks;
	t->at_ns = c->think_iotime_ns ? clock_now_ns() + c->think_iotime_ns : UINT64_MAX;
}

bool pace_think_due(const struct pace_conf *c, struct pace_think *t, uint32_t ios)
{
	uint64_t passed = fl_min(t->ios_left, (uint64_t)ios);

	if (!ios)
		return false;
	if (c->think_ns) {
		t->due = passed && passed == t->ios_left;
		t->due |= t->at_ns != UINT64_MAX && clock_now_ns() >= t->at_ns;
		t->ios_left -= passed;
	}
	return t->due || c->think_cycles;
}

void pace_think_ahead(const struct pace_conf *c, struct pace_think *t, uint32_t ios)
{
	if (c->think_blocks && t->ios_left == c->think_blocks)
		t->ios_left -= ios % c->think_blocks;
}

/* Until clock_now_ns() reaches until_ns, or *stop becomes true. */
static void spin(uint64_t until_ns, _Atomic uint32_t *stop)
{
	while (clock_now_ns() < until_ns && !atomic_load_explicit(stop, memory_order_relaxed))
		;
}

uint64_t pace_think(const struct pace_conf *c, struct pace_think *t, uint32_t ios,
		    uint64_t until_ns, _Atomic uint32_t *stop)
{
	uint64_t begun = clock_ticks(), burnt_ns, start_ns;

	if (c->think_cycles) {
		burnt_ns = clock_ns_at(begun + c->think_cycles * ios);
		spin(fl_min(burnt_ns, until_ns), stop);
	}
	if (t->due) {
		start_ns = clock_now_ns();
		spin(fl_min(start_ns + c->think_spin_ns, until_ns), stop);
		pace_sleep_until(fl_min(start_ns + c->think_ns, until_ns), stop);
		pace_think_begin(c, t);
	}
	return clock_ticks() - begun;
}
