/* SPDX-License-Identifier: MIT */
/* Options that were given, and change nothing, because of what others say. */
#include "core/doubts.h"

#include <string.h>

static bool writes(const struct doubt_case *c)
{
	return c->job->workload.rw.bits & (RW_WRITE | RW_TRIM);
}

static bool find_depth(const struct doubt_case *c, struct doubt *d)
{
	uint32_t depth = c->job->depth.depth;

	if (depth < 2 || !c->facts->sync || c->facts->broken[0] || c->job->depth.offload)
		return false;
	doubt_fix(d, "ioengine=io_uring or libaio; or iodepth=1 and numjobs=%u", depth);
	return doubt_say(d, DOUBT_DOUBTFUL, "iodepth=%u has no effect: engine %s is synchronous, "
			 "one I/O is in flight at a time", depth, c->job->engine->ops.name);
}

/* Batches need a queue. */
static bool find_batch(const struct doubt_case *c, struct doubt *d)
{
	static const char *const options[] = {
		"iodepth_batch", "iodepth_batch_complete_min", "iodepth_batch_complete_max",
		"iodepth_low",
	};

	if (!c->facts->sync || c->job->depth.offload)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		if (!doubt_given(c, options[i]))
			continue;
		d->option = options[i];
		return doubt_say(d, DOUBT_DOUBTFUL, "%s has no effect: only one I/O is in flight "
				 "at a time", options[i]);
	}
	return false;
}

/* One of these options was given to a job that the others say has no use for it. */
struct idle {
	const char *option;
	bool (*used)(const struct doubt_case *c);
	const char *why;
};

static bool is_random(const struct doubt_case *c)
{
	return c->job->workload.rw.bits & RW_RANDOM;
}

static bool is_mixed(const struct doubt_case *c)
{
	return (c->job->workload.rw.bits & RW_DIRS) == (RW_READ | RW_WRITE);
}

static bool has_no_split(const struct doubt_case *c)
{
	for (int i = 0; i < DIRS; i++)
		if (c->job->workload.rw.bits & 1u << i && c->job->workload.sizes.split.dir[i].count)
			return false;
	return true;
}

static bool has_one_size(const struct doubt_case *c)
{
	return has_no_split(c) && !doubt_given(c, "bsrange");
}

static bool has_several_files(const struct doubt_case *c)
{
	return !c->planned || c->clones[0].files.nr > 1;
}

static bool has_clones(const struct doubt_case *c)
{
	return c->n > 1;
}

static bool has_range(const struct doubt_case *c)
{
	return doubt_given(c, "bsrange");
}

static bool verifies(const struct doubt_case *c)
{
	return verify_on(&c->job->verify);
}

static bool fills_buffers(const struct doubt_case *c)
{
	return !verify_on(&c->job->verify) && c->job->workload.rw.bits & RW_WRITE;
}

static bool has_files(const struct doubt_case *c)
{
	return !(c->job->engine->ops.caps & FL_CAP_NO_FILES);
}

static bool is_not_endless(const struct doubt_case *c)
{
	return !c->job->pace.time_based;
}

static bool spins_or_sleeps(const struct doubt_case *c)
{
	return c->job->pace.think_ns;
}

static bool is_limited(const struct doubt_case *c)
{
	return c->job->pace.runtime_ns || !c->outlook->endless;
}

static bool is_no_replay(const struct doubt_case *c)
{
	return !c->job->logs;
}

#define BY_VERIFY	"what is written has to be such that it can be verified, or nothing is"

