/* SPDX-License-Identifier: MIT */
/* Did the job do what was asked of it, long enough, and was it the device that took the time? */
#include "core/trust_checks.h"
#include "lib/interval.h"

#include <math.h>
#include <string.h>

#define CPU_FULL	95.0		/* percent of the time in which it did not wait for a CPU */
#define CPU_LEAST	10.0		/* percent of all its time: less is no base for that */
#define CPU_WAITED	20.0
#define CPU_MIN_NS	100000000ull	/* counted time below which shares mean nothing */
#define DEPTH_REACHED	0.5		/* of the depth asked for, on average */
#define DEPTH_MIN_IOS	20u		/* times the depth: start and end don't count then */
#define DEPTH_MIN_NS	10000.0		/* faster I/Os are over before the queue can fill */
#define SUBMIT_SHARE	0.5		/* of the time: it is submitting that waits */
#define RATE_REACHED	95.0		/* percent of the rate asked for */
#define RATE_MIN_NS	500000000ull
#define DRIFT_PERCENT	20.0
#define DRIFT_NOISE	4.0		/* standard errors */
#define SHORT_NS	100000000ull
#define LEVEL		0.95		/* of confidence, where none is asked for */
#define PERCENTILE_RARE	95.0		/* those above it are often printed in vain */

static uint64_t samples_in(const struct lat_stat *l)
{
	return hist_count((const struct hist *)l->bins);
}

/* ---- Errors ---------------------------------------------------------------------------------- */

static bool find_failed(const struct trust_scene *s, const struct trust_case *c,
			struct trust_finding *f)
{
	const struct worker_block *b = c->block;

	(void)s;
	if (b->fatal)
		return trust_say(f, TRUST_INVALID, "it ended with an error: %s", b->error_text);
	if (!b->errors)
		return false;
	trust_number(f, "errors", (double)b->errors);
	return trust_say(f, TRUST_DOUBTFUL, "%llu I/Os failed; the first: %s",
			 (unsigned long long)b->errors, b->error_text);
}

/* ---- CPU ------------------------------------------------------------------------------------- */

/* Engines that look for completions instead of sleeping are busy whatever the device does. */
static bool spins(const struct trust_scene *s, const struct trust_case *c)
{
	static const char *const options[] = { "hipri", "sqthread_poll", "thinktime_spin" };

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (trust_set(s, c, options[i]))
			return true;
	return false;
}

/* Was it storage that the job worked with? Copies from and to memory take CPU and nothing else. */
static bool asked_storage(const struct trust_scene *s, const struct trust_case *c)
{
	uint64_t read = trust_dir_bytes(c, DIR_READ), written = trust_dir_bytes(c, DIR_WRITE);

	if (trust_is_dax(s, c))
		return false;
	if (written > read)
		return c->plan->job->files.direct;
	return c->block->storage_known && c->block->read_bytes > read / 2;
}

/* Shares of the counted time, percent: on a CPU; ready to run, but none was free. */
static void cpu_shares(const struct trust_case *c, double *used, double *waited)
{
	*used = 100 * (double)(c->block->usr_us + c->block->sys_us) * 1000 / (double)c->run_ns;
	*waited = 100 * (double)c->block->wait_us * 1000 / (double)c->run_ns;
}

/* Whenever it had a CPU, it used it: it never slept to wait for the device. */
static bool never_slept(const struct trust_scene *s, const struct trust_case *c, double used,
			double waited)
{
	return asked_storage(s, c) && used >= CPU_LEAST &&
	       used >= CPU_FULL / 100 * (100 - waited);
}

static bool find_cpu(const struct trust_scene *s, const struct trust_case *c,
		     struct trust_finding *f)
{
	double used, waited;

	cpu_shares(c, &used, &waited);
	if (!c->block->usage_known || c->run_ns < CPU_MIN_NS || !never_slept(s, c, used, waited) ||
	    spins(s, c))
		return false;
	trust_number(f, "cpu_percent", used);
	trust_number(f, "waited_percent", waited);
	trust_number(f, "user_seconds", (double)c->block->usr_us / 1e6);
	trust_number(f, "system_seconds", (double)c->block->sys_us / 1e6);
	if (used < CPU_FULL)
		return trust_say(f, TRUST_DOUBTFUL, "the worker used %.0f%% of a CPU and waited "
				 "for one for %.0f%% of the time: that was measured, not the "
				 "device", used, waited);
	return trust_say(f, TRUST_DOUBTFUL, "the worker used %.0f%% of a CPU: that was measured, "
			 "not the device", fl_min(used, 100.0));
}

