/* SPDX-License-Identifier: MIT */
/* The course of a run, and where its output goes. */
#include "core/session.h"
#include "core/clocks_watch.h"
#include "core/disks.h"
#include "core/explain.h"
#include "core/live.h"
#include "core/logs.h"
#include "core/merge.h"
#include "core/observers.h"
#include "core/periods.h"
#include "core/replay_watch.h"
#include "core/report.h"
#include "core/run.h"
#include "os/file.h"
#include "os/mapguard.h"
#include "os/mem.h"
#include "os/output.h"
#include "os/sig.h"
#include "os/status.h"
#include "os/sys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TICK_NS		1000000000ull	/* observers look */
#define PERIOD_NS	1000000000ull	/* of jsonl, without --status-interval */
#define LAYOUT_TICK_NS	250000000ull

/* All that lives as long as the run does. */
struct session {
	const struct cli_flags *flags;
	struct diag *diag;
	FILE *out;
	int write_err;			/* first failed write of a report */
	bool logs_failed;
	struct jobs jobs;
	struct plan plan;
	struct crew crew;
	struct disks disks;
	struct progress progress;
	struct live live;
	uint64_t live_due_ns;		/* of the line of progress; 0: the run has not begun */
	struct observers observers;
	struct periods periods;
	uint32_t go_seen;		/* the wave that was released when it was last asked ... */
	size_t idle_jobs;		/* ... who is at work: none of these, until the next one */
	/* layout, as far as it is */
	uint64_t layout_done, layout_bytes, layout_next, layout_begun;
};

static int open_output(struct session *s)
{
	int err;

	if (!s->flags->output || !strcmp(s->flags->output, "-")) {
		s->out = stdout;
		return 0;
	}
	s->out = output_stream(s->flags->output, &err);
	if (s->out)
		return 0;
	diag_error(s->diag, NULL, "--output=%s: the file can't be written: %s", s->flags->output,
		   output_error(err));
	return -EINVAL;
}

static void wrote(struct session *s, int err)
{
	if (err && !s->write_err)
		s->write_err = err;
}

/* ------------------------------------------------------------------ layout */

static void layout_begin(void *ctx, const struct plan_job *pj, uint32_t files, uint64_t bytes)
{
	struct session *s = ctx;

	s->layout_done = 0;
	s->layout_bytes = bytes;
	s->layout_begun = clock_now_ns();
	s->layout_next = s->layout_begun + LAYOUT_TICK_NS;
	progress_clear(&s->progress);
	wrote(s, report_layout(pj->job->name, files, bytes, s->flags->formats, s->out));
}

/* Rate and what is left are those since this job's layout began: pieces are too short to tell. */
static int layout_progress(void *ctx, uint64_t bytes)
{
	struct session *s = ctx;
	struct progress_view v = { .layout = "laying out files", .percent = -1, .eta_s = -1,
				   .style = { .figures = NUM_FIGURES_DEFAULT } };
	uint64_t now = clock_now_ns();
	double seconds = (double)(now - s->layout_begun) / 1e9;

	s->layout_done += bytes;
	if (sig_stops())
		return -ECANCELED;
	if (now < s->layout_next)
		return 0;
	s->layout_next = now + LAYOUT_TICK_NS;
	v.layout_done = s->layout_done;
	v.layout_bytes = fl_max(s->layout_bytes, s->layout_done);
	v.bytes_per_second[DIR_WRITE] = (uint64_t)((double)s->layout_done / seconds);
	if (s->layout_done) {
		v.percent = 100.0 * (double)s->layout_done / (double)v.layout_bytes;
		v.eta_s = (int64_t)(seconds * (double)(v.layout_bytes - s->layout_done) /
				    (double)s->layout_done + 0.5);
	}
	progress_update(&s->progress, &v, false);
	return 0;
}

/* ------------------------------------------------------------------ while it runs */

static void on_tick(void *ctx, const struct crew *crew, uint64_t now_ns)
{
	struct session *s = ctx;

	(void)crew;
	observers_tick(&s->observers, now_ns);
}

