/* SPDX-License-Identifier: MIT */
/* The rows of all observers, and the loops over them. */
#include "core/observers.h"
#include "core/cachestat.h"
#include "core/cgroups_run.h"
#include "core/clocks_watch.h"
#include "core/environment.h"
#include "core/exec_files.h"
#include "core/flow_watch.h"
#include "core/iosched_switch.h"
#include "core/idle_watch.h"
#include "core/leftover.h"
#include "core/memlimit_run.h"
#include "core/metrics.h"
#include "core/replay_watch.h"
#include "core/safety_watch.h"
#include "core/steady_watch.h"
#include "core/slowest.h"
#include "core/judge.h"
#include "core/statistics.h"
#include "core/trust_watch.h"
#include "core/trigger.h"
#include "core/verify_shared.h"
#include "core/verify_state.h"
#include "core/zbd_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The order is that of begin() and of what they write in a result. */
static const struct observer *const all[] = {
	&safety_observer,
	&replay_observer,
	&memlimit_observer,
	&cgroups_observer,
	&clocks_observer,
	&idle_observer,
	&exec_files,
	&flow_observer,
	&iosched_observer,
	&leftover_observer,
	&cachestat_observer,
	&statistics_observer,
	&steady_observer,
	&slowest_observer,
	&zbd_observer,
	&verify_shared,
	&environment_observer,
	&metrics_observer,
	&verify_state,
	&trigger_observer,
	&judge_observer,
	/* last: its line is the last of a result, and it has seen the findings of all others */
	&trust_observer,
	NULL,
};

#define EACH(o, i) \
	for (size_t i = 0; (o) && (o)->begun && all[i]; i++) \
		if ((o)->self[i])

int observers_begin(struct observers *o, const struct cli_flags *flags, const struct jobs *jobs,
		    const struct plan *plan, struct diag *diag)
{
	int err = 0;

	_Static_assert(ARRAY_SIZE(all) <= OBSERVERS_MAX + 1, "a place for the state of each");
	o->run = (struct observed){
		.flags = flags, .jobs = jobs, .plan = plan, .trust = &o->trust,
	};
	o->begun = true;
	for (size_t i = 0; !err && all[i]; i++) {
		o->self[i] = calloc(1, fl_max(all[i]->state_bytes, (size_t)1));
		if (!o->self[i])
			err = -ENOMEM;
		else if (all[i]->begin)
			err = all[i]->begin(o->self[i], &o->run, diag);
	}
	return err;
}

int observers_enter(const struct observers *o, char *why, size_t why_bytes)
{
	int err = 0;

	EACH(o, i)
		if (!err && all[i]->enter)
			err = all[i]->enter(o->self[i], why, why_bytes);
	return err;
}

void observers_ready(struct observers *o, const struct crew *crew, const struct disks *disks)
{
	o->run.crew = crew;
	o->run.disks = disks;
	o->run.series = series_init(&o->series, o->run.plan->count) ? NULL : &o->series;
	EACH(o, i)
		if (all[i]->ready)
			all[i]->ready(o->self[i], &o->run);
}

void observers_job_begins(struct observers *o, size_t job)
{
	EACH(o, i)
		if (all[i]->job_begins)
			all[i]->job_begins(o->self[i], &o->run, job);
}

int observers_may_go(struct observers *o, size_t job, char *why, size_t why_bytes)
{
	int err = 0;

	EACH(o, i)
		if (!err && all[i]->may_go)
			err = all[i]->may_go(o->self[i], &o->run, job, why, why_bytes);
	return err;
}

void observers_job_measured(struct observers *o, size_t job)
{
	EACH(o, i)
		if (all[i]->job_measured)
			all[i]->job_measured(o->self[i], &o->run, job);
}

void observers_job_ended(struct observers *o, size_t job)
{
	EACH(o, i)
		if (all[i]->job_ended)
			all[i]->job_ended(o->self[i], &o->run, job);
}

void observers_look(struct observers *o, uint64_t now_ns)
{
	if (o->run.series)
		series_look(&o->series, o->run.crew, now_ns);
	EACH(o, i)
		if (all[i]->look)
			all[i]->look(o->self[i], &o->run, now_ns);
}

void observers_tick(struct observers *o, uint64_t now_ns)
{
	EACH(o, i)
		if (all[i]->tick)
			all[i]->tick(o->self[i], &o->run, now_ns);
}

void observers_finish(struct observers *o)
{
	EACH(o, i)
		if (all[i]->finish)
			all[i]->finish(o->self[i], &o->run);
}

void observers_fill(struct observers *o, struct result *r)
{
	EACH(o, i)
		if (all[i]->fill)
			all[i]->fill(o->self[i], &o->run, r);
}

void observers_done(struct observers *o)
{
	EACH(o, i) {
		if (all[i]->done)
			all[i]->done(o->self[i]);
		free(o->self[i]);
	}
	trust_done(&o->trust);
	series_free(&o->series);
	memset(o, 0, sizeof(*o));
}

static void job_text(const void *ctx, const struct result *r, const struct result_job *j,
		     FILE *out)
{
	const struct observers *o = ctx;

	EACH(o, i)
		if (all[i]->job_text)
			all[i]->job_text(o->self[i], r, j, out);
}

static void job_json(const void *ctx, const struct result *r, const struct result_job *j,
		     struct json *doc)
{
	const struct observers *o = ctx;

	EACH(o, i)
		if (all[i]->job_json)
			all[i]->job_json(o->self[i], r, j, doc);
}

static void group_text(const void *ctx, const struct result *r, const struct result_group *g,
		       int dir, FILE *out)
{
	const struct observers *o = ctx;

	EACH(o, i)
		if (all[i]->group_text)
			all[i]->group_text(o->self[i], r, g, dir, out);
}

static void run_text(const void *ctx, const struct result *r, FILE *out)
{
	const struct observers *o = ctx;

	EACH(o, i)
		if (all[i]->run_text)
			all[i]->run_text(o->self[i], r, out);
}

static void run_json(const void *ctx, const struct result *r, struct json *doc)
{
	const struct observers *o = ctx;

	EACH(o, i)
		if (all[i]->run_json)
			all[i]->run_json(o->self[i], r, doc);
}

struct result_added observers_added(const struct observers *o)
{
	return (struct result_added){ job_text, job_json, group_text, run_text, run_json, o };
}

int observers_status(const struct observers *o)
{
	int status = 0;

	EACH(o, i)
		if (!status && all[i]->status)
			status = all[i]->status(o->self[i]);
	return status;
}