static bool find_waits(const struct trust_scene *s, const struct trust_case *c,
		       struct trust_finding *f)
{
	double used, waited;

	cpu_shares(c, &used, &waited);
	if (!c->block->usage_known || c->run_ns < CPU_MIN_NS || waited < CPU_WAITED ||
	    never_slept(s, c, used, waited))
		return false;
	trust_number(f, "waited_percent", waited);
	trust_number(f, "cpu_percent", used);
	return trust_say(f, TRUST_DOUBTFUL, "for %.0f%% of the time the worker was ready to run, "
			 "but no CPU was free", waited);
}

/* ---- Depth ----------------------------------------------------------------------------------- */

/* Settings with which the queue is not meant to be full at all times. */
static bool means_to_wait(const struct job *job)
{
	const struct depth_conf *d = &job->depth;

	return replay_keeps_time(job->logs) || job->pace.think_ns || job->latency.target_ns ||
	       d->offload || d->serialize ||
	       d->batch_complete_min > 1 ||
	       (d->low && d->low < d->depth) || (d->batch > 1 && d->batch != DEPTH_BATCH_ALL);
}

/* Little's law (J. Little, 1961): the mean number in flight is the sum of their times by time. */
static void in_flight(const struct trust_case *c, double *mean, double *clat_ns, double *submit)
{
	double clat = 0, slat = 0, n = 0;

	for (int i = 0; i < DIRS; i++) {
		const struct dir_stats *d = &c->block->dir[i];
		uint64_t samples = samples_in(&d->clat);

		n += (double)samples;
		clat += samples ? (double)d->clat.m.sum : 0;
		slat += samples ? (double)d->slat.m.sum : 0;
	}
	*mean = clat / (double)c->run_ns;
	*clat_ns = n > 0 ? clat / n : 0;
	*submit = slat / (double)c->run_ns;
}

static bool find_depth(const struct trust_scene *s, const struct trust_case *c,
		       struct trust_finding *f)
{
	const struct job *job = c->plan->job;
	uint64_t ios = trust_dir_ios(c, DIR_READ) + trust_dir_ios(c, DIR_WRITE) +
		       trust_dir_ios(c, DIR_TRIM);
	uint32_t depth = job->depth.depth;
	double mean, clat_ns, submit;

	(void)s;
	if (depth < 2)
		return false;
	trust_number(f, "asked_depth", depth);
	if (c->block->is_sync) {
		trust_number(f, "mean_depth", 1);
		trust_fix(f, "ioengine=io_uring or libaio; or iodepth=1 and numjobs=%u", depth);
		return trust_say(f, TRUST_DOUBTFUL, "iodepth=%u was asked for, but engine %s has "
				 "one I/O in flight at a time", depth, job->engine->ops.name);
	}
	in_flight(c, &mean, &clat_ns, &submit);
	if (means_to_wait(job) || ios < (uint64_t)DEPTH_MIN_IOS * depth || !clat_ns)
		return false;
	if (!job->files.direct && c->facts->target != TRUST_TARGET_NONE && submit > SUBMIT_SHARE) {
		trust_number(f, "submitting_percent", 100 * submit);
		return trust_say(f, TRUST_DOUBTFUL, "iodepth=%u was asked for, but with direct=0 "
				 "each I/O is done while it is submitted: %.0f%% of the time went "
				 "there", depth, 100 * fl_min(submit, 1.0));
	}
	if (clat_ns < DEPTH_MIN_NS || mean >= DEPTH_REACHED * depth)
		return false;
	trust_number(f, "mean_depth", mean);
	trust_fix(f, "find out what keeps the worker: CPU, submission, limits of the device");
	return trust_say(f, TRUST_DOUBTFUL, "iodepth=%u was asked for, but on average %.1f I/Os "
			 "were in flight", depth, mean);
}

/* ---- Rate ------------------------------------------------------------------------------------ */

static bool find_rate(const struct trust_scene *s, const struct trust_case *c,
		      struct trust_finding *f)
{
	double seconds = (double)c->run_ns / 1e9;

	(void)s;
	for (int i = 0; i < DIRS && c->run_ns >= RATE_MIN_NS; i++) {
		const struct trust_rate *asked = &c->facts->asked[i];
		double want = asked->ios > 0 ? asked->ios : asked->bytes;
		double got = (double)(asked->ios > 0 ? trust_dir_ios(c, i) : trust_dir_bytes(c, i));
		double percent = want > 0 ? 100 * got / seconds / want : 100;

		if (percent >= RATE_REACHED)
			continue;
		trust_number(f, "asked_per_second", want);
		trust_number(f, "reached_percent", percent);
		if (asked->ios > 0)
			return trust_say(f, TRUST_DOUBTFUL, "%.6g IOPS were asked for, %.6g were "
					 "reached", want, got / seconds);
		return trust_say(f, TRUST_DOUBTFUL, "%.4g MiB/s were asked for, %.4g were reached",
				 want / (1 << 20), got / seconds / (1 << 20));
	}
	return false;
}