static const struct idle idles[] = {
	{ "rw", is_no_replay, "the log of read_iolog says what is done" },
	{ "bs", is_no_replay, "the log of read_iolog says what is done" },
	{ "filename", is_no_replay, "the log of read_iolog names the files; see replay_redirect" },
	{ "rwmixread", is_mixed, "the job does not both read and write" },
	{ "rwmixwrite", is_mixed, "the job does not both read and write" },
	{ "norandommap", is_random, "the job goes through its files in order" },
	{ "random_distribution", is_random, "the job goes through its files in order" },
	{ "random_generator", is_random, "the job goes through its files in order" },
	{ "percentage_random", is_random, "the job goes through its files in order" },
	{ "bs", has_one_size, "bssplit or bsrange replaces it" },
	{ "bsrange", has_no_split, "bssplit replaces it" },
	{ "bs_unaligned", has_range, "it is about bsrange, which is not given" },
	{ "fsync", writes, "the job writes nothing" },
	{ "fdatasync", writes, "the job writes nothing" },
	{ "sync_file_range", writes, "the job writes nothing" },
	{ "end_fsync", writes, "the job writes nothing" },
	{ "fsync_on_close", writes, "the job writes nothing" },
	{ "sync", writes, "the job writes nothing" },
	{ "file_service_type", has_several_files, "the job has one file" },
	{ "offset_increment", has_clones, "there is one clone of the job: numjobs=1" },
	{ "cpus_allowed_policy", has_clones, "there is one clone of the job: numjobs=1" },
	{ "direct", has_files, "the engine has no files" },
	{ "invalidate", has_files, "the engine has no files" },
	{ "fallocate", has_files, "the engine has no files" },
	{ "loops", is_not_endless, "with time_based the job runs for all of runtime" },
	{ "thinktime_spin", spins_or_sleeps, "thinktime is 0" },
	{ "thinktime_blocks", spins_or_sleeps, "thinktime is 0" },
	{ "verify_interval", verifies, "nothing is verified: verify= is not given" },
	{ "verify_pattern", verifies, "nothing is verified: verify= is not given" },
	{ "verify_fatal", verifies, "nothing is verified: verify= is not given" },
	{ "verify_dump", verifies, "nothing is verified: verify= is not given" },
	{ "verify_backlog", verifies, "nothing is verified: verify= is not given" },
	{ "verify_offset", verifies, "nothing is verified: verify= is not given" },
	{ "buffer_pattern", fills_buffers, BY_VERIFY },
	{ "zero_buffers", fills_buffers, BY_VERIFY },
	{ "refill_buffers", fills_buffers, BY_VERIFY },
	{ "ramp_time", is_limited, "the job never ends" },
};

/* What stands in [global] is for the jobs that have a use for it. */
static bool find_idle(const struct doubt_case *c, struct doubt *d)
{
	for (size_t i = 0; i < ARRAY_SIZE(idles); i++) {
		const struct idle *idle = &idles[i];
		struct fl_opt row;
		const struct setting *s;

		if (idle->used(c) || job_option(NULL, idle->option, NULL, &row))
			continue;
		s = settings_last(&c->section->own, row.name);
		if (!s && row.alias)
			s = settings_last(&c->section->own, row.alias);
		if (!s || (s->value && !strcmp(s->value, "0")))
			continue;
		d->option = row.name;
		return doubt_say(d, DOUBT_NOTE, "%s%s%s has no effect: %s", row.name,
				 s->value ? "=" : "", s->value ? s->value : "", idle->why);
	}
	return false;
}

static bool find_null(const struct doubt_case *c, struct doubt *d)
{
	if (strcmp(c->job->engine->ops.name, "null") || !doubt_given(c, "filename"))
		return false;
	return doubt_say(d, DOUBT_DOUBTFUL, "filename has no effect: engine null moves nothing, "
			 "and measures this program alone");
}

static bool find_broken(const struct doubt_case *c, struct doubt *d)
{
	if (!c->facts->broken[0])
		return false;
	return doubt_say(d, DOUBT_DOUBTFUL, "engine %s cannot work here: %s",
			 c->job->engine->ops.name, c->facts->broken);
}

const struct doubt_check doubts_on_idle[] = {
	{ .id = "engine", .option = "ioengine", .fix = "another ioengine; --enghelp tells which "
	  "work here", .find = find_broken },
	{ .id = "iodepth", .option = "iodepth", .find = find_depth },
	{ .id = "batch", .fix = "ioengine=io_uring or libaio, and iodepth=", .find = find_batch },
	{ .id = "null", .option = "filename", .fix = "another ioengine, or no filename",
	  .find = find_null },
	{ .id = "no-effect", .fix = "leave it out, or look at the option it depends on",
	  .find = find_idle },
	{ .id = NULL },
};
