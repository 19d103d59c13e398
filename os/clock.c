/* SPDX-License-Identifier: MIT */
/*
 * Choosing and calibrating the clock.
 *
 * The counter's rate is measured, not looked up: CPUID leaf 0x15 gives the nominal rate of some
 * Intel parts and nothing at all on AMD or in most virtual machines, and a measurement is needed
 * anyway to see that the counter runs evenly. Two intervals of 2 ms are compared with
 * CLOCK_MONOTONIC. Each end is read several times and the tightest pair kept, which leaves some
 * nanoseconds of doubt: a few parts per million of the interval.
 */
#define _GNU_SOURCE 1
#include "os/clock.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "os/sys.h"

#define CALIBRATE_NS		2000000u	/* one interval; there are two */
#define PAIR_TRIES		8
#define DISAGREE_PPM_MAX	1000.0
#define COST_READS		2000
#define STEP_READS		64
#define BASE_AGO_NS		1000u

/* One moment, as both clocks saw it. */
struct pair {
	uint64_t ticks, ns;
};

/* Before clock_init() it is the kernel's clock, so that an early message has a time. */
struct clock_scale clock_scale = {
	.ns_mult = 1ull << CLOCK_SHIFT, .tick_mult = 1ull << CLOCK_SHIFT, .kernel = true,
};
static struct clock_facts facts;
static struct pair start;

#if defined(__x86_64__)
#define COUNTER_NAME "tsc"

/*
 * CPUID 0x80000007, EDX bit 8: the TSC runs at one rate in all power states (both makers'
 * manuals).
 */
static const char *counter_fault(void)
{
	unsigned int a, b, c, d;

	if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & 1u << 8))
		return "the CPU doesn't promise an invariant TSC";
	return NULL;
}
#elif defined(__aarch64__)
#define COUNTER_NAME "cntvct"

static const char *counter_fault(void)
{
	return NULL;
}
#else
#define COUNTER_NAME "none"

static const char *counter_fault(void)
{
	return "this architecture has no counter that is known here";
}
#endif

/*
 * The kernel watches the TSC for as long as the machine runs and across sockets, which a program
 * that has just started cannot do. When it has turned to one of these, it found a fault.
 */
static const char *kernel_distrust(void)
{
	static const char *const distrust[] = { "hpet", "acpi_pm", "jiffies", "refined-jiffies" };
	char now[32];
	size_t i;

	if (sys_read_text("/sys/devices/system/clocksource/clocksource0/current_clocksource",
			  now, sizeof(now)) < 0)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(distrust); i++)
		if (!strcmp(now, distrust[i]))
			return "the kernel itself doesn't trust the counter as its clock source";
	return NULL;
}

/* Read both clocks at one moment: of several tries the one with the least time in between. */
static struct pair pair_take(void)
{
	struct pair best = { 0, 0 };
	uint64_t gap_best = UINT64_MAX;
	int i;

	for (i = 0; i < PAIR_TRIES; i++) {
		uint64_t before = clock_counter_read();
		uint64_t ns = clock_gettime_ns();
		uint64_t gap = clock_counter_read() - before;

		if (gap < gap_best) {
			gap_best = gap;
			best = (struct pair){ before + gap / 2, ns };
		}
	}
	return best;
}

static struct pair pair_after(struct pair from)
{
	struct pair now;

	do {
		uint64_t gone = clock_gettime_ns() - from.ns;

		if (gone < CALIBRATE_NS)
			clock_sleep_ns(CALIBRATE_NS - gone);
		now = pair_take();
	} while (now.ns - from.ns < CALIBRATE_NS);
	return now;
}

static double pair_rate(struct pair a, struct pair b)
{
	return (double)(b.ticks - a.ticks) / (double)(b.ns - a.ns);
}

/*
 * By gettimeofday(2). Somebody may set it back; then it stands still until it has caught up, since
 * what is made of it are differences without a sign.
 */
static uint64_t timeofday_ticks(void)
{
	static __thread uint64_t last;
	struct timeval tv;
	uint64_t now;

	gettimeofday(&tv, NULL);
	now = (uint64_t)tv.tv_sec * 1000000000u + (uint64_t)tv.tv_usec * 1000u;
	last = fl_max(last, now);
	return last;
}

uint64_t clock_ticks_odd(void)
{
	uint64_t now;

	if (!clock_scale.shared)
		return timeofday_ticks();
	now = __atomic_load_n(clock_scale.shared, __ATOMIC_ACQUIRE);
	return likely(now) ? now : clock_gettime_ns();
}

static void scale_set(double ticks_per_ns, bool counter)
{
	const double one = (double)(1ull << CLOCK_SHIFT);

	clock_scale.ns_mult = (uint64_t)llround(one / ticks_per_ns);
	clock_scale.tick_mult = (uint64_t)llround(one * ticks_per_ns);
	clock_scale.counter = counter;
	clock_scale.kernel = !counter;
	clock_scale.shared = NULL;
	facts.ghz = ticks_per_ns;
	facts.name = counter ? COUNTER_NAME : "clock_gettime";
}

