/* SPDX-License-Identifier: MIT */
/* How the job goes: time, clones that get into each other's way, verifying, memory, logs. */
#include "core/doubts.h"
#include "lib/numfmt.h"

#include <string.h>

#define SLOW_RATE	(32u << 20)	/* bytes per second that about any disk manages in order */
#define SLOW_IOS	50u		/* I/Os per second that any disk manages */
#define FELLOWS_MAX	4096u		/* jobs that one is compared with */
#define LOG_LINES	10000000u	/* more of them fill a disk, and nobody reads them */

static const struct num_style style = { .figures = NUM_FIGURES_DEFAULT };

/* How long the job takes on a slow disk, s; 0: not known. */
static double slowly(const struct doubt_case *c)
{
	const struct outlook *o = c->outlook;
	double by_bytes = (double)outlook_bytes(o) / SLOW_RATE;
	double by_ios = (double)outlook_ios(o) / SLOW_IOS;

	if (o->endless || !outlook_ios(o))
		return 0;
	return (c->job->workload.rw.bits & RW_RANDOM ? by_ios : by_bytes) / c->n +
	       (double)o->pace_ns / 1e9;
}

static bool find_short(const struct doubt_case *c, struct doubt *d)
{
	double runtime = (double)c->job->pace.runtime_ns / 1e9, s = slowly(c);

	if (s <= 0 || s >= runtime)
		return false;
	return doubt_say(d, DOUBT_DOUBTFUL, "runtime=%s only bounds the job: without time_based it "
			 "ends as soon as its %s are through",
			 num_duration(c->job->pace.runtime_ns).s,
			 num_bytes(outlook_bytes(c->outlook), style).s);
}

static bool find_ramp(const struct doubt_case *c, struct doubt *d)
{
	double ramp = (double)c->job->pace.ramp_ns / 1e9, s = slowly(c);

	if (s <= 0 || s >= ramp)
		return false;
	return doubt_say(d, DOUBT_DOUBTFUL, "ramp_time=%s: the job may be over before it is "
			 "counted", num_duration(c->job->pace.ramp_ns).s);
}

static bool find_few(const struct doubt_case *c, struct doubt *d)
{
	if (!c->job->workload.number_ios || !c->job->pace.time_based)
		return false;
	return doubt_say(d, DOUBT_NOTE, "number_ios=%llu ends the job, time_based or not",
			 (unsigned long long)c->job->workload.number_ios);
}

/* A rate is kept over time: what a pause has left out comes right behind it. */
static bool find_bursts(const struct doubt_case *c, struct doubt *d)
{
	if (!rate_dirs(&c->job->rate) || !c->job->pace.think_ns || c->job->rate.ignore_thinktime)
		return false;
	return doubt_say(d, DOUBT_NOTE, "what the rate would have started during a pause of "
			 "thinktime is caught up with behind it: I/Os come in bursts");
}

static bool find_rate_unused(const struct doubt_case *c, struct doubt *d)
{
	uint32_t rated = rate_dirs(&c->job->rate);

	if (!rated || rated & c->job->workload.rw.bits)
		return false;
	d->option = doubt_given(c, "rate") ? "rate" : "rate_iops";
	return doubt_say(d, DOUBT_DOUBTFUL, "%s is about directions that rw=%s does not have",
			 d->option, workload_rw_name(c->job->workload.rw.bits));
}

static bool find_no_depth(const struct doubt_case *c, struct doubt *d)
{
	if (!c->job->latency.target_ns || !c->facts->sync || c->facts->broken[0])
		return false;
	return doubt_say(d, DOUBT_DOUBTFUL, "latency_target varies how many I/Os are in flight, "
			 "and here it is always one");
}

static bool find_never_steady(const struct doubt_case *c, struct doubt *d)
{
	const struct steady_conf *s = &c->job->steady;
	uint64_t need = s->ramp_ns + s->duration_ns, have = c->job->pace.runtime_ns;

	if (!s->text || !s->duration_ns || !have || have >= need)
		return false;
	return doubt_say(d, DOUBT_DOUBTFUL, "the job ends after %s, and whether it is steady is "
			 "known after %s at the earliest", num_duration(have).s,
			 num_duration(need).s);
}