/* ---- Time ------------------------------------------------------------------------------------ */

/* The lowest upper percentile that so few samples tell nothing of; 0: there is none. */
static double not_carried(const struct measure_conf *m, uint64_t n, double confidence)
{
	double level = confidence > 0 ? confidence : LEVEL;

	for (uint32_t i = 0; i < m->list.count; i++)
		if (m->list.v[i] >= 50 && !interval_carried(n, m->list.v[i], level))
			return m->list.v[i];
	return 0;
}

static bool prints_percentiles(const struct measure_conf *m)
{
	return (m->clat_percentiles && !m->disable_clat) || (m->lat_percentiles && !m->disable_lat);
}

static bool find_few(const struct trust_scene *s, const struct trust_case *c,
		     struct trust_finding *f)
{
	const struct measure_conf *m = &c->plan->job->measure;
	uint64_t fewest = UINT64_MAX;
	double percentile;

	if (!prints_percentiles(m))
		return false;
	for (int i = 0; i < DIRS; i++) {
		uint64_t n = samples_in(&c->block->dir[i].clat);

		if (n)
			fewest = fl_min(fewest, n);
	}
	percentile = fewest == UINT64_MAX ? 0 : not_carried(m, fewest, s->confidence);
	trust_number(f, "samples", (double)fewest);
	trust_number(f, "run_seconds", (double)c->run_ns / 1e9);
	if (percentile > 0) {
		trust_number(f, "percentile", percentile);
		return trust_say(f, percentile > PERCENTILE_RARE ? TRUST_OK : TRUST_DOUBTFUL,
				 "%llu samples are too few for p%.6g and what is above it",
				 (unsigned long long)fewest, percentile);
	}
	if (fewest == UINT64_MAX || c->run_ns >= SHORT_NS)
		return false;
	return trust_say(f, TRUST_OK, "the job ran for %.0f ms: what happens now and then has no "
			 "part in its percentiles", (double)c->run_ns / 1e6);
}

static bool find_drift(const struct trust_scene *s, const struct trust_case *c,
		       struct trust_finding *f)
{
	struct trust_drift d = c->drift;
	double percent;

	(void)s;
	if (!d.known || d.first <= 0 || replay_keeps_time(c->plan->job->logs))
		return false;
	percent = 100 * (d.last - d.first) / d.first;
	if (fabs(percent) < DRIFT_PERCENT || fabs(d.last - d.first) < DRIFT_NOISE * d.noise)
		return false;
	trust_number(f, "first_iops", d.first);
	trust_number(f, "last_iops", d.last);
	trust_number(f, "drift_percent", percent);
	trust_number(f, "noise_iops", d.noise);
	return trust_say(f, TRUST_DOUBTFUL, "the rate went from %.4g IOPS in the first third to "
			 "%.4g in the last (%+.0f%%): no steady state", d.first, d.last, percent);
}

const struct trust_check trust_on_load[] = {
	{ .id = "failed", .fix = "see the error", .of_job = find_failed },
	{ .id = "cpu-bound", .needs = TRUST_NEEDS_IO | TRUST_NEEDS_TARGET | TRUST_NEEDS_MEDIUM,
	  .fix = "more workers (numjobs), larger blocks, or another engine", .of_job = find_cpu },
	{ .id = "cpu-wait", .needs = TRUST_NEEDS_IO,
	  .fix = "fewer workers than CPUs, and nothing else on the machine", .of_job = find_waits },
	{ .id = "iodepth", .needs = TRUST_NEEDS_IO, .fix = "direct=1", .of_job = find_depth },
	{ .id = "rate", .needs = TRUST_NEEDS_IO, .fix = "a lower rate, or a higher iodepth=",
	  .of_job = find_rate },
	{ .id = "samples", .needs = TRUST_NEEDS_IO,
	  .fix = "a longer runtime=, or a shorter percentile_list=", .of_job = find_few },
	{ .id = "drift", .needs = TRUST_NEEDS_IO,
	  .fix = "a ramp_time= that ends after the change, or a longer runtime=",
	  .of_job = find_drift },
	{ .id = NULL },
};