static void on_look(void *ctx, uint64_t now_ns)
{
	struct session *s = ctx;

	observers_look(&s->observers, now_ns);
	if (!s->progress.out || now_ns < s->live_due_ns)
		return;
	if (s->live_due_ns)
		live_show(&s->live, &s->crew, now_ns);
	s->live_due_ns = now_ns + s->flags->eta_interval_ns;
}

static int on_enter(void *ctx, char *why, size_t why_bytes)
{
	const struct session *s = ctx;

	return observers_enter(&s->observers, why, why_bytes);
}

/*
 * Is a worker at its I/O? Asked once and again for every job there is, so those that are past it,
 * or wait for their wave, are looked at once per wave. Who is past it does not come back.
 */
static bool any_at_work(struct session *s)
{
	const struct crew *crew = &s->crew;
	uint32_t go = atomic_load(&crew->control->go);
	bool in_front = true;

	if (go != s->go_seen)
		s->idle_jobs = 0;
	s->go_seen = go;
	for (size_t i = s->idle_jobs; i < crew->count; i++) {
		const struct crew_job *j = &crew->jobs[i];
		uint32_t state = WORKER_DONE;

		if (crew_running(j) && j->setup.wave <= go)
			state = atomic_load(&j->block->state);
		if (state >= WORKER_RAMP && state < WORKER_FINISH)
			return true;
		in_front &= state >= WORKER_FINISH;
		s->idle_jobs += in_front;
	}
	return false;
}

/*
 * Observers may read what the jobs are about to read: of that the disks are not to tell, where
 * nothing else goes on. Returns whether aside_end() is to be called.
 */
static bool aside_begin(struct session *s)
{
	bool idle = !any_at_work(s);

	if (idle)
		disks_pause(&s->disks);
	return idle;
}

static void aside_end(struct session *s, bool begun)
{
	if (begun)
		disks_resume(&s->disks);
}

static void on_job_begins(void *ctx, size_t i)
{
	struct session *s = ctx;
	bool aside = aside_begin(s);

	observers_job_begins(&s->observers, i);
	aside_end(s, aside);
}

static int on_may_go(void *ctx, size_t i, char *why, size_t why_bytes)
{
	struct session *s = ctx;
	bool aside = aside_begin(s);
	int err = observers_may_go(&s->observers, i, why, why_bytes);

	aside_end(s, aside);
	return err;
}

static void on_job_measured(void *ctx, size_t i)
{
	struct session *s = ctx;
	bool aside = aside_begin(s);

	observers_job_measured(&s->observers, i);
	aside_end(s, aside);
}

static void on_job_ended(void *ctx, size_t i)
{
	struct session *s = ctx;
	bool aside = aside_begin(s);

	observers_job_ended(&s->observers, i);
	aside_end(s, aside);
}

static void write_result(struct session *s, bool final)
{
	struct result_added added = observers_added(&s->observers);
	struct result r;

	progress_clear(&s->progress);
	merge_make(&r, &s->crew, &s->jobs, &s->disks, s->diag, final);
	r.added = &added;
	for (size_t i = 0; i < r.nr_jobs; i++)
		r.jobs[i].confidence = s->flags->confidence / 100;
	observers_fill(&s->observers, &r);
	wrote(s, report_write(&r, s->flags->formats, &s->flags->how, s->out));
	merge_free(&r);
}

static void on_status(void *ctx, const struct crew *crew)
{
	(void)crew;
	write_result(ctx, false);
}

static void on_period(void *ctx, const struct crew *crew, uint64_t now_ns)
{
	struct session *s = ctx;

	if (periods_take(&s->periods, crew, &s->jobs, now_ns))
		return;		/* the next one has it */
	progress_clear(&s->progress);
	wrote(s, report_intervals(&s->periods, s->out));
}

/* ------------------------------------------------------------------ the end */