/* All clones walk through the same blocks at the same time. */
static bool find_same_way(const struct doubt_case *c, struct doubt *d)
{
	const struct files_conf *f = &c->job->files;

	if (!c->outlook->shared || f->offset_increment.bytes || f->offset_increment.percent > 0)
		return false;
	return doubt_say(d, DOUBT_DOUBTFUL, "%u clones go through the same part of %s in the same "
			 "order: one asks the device, the others find it in a cache", c->n,
			 c->facts->name);
}

/* Do the two have a part of their first files in common? */
static bool overlap(const struct plan_job *a, const struct plan_job *b)
{
	char mine[FILES_NAME_BYTES], other[FILES_NAME_BYTES];
	const struct file_plan *p = a->files.plan, *q = b->files.plan;

	return p && q && p->start < q->start + q->bytes && q->start < p->start + p->bytes &&
	       !strcmp(files_name(&a->files, 0, mine), files_name(&b->files, 0, other));
}

/* Jobs before this one, back to the last for which all others wait. */
static bool find_fellow(const struct doubt_case *c, struct doubt *d)
{
	const struct plan_job *pj = c->clones;

	for (unsigned int left = FELLOWS_MAX; c->plan && left && pj > c->plan->jobs; left--) {
		if (pj->stonewall)
			return false;
		pj--;
		if (pj->job == c->job || pj->clone || !(pj->job->workload.rw.bits & RW_WRITE) ||
		    pj->job->engine->ops.caps & FL_CAP_NO_FILES || c->job->proc.wait_for ||
		    !overlap(pj, c->clones))
			continue;
		return doubt_say(d, DOUBT_DOUBTFUL, "job %.60s writes the same part of %s at the "
				 "same time", pj->job->name, c->facts->name);
	}
	return false;
}

static bool find_crowd(const struct doubt_case *c, struct doubt *d)
{
	static const char *const options[] = { "hipri", "sqthread_poll", "thinktime_spin" };

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		if (!doubt_given(c, options[i]) || c->n <= c->machine->cpus)
			continue;
		d->option = options[i];
		return doubt_say(d, DOUBT_DOUBTFUL, "%s keeps a CPU busy for each of the %u "
				 "clones, and there are %u CPUs", options[i], c->n,
				 c->machine->cpus);
	}
	return false;
}

static bool find_unverified(const struct doubt_case *c, struct doubt *d)
{
	const struct verify_conf *v = &c->job->verify;

	if (!verify_on(v) || !v->writes)
		return false;
	if (v->kind.mode == VERIFY_NULL)
		return doubt_say(d, DOUBT_DOUBTFUL, "verify=null checks nothing");
	if (!v->do_verify && !v->only) {
		d->option = "do_verify";
		return doubt_say(d, DOUBT_NOTE, "do_verify=0: what is written is not read back; "
				 "a later job with verify_only or rw=read has to do that");
	}
	if (c->job->engine->ops.caps & FL_CAP_NO_FILES)
		return doubt_say(d, DOUBT_DOUBTFUL, "engine %s keeps nothing that could be read "
				 "back", c->job->engine->ops.name);
	return false;
}

/* What was just written is read back from the cache, where it cannot be wrong. */
static bool find_verify_cached(const struct doubt_case *c, struct doubt *d)
{
	const struct verify_conf *v = &c->job->verify;

	if (!verify_on(v) || !v->writes || !v->do_verify || v->only ||
	    v->kind.mode == VERIFY_NULL || c->outlook->file_bytes > c->machine->memory_bytes)
		return false;
	return doubt_say(d, DOUBT_NOTE, "with direct=0 what was written is read back from the page "
			 "cache: the medium is not checked");
}

static bool find_serial(const struct doubt_case *c, struct doubt *d)
{
	const struct verify_conf *v = &c->job->verify;

	if (!verify_on(v) || !v->overlaps || c->facts->sync)
		return false;
	return doubt_say(d, DOUBT_NOTE, "writes that may overlap are held back while others are in "
			 "flight, so that it is known what must be there: iodepth=%u is not always "
			 "reached", c->job->depth.depth);
}

static bool find_memory(const struct doubt_case *c, struct doubt *d)
{
	uint64_t need = c->outlook->memory_bytes + c->job->proc.lockmem;

	if (!c->machine->memory_free || need <= c->machine->memory_free)
		return false;
	if (c->job->proc.lockmem > c->machine->memory_free)
		d->option = "lockmem";
	return doubt_say(d, DOUBT_DOUBTFUL, "the job needs %s of memory, and %s are free",
			 num_bytes(need, style).s, num_bytes(c->machine->memory_free, style).s);
}

