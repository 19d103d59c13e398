/* SPDX-License-Identifier: MIT */
/* The lines of --cpuclock-test. */
#include "core/clocks_test.h"
#include "os/clock.h"
#include "os/clock_test.h"

#include <inttypes.h>
#include <string.h>

#define COMPARE_NS	400000000u

static int fail(FILE *out, const char *why)
{
	fprintf(out, "FAILED: %s\n", why);
	return 1;
}

int clocks_test(FILE *out)
{
	const struct clock_facts *f = clock_facts();
	struct clock_test t;
	int err;

	if (clock_init(CLOCK_USE_COUNTER))
		return fail(out, f->why);
	fprintf(out, "counter: %s at %.6f GHz, a reading costs %.1f ns, steps of %.2f ns\n",
		f->name, f->ghz, f->cost_ns, f->step_ns);
	err = clock_test_cpus(&t, COMPARE_NS);
	if (err)
		return fail(out, strerror(-err));
	fprintf(out, "pace: %.2f ppm from CLOCK_MONOTONIC over %.1f s\n", clock_recalibrate(),
		(double)COMPARE_NS / 1e9);
	fprintf(out, "CPUs: %u compared, %" PRIu64 " readings, %" PRIu64 " earlier than one before "
		"them on another CPU", t.cpus, t.readings, t.backward);
	if (t.backward)
		fprintf(out, ", by up to %.1f ns", (double)t.worst_ticks / f->ghz);
	fputc('\n', out);
	if (t.backward)
		return fail(out, "the counters of the CPUs do not agree");
	fputs("passed\n", out);
	return 0;
}
