/* SPDX-License-Identifier: MIT */
/* What the machine did to the run. */
#include "core/trust_checks.h"

#include <math.h>
#include <string.h>

#define STEAL_DOUBTFUL	2.0		/* percent of all CPU time */
#define STEAL_MIN_TICKS	10u		/* of 10 ms, mostly: the counters are coarse */
#define WAIT_DOUBTFUL	1.0		/* percent of the run */
#define CLOCK_DEAR_NS	200.0		/* for one reading; the others cost 10 to 40 */
#define CLOCK_PPM	1000.0		/* more than a kernel may slew its own clock */
#define CLOCK_MIN_NS	1000000000ull	/* below it the comparison itself is not better */

static bool find_steal(const struct trust_scene *s, struct trust_finding *f)
{
	uint64_t steal = s->load_after.steal_ticks - s->load_before.steal_ticks;
	uint64_t all = s->load_after.all_ticks - s->load_before.all_ticks;
	double percent = all ? 100.0 * (double)steal / (double)all : 0;

	if (!s->load_before.cpu_known || !s->load_after.cpu_known || steal < STEAL_MIN_TICKS ||
	    percent < STEAL_DOUBTFUL)
		return false;
	trust_number(f, "steal_percent", percent);
	trust_number(f, "steal_ticks", (double)steal);
	return trust_say(f, TRUST_DOUBTFUL, "the hypervisor took %.1f%% of the CPU time for "
			 "others", percent);
}

static bool find_throttled(const struct trust_scene *s, struct trust_finding *f)
{
	uint64_t times = s->cpu_after.throttled - s->cpu_before.throttled;
	uint64_t us = s->cpu_after.throttled_us - s->cpu_before.throttled_us;
	double percent = s->run_ns ? 100.0 * (double)us * 1000 / (double)s->run_ns : 0;

	if (!s->cpu_before.known || !s->cpu_after.known || !times || percent < WAIT_DOUBTFUL)
		return false;
	trust_number(f, "throttled_times", (double)times);
	trust_number(f, "throttled_seconds", (double)us / 1e6);
	trust_number(f, "periods", (double)(s->cpu_after.periods - s->cpu_before.periods));
	return trust_say(f, TRUST_DOUBTFUL, "a control group held the CPU back %llu times, %.2f s "
			 "in all", (unsigned long long)times, (double)us / 1e6);
}

static bool find_heat(const struct trust_scene *s, struct trust_finding *f)
{
	uint64_t events = s->load_after.thermal_events - s->load_before.thermal_events;

	if (!s->load_before.thermal_known || !s->load_after.thermal_known || !events)
		return false;
	trust_number(f, "throttle_events", (double)events);
	return trust_say(f, TRUST_DOUBTFUL, "the CPU slowed down for heat %llu times",
			 (unsigned long long)events);
}

static bool find_clock(const struct trust_scene *s, struct trust_finding *f)
{
	double ppm = fabs(s->clock_error_ppm);

	trust_number(f, "reading_ns", s->clock_cost_ns);
	trust_number(f, "error_ppm", s->clock_error_ppm);
	if (s->clock_cost_ns > CLOCK_DEAR_NS)
		return trust_say(f, TRUST_DOUBTFUL, "one reading of the clock (%s, the kernel's "
				 "%s) costs %.0f ns, and every I/O takes two or three",
				 s->clock_name, s->clock.source, s->clock_cost_ns);
	if (ppm > CLOCK_PPM && s->run_ns >= CLOCK_MIN_NS)
		return trust_say(f, TRUST_DOUBTFUL, "the clock (%s) ran %.0f ppm away from the "
				 "kernel's", s->clock_name, ppm);
	if (!s->clock.is_x86 || s->clock.invariant)
		return false;
	return trust_say(f, TRUST_DOUBTFUL, "the CPU's counter is not invariant: time is what %s "
			 "makes of it", s->clock.source[0] ? s->clock.source : "the kernel");
}

const struct trust_check trust_on_machine[] = {
	{ .id = "steal", .fix = "a machine of your own, or another time", .of_run = find_steal },
	{ .id = "throttled", .fix = "raise the group's cpu.max, or run outside of it",
	  .of_run = find_throttled },
	{ .id = "thermal", .fix = "cool the machine, or bound its clock rate",
	  .of_run = find_heat },
	{ .id = "clock", .fix = "a machine with an invariant TSC; see dmesg about clocksource",
	  .of_run = find_clock },
	{ .id = NULL },
};
