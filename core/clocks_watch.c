/* SPDX-License-Identifier: MIT */
/* Choosing the clock, and a look at the process that tells the time. */
#include "core/clocks_watch.h"
#include "os/clock.h"
#include "os/clock_cpu.h"

#include <errno.h>
#include <string.h>

/* The last that was given; what differs from it is remarked on. */
static struct clocks_conf choose(const struct jobs *jobs, struct diag *diag)
{
	struct clocks_conf all = { .gtod_cpu = -1 };
	const struct job *from = NULL;

	for (size_t i = 0; i < jobs->count; i++) {
		const struct job *job = &jobs->list[i];
		const struct clocks_conf *c = &job->clocks;

		if (!c->source && c->gtod_cpu < 0)
			continue;
		if (from && (c->source != all.source || c->gtod_cpu != all.gtod_cpu))
			diag_note(diag, &job->at, "jobs %s and %s ask for different clocks; there "
				  "is one for the whole run, and that of %s is taken",
				  from->name, job->name, job->name);
		all = *c;
		from = job;
	}
	return all;
}

static int start_teller(int64_t cpu, struct diag *diag)
{
	const uint64_t *now;
	int err = clock_cpu_start((unsigned)cpu, &now);

	if (!err) {
		clock_init_shared(now);
		return 0;
	}
	diag_error(diag, NULL, "gtod_cpu=%d: %s", (int)cpu, err == -EBUSY ?
		   "no CPU would be left for the jobs" : err == -EINVAL ?
		   "there is no such CPU, or this process may not run on it" : strerror(-err));
	return -EINVAL;
}

int clocks_start(const struct jobs *jobs, struct diag *diag)
{
	struct clocks_conf c = choose(jobs, diag);

	if (c.gtod_cpu >= 0)
		return start_teller(c.gtod_cpu, diag);
	if (clock_init((enum clock_source)c.source)) {
		diag_error(diag, NULL, "clocksource=cpu: %s; use clocksource=clock_gettime",
			   clock_facts()->why);
		return -EINVAL;
	}
	return 0;
}

void clocks_end(void)
{
	clock_cpu_stop();
}

static void look(void *self, const struct observed *run, uint64_t now_ns)
{
	(void)self;
	(void)run;
	(void)now_ns;
	clock_cpu_check();
}

const struct observer clocks_observer = {
	.name = "clocks",
	.look = look,
};