/* Returns NULL when the counter is in use from now on, else why it isn't. */
static const char *counter_try(void)
{
	struct pair a = pair_take(), b = pair_after(a), c = pair_after(b);
	double rate = pair_rate(a, c);
	double off_ppm;

	if (c.ticks <= b.ticks || b.ticks <= a.ticks)
		return "the counter doesn't advance";
	off_ppm = fabs(pair_rate(a, b) - pair_rate(b, c)) / rate * 1e6;
	if (off_ppm > DISAGREE_PPM_MAX)
		return "the counter and CLOCK_MONOTONIC don't keep the same pace";
	facts.error_ppm = off_ppm;
	scale_set(rate, true);
	start = c;
	return NULL;
}

/* The best of several rounds: an interrupt can only add. */
static double cost_measure(void)
{
	double best = INFINITY;
	int round, i;

	for (round = 0; round < 5; round++) {
		uint64_t begin = clock_gettime_ns();
		double cost;

		for (i = 0; i < COST_READS / 5; i++)
			clock_ticks();
		cost = (double)(clock_gettime_ns() - begin) / (COST_READS / 5);
		best = fl_min(best, cost);
	}
	return best;
}

/*
 * Some counters advance in leaps (a Zen 4's TSC by 10 ns, many arm64 counters by 40): latencies are
 * multiples of that step, which a reader of the report should know.
 */
static double step_measure(double cost_ns)
{
	uint64_t step = UINT64_MAX, ticks[STEP_READS];
	int i, equal = 0;

	for (i = 0; i < STEP_READS; i++)
		ticks[i] = clock_ticks();
	for (i = 1; i < STEP_READS; i++) {
		uint64_t a = ticks[i] - ticks[i - 1], b;

		if (!a) {
			equal++;
			continue;
		}
		/* Greatest common divisor by Euclid: every difference is a multiple of the step. */
		for (b = step == UINT64_MAX ? a : step; b; ) {
			uint64_t rest = a % b;

			a = b;
			b = rest;
		}
		step = a;
	}
	if (step == UINT64_MAX)
		return cost_ns;
	return (double)step / facts.ghz;
}

static void begin(void)
{
	facts.cost_ns = cost_measure();
	facts.step_ns = step_measure(facts.cost_ns);
	/* In the past, so that it is never 0 o'clock: a clock that is told may stand still. */
	clock_scale.base_ticks = clock_ticks() - clock_ns_to_ticks(BASE_AGO_NS);
}

/* One of those that are asked for by name, never found. */
static void odd_init(const char *name, const uint64_t *shared)
{
	memset(&facts, 0, sizeof(facts));
	scale_set(1.0, false);
	clock_scale.kernel = false;
	clock_scale.shared = shared;
	facts.name = name;
	facts.why = "another clock was asked for";
	begin();
}

void clock_init_shared(const uint64_t *ns)
{
	odd_init("gtod_cpu", ns);
}

int clock_init(enum clock_source prefer)
{
	const char *why = "clock_gettime was asked for";

	if (prefer == CLOCK_USE_TIMEOFDAY) {
		odd_init("gettimeofday", NULL);
		return 0;
	}
	memset(&facts, 0, sizeof(facts));
	if (prefer != CLOCK_USE_GETTIME) {
		why = counter_fault();
		if (!why && prefer == CLOCK_USE_AUTO)
			why = kernel_distrust();
		if (!why)
			why = counter_try();
	}
	facts.why = why;
	if (why)
		scale_set(1.0, false);
	begin();
	return why && prefer == CLOCK_USE_COUNTER ? -ENOTSUP : 0;
}

const struct clock_facts *clock_facts(void)
{
	return &facts;
}

double clock_recalibrate(void)
{
	struct pair now;
	double true_ns;

	if (!clock_scale.counter)
		return 0.0;
	now = pair_take();
	true_ns = (double)(now.ns - start.ns);
	if (true_ns <= 0)
		return 0.0;
	facts.error_ppm = ((double)clock_ns(now.ticks - start.ticks) - true_ns) / true_ns * 1e6;
	return facts.error_ppm;
}

uint64_t clock_wall_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000u + (uint64_t)ts.tv_nsec / 1000000u;
}

int clock_read_ns(clockid_t id, uint64_t *ns)
{
	struct timespec ts;

	if (clock_gettime(id, &ts) < 0)
		return -errno;
	*ns = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
	return 0;
}

void clock_sharp_sleeps(void)
{
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);	/* 0 would be the default again */
}

uint64_t clock_sleep_ns(uint64_t ns)
{
	struct timespec want = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) }, left;

	if (nanosleep(&want, &left) == 0 || errno != EINTR)
		return 0;
	return (uint64_t)left.tv_sec * 1000000000u + (uint64_t)left.tv_nsec;
}