/*
 * Each failure once on stderr, in words; the results have it too. Returns whether any job failed.
 */
static bool tell_failures(const struct session *s)
{
	bool any = false;

	for (size_t i = 0; i < s->crew.count; i++) {
		const struct crew_job *j = &s->crew.jobs[i];

		if (!j->block->fatal)
			continue;
		any = true;
		diag_say(stderr, "fio-like: job %s: %s", j->plan->job->name, j->block->error_text);
	}
	return any;
}

static int finish(struct session *s)
{
	bool failed = tell_failures(s) || s->logs_failed;
	char name[32];

	if (s->out != stdout && fclose(s->out))
		wrote(s, -errno);
	if (s->write_err) {
		diag_say(stderr, "fio-like: the results could not be written to %s: %s",
			 s->flags->output ? s->flags->output : "standard output",
			 strerror(-s->write_err));
		failed = true;
	}
	if (!s->crew.stopped_by)
		return failed ? 1 : observers_status(&s->observers);
	fprintf(stderr, "fio-like: stopped by %s; the results are those until then\n",
		status_signal_name(s->crew.stopped_by, name, sizeof(name)));
	return 128 + s->crew.stopped_by;
}

static void start_progress(struct session *s)
{
	bool terminal = sys_is_terminal(STDERR_FILENO);

	progress_init(&s->progress, stderr, (enum progress_when)s->flags->eta, terminal,
		      (unsigned)sys_terminal_width(STDERR_FILENO));
	live_init(&s->live, &s->progress, s->flags->eta_newline_ns);
}

/* lockmem: the largest that any job asks for is taken away while the run lasts. */
static int lock_memory(struct session *s, void **locked, uint64_t *bytes)
{
	int err = 0;

	*locked = NULL;
	*bytes = 0;
	for (size_t i = 0; i < s->jobs.count; i++)
		*bytes = fl_max(*bytes, s->jobs.list[i].proc.lockmem);
	if (*bytes)
		*locked = mem_lock(*bytes, &err);
	if (err)
		diag_error(s->diag, NULL, "lockmem=%llu: %s; is it more than ulimit -l allows?",
			   (unsigned long long)*bytes, strerror(-err));
	return err;
}

static int run_plan(struct session *s)
{
	struct run_watch watch = {
		.look = on_look, .tick = on_tick, .tick_ns = TICK_NS, .job_begins = on_job_begins,
		.may_go = on_may_go, .job_measured = on_job_measured,
		.job_ended = on_job_ended, .enter = on_enter, .status = on_status,
		.status_ns = s->flags->status_interval_ns, .ctx = s,
	};
	bool intervals = report_has_intervals(s->flags->formats);
	uint64_t locked_bytes;
	void *locked;
	char why[256];

	if (intervals) {
		watch.period = on_period;
		watch.period_ns = watch.status_ns ? watch.status_ns : PERIOD_NS;
	}
	if (crew_init(&s->crew, &s->plan, why, sizeof(why))) {
		diag_error(s->diag, NULL, "%s", why);
		return 1;
	}
	if (lock_memory(s, &locked, &locked_bytes))
		return 1;
	if (logs_start(&s->crew.logs, &s->crew, s->flags->bandwidth_log, why, sizeof(why))) {
		diag_error(s->diag, NULL, "%s", why);
		return 1;
	}
	disks_find(&s->disks, &s->plan);
	disks_begin(&s->disks);
	observers_ready(&s->observers, &s->crew, &s->disks);
	disks_begin(&s->disks);		/* they may have read, too */
	logs_tell(s->crew.logs);
	run_all(&s->crew, &watch);
	disks_end(&s->disks);
	if (intervals)
		on_period(s, &s->crew, clock_now_ns());
	s->logs_failed = logs_finish(s->crew.logs);
	s->crew.logs = NULL;
	observers_finish(&s->observers);
	if (locked)
		mem_unlock(locked, locked_bytes);
	write_result(s, true);
	return finish(s);
}