static bool find_huge(const struct doubt_case *c, struct doubt *d)
{
	uint32_t kind = c->job->buffer.mem.kind;

	if ((kind != MEM_SHM_HUGE && kind != MEM_MMAP_HUGE) || c->job->buffer.hugepage_bytes ||
	    c->outlook->buffer_bytes <= c->machine->huge_bytes)
		return false;
	return doubt_say(d, DOUBT_DOUBTFUL, "buffers need %s in huge pages, and %s of them are "
			 "free", num_bytes(c->outlook->buffer_bytes, style).s,
			 num_bytes(c->machine->huge_bytes, style).s);
}

static bool find_log(const struct doubt_case *c, struct doubt *d)
{
	bool endless = c->outlook->endless && c->job->pace.runtime_ns > 60 * 1000000000ull;

	if (!log_each(&c->job->log) || (!endless && outlook_ios(c->outlook) < LOG_LINES))
		return false;
	d->option = c->job->log.lat ? "write_lat_log" : c->job->log.bw ? "write_bw_log" :
		    "write_iops_log";
	return doubt_say(d, DOUBT_NOTE, "every I/O gets a line in the log: that will be a large "
			 "file, and writing it takes a CPU and a disk");
}

static bool find_many(const struct doubt_case *c, struct doubt *d)
{
	uint32_t nr = c->clones[0].files.nr, open = c->job->files.openfiles;

	if (fl_min(open ? open : nr, nr) < c->machine->files_max)
		return false;
	return doubt_say(d, DOUBT_NOTE, "%u files cannot all be open, the limit is %llu: they will "
			 "be opened and closed in between", nr,
			 (unsigned long long)c->machine->files_max);
}

const struct doubt_check doubts_on_course[] = {
	{ .id = "short", .option = "runtime", .fix = "time_based=1, or a larger size",
	  .find = find_short },
	{ .id = "ramp", .option = "ramp_time", .fix = "time_based=1 and runtime=, or a larger size",
	  .find = find_ramp },
	{ .id = "number-ios", .option = "number_ios", .fix = "one of the two", .find = find_few },
	{ .id = "bursts", .option = "thinktime", .fix = "rate_ignore_thinktime=1",
	  .find = find_bursts },
	{ .id = "rate-unused", .fix = "a rate for the direction there is, or another rw",
	  .find = find_rate_unused },
	{ .id = "no-depth", .option = "latency_target",
	  .fix = "ioengine=io_uring or libaio, and iodepth=", .find = find_no_depth },
	{ .id = "never-steady", .option = "runtime", .fix = "a longer runtime, or a shorter "
	  "steadystate_duration", .find = find_never_steady },
	{ .id = "same-way",
	  .needs = DOUBT_NEEDS_CLONES | DOUBT_NEEDS_SEQUENTIAL | DOUBT_NEEDS_MEDIUM,
	  .option = "numjobs", .fix = "offset_increment=, or directory= in place of filename=",
	  .find = find_same_way },
	{ .id = "fellow", .needs = DOUBT_NEEDS_WRITES | DOUBT_NEEDS_TARGET, .option = "filename",
	  .fix = "stonewall, or a file or an offset for each", .find = find_fellow },
	{ .id = "crowd", .needs = DOUBT_NEEDS_CLONES, .fix = "numjobs= at most the number of CPUs",
	  .find = find_crowd },
	{ .id = "unverified", .option = "verify", .fix = "another kind of verify, or do_verify=1",
	  .find = find_unverified },
	{ .id = "verify-cached", .needs = DOUBT_NEEDS_BUFFERED | DOUBT_NEEDS_MEDIUM,
	  .option = "direct", .fix = "direct=1", .find = find_verify_cached },
	{ .id = "serial", .option = "verify", .fix = "no overlaps: no norandommap, no "
	  "verify_backlog, offsets that are multiples of bs", .find = find_serial },
	{ .id = "no-memory", .option = "iodepth", .fix = "a lower iodepth, bs or numjobs",
	  .find = find_memory },
	{ .id = "huge-pages", .option = "mem", .fix = "sysctl vm.nr_hugepages=N",
	  .find = find_huge },
	{ .id = "log", .fix = "log_avg_msec=", .find = find_log },
	{ .id = "descriptors", .needs = DOUBT_NEEDS_TARGET, .option = "nrfiles",
	  .fix = "a higher ulimit -Hn, or openfiles=", .find = find_many },
	{ .id = NULL },
};
