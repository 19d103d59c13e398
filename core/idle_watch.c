/* SPDX-License-Identifier: MIT */
/* Units of work counted while the jobs run. */
#include "core/idle_watch.h"
#include "os/idle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct idle_watch {
	struct idle idle;
	bool on, over;
	uint64_t *before;		/* units by CPU, when the run began */
	uint64_t begin_ns, end_ns;	/* clock_now_ns() */
	struct result_idle shown;
};

/* Before the workers are started: they inherit nothing of it, and it measures undisturbed. */
static int begin(void *self, const struct observed *run, struct diag *diag)
{
	struct idle_watch *w = self;
	int err;

	if (run->flags->idle == CLI_IDLE_NONE)
		return 0;
	err = idle_start(&w->idle);
	if (err) {
		diag_error(diag, NULL, "--idle-prof: units of work cannot be measured: %s",
			   strerror(-err));
		return err;
	}
	w->on = true;
	w->before = calloc(w->idle.cpus, sizeof(*w->before));
	w->shown.cpus = calloc(w->idle.cpus, sizeof(*w->shown.cpus));
	if (w->before && w->shown.cpus)
		return 0;
	diag_error(diag, NULL, "--idle-prof: no memory for the CPUs");
	return -ENOMEM;
}

static void ready(void *self, const struct observed *run)
{
	struct idle_watch *w = self;

	(void)run;
	for (size_t i = 0; w->on && i < w->idle.cpus; i++)
		w->before[i] = w->idle.cpu[i].units;
	w->begin_ns = clock_now_ns();
}

/* What has been counted so far becomes shares of the time. */
static void add_up(struct idle_watch *w, const struct observed *run, uint64_t now_ns)
{
	double elapsed = (double)(now_ns - w->begin_ns), sum = 0;

	w->shown.nr = w->idle.cpus;
	w->shown.each = run->flags->idle == CLI_IDLE_PERCPU;
	for (size_t i = 0; i < w->idle.cpus; i++) {
		const struct idle_cpu *c = &w->idle.cpu[i];
		double idle = (double)(c->units - w->before[i]) * c->unit_ns;

		w->shown.cpus[i].number = c->cpu;
		w->shown.cpus[i].percent = elapsed > 0 ? fl_min(100 * idle / elapsed, 100.0) : 0;
		sum += w->shown.cpus[i].percent;
	}
	w->shown.system = sum / (double)w->idle.cpus;
	idle_unit(&w->idle, &w->shown.unit_ns, &w->shown.unit_stddev_ns);
}

static void finish(void *self, const struct observed *run)
{
	struct idle_watch *w = self;

	if (!w->on)
		return;
	add_up(w, run, clock_now_ns());
	w->over = true;
}

static void fill(void *self, const struct observed *run, struct result *r)
{
	struct idle_watch *w = self;

	if (!w->on)
		return;
	if (!w->over)
		add_up(w, run, clock_now_ns());
	r->idle = &w->shown;
}

static void done(void *self)
{
	struct idle_watch *w = self;

	if (w->on)
		idle_stop(&w->idle);
	free(w->before);
	free(w->shown.cpus);
}

const struct observer idle_observer = {
	.name = "idle",
	.state_bytes = sizeof(struct idle_watch),
	.begin = begin,
	.ready = ready,
	.finish = finish,
	.fill = fill,
	.done = done,
};

int idle_calibrate(FILE *out)
{
	double mean, stddev;
	struct idle idle;
	int err = idle_start(&idle);

	if (err) {
		diag_say(stderr, "fio-like: --idle-prof=calibrate: %s", strerror(-err));
		return 1;
	}
	idle_unit(&idle, &mean, &stddev);
	idle_stop(&idle);
	fprintf(out, "CPU idleness:\n  unit work: mean=%.2fus, stddev=%.2f\n", mean / 1000,
		stddev / 1000);
	return 0;
}