static int lay_out_and_run(struct session *s)
{
	const struct plan_watch watch = {
		layout_begin, layout_progress, s->jobs.list[0].memlimit.bytes ? on_enter : NULL, s,
	};
	struct result_section *sections;
	size_t count;

	if (observers_begin(&s->observers, s->flags, &s->jobs, &s->plan, s->diag))
		return 1;
	sections = merge_sections(&s->plan, &count);
	wrote(s, report_header(sections, count, s->flags->formats, s->out));
	free(sections);
	/* When it was stopped here the run begins and ends at once: that is its report. */
	plan_layout(&s->plan, &watch, s->diag);
	s->plan.aux_path = s->flags->aux_path;
	progress_clear(&s->progress);
	return run_plan(s);
}

/* --explain */
static int explain(struct session *s, const struct spec *spec)
{
	report_formats json = report_bit(report_by_name("json")) |
			      report_bit(report_by_name("json+"));
	struct preview p;
	int err;

	if (open_output(s))
		return 1;
	preview_make(&p, s->flags, spec, &s->jobs, OUTLOOK_STEPS);
	p.parsed = s->diag;
	if (s->flags->formats & json)
		explain_json(&p, s->out);
	else
		explain_text(&p, s->flags->explain_all, s->out);
	preview_free(&p);
	err = ferror(s->out) ? -EIO : 0;
	if (s->out != stdout ? fclose(s->out) : fflush(s->out))
		err = -errno;
	if (err)
		diag_error(s->diag, NULL, "--explain could not be written to %s: %s",
			   s->flags->output ? s->flags->output : "standard output",
			   strerror(-err));
	return err ? 1 : 0;
}

/* --parse-only: doubts are told as notes. */
static int tell_doubts(struct session *s, const struct spec *spec)
{
	struct preview p;

	preview_make(&p, s->flags, spec, &s->jobs, 0);
	preview_note(&p, s->diag);
	preview_free(&p);
	if (diag_errors(s->diag))
		return 1;		/* of --warnings-fatal */
	diag_print_notes(s->diag, stderr);
	return 0;
}

int session_run(const struct cli *cli, struct diag *diag)
{
	const struct jobs_forbidden forbidden = { cli->flags.readonly, cli->flags.no_exec };
	struct session s = { .flags = &cli->flags, .diag = diag };
	int status = 1;

	if (!jobs_parse(&s.jobs, cli->spec, &forbidden, diag)) {
		if (cli->flags.action == CLI_PARSE_ONLY) {
			status = s.jobs.count ? tell_doubts(&s, cli->spec) : 0;
		} else if (cli->flags.action == CLI_EXPLAIN) {
			status = explain(&s, cli->spec);
		} else if (cli->flags.action == CLI_SHOWCMD) {
			spec_show(cli->spec, "fio-like", stdout);
			status = 0;
		} else if (cli->flags.action == CLI_MERGE) {
			status = replay_merge_all(&s.jobs, diag) ? 1 : 0;
		} else if (!s.jobs.count) {
			diag_error(diag, NULL, "no job is defined; give a job file, or --name=JOB "
				   "and its options (--help)");
		} else {
			sig_install();
			mapguard_install();
			file_limit_raise();
			start_progress(&s);
			if (!clocks_start(&s.jobs, diag) && !plan_make(&s.plan, &s.jobs, diag) &&
			    !open_output(&s))
				status = lay_out_and_run(&s);
		}
	}
	diag_print(diag, stderr);
	observers_done(&s.observers);
	clocks_end();
	live_free(&s.live);
	periods_free(&s.periods);
	crew_free(&s.crew);
	plan_free(&s.plan);
	jobs_free(&s.jobs);
	return status;
}

void session_check(const struct cli *cli, struct diag *diag)
{
	const struct jobs_forbidden forbidden = { cli->flags.readonly, cli->flags.no_exec };
	struct jobs jobs;

	jobs_parse(&jobs, cli->spec, &forbidden, diag);
	jobs_free(&jobs);
}
