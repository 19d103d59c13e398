/* SPDX-License-Identifier: MIT */
/* What lies below: the disk, its queue, what it makes of data, what is on it already. */
#include "core/doubts.h"
#include "lib/numfmt.h"

#include <string.h>

#define SHORT_STROKE	10		/* percent of a disk: fewer are another disk */

static const struct num_style style = { .figures = NUM_FIGURES_DEFAULT };

static bool find_read_only(const struct doubt_case *c, struct doubt *d)
{
	if (!c->facts->traits.read_only)
		return false;
	return doubt_say(d, DOUBT_DOUBTFUL, "%s says that it can only be read: every write will "
			 "fail", c->facts->disk.name);
}

static bool find_no_trim(const struct doubt_case *c, struct doubt *d)
{
	if (!(c->job->workload.rw.bits & RW_TRIM) || c->facts->traits.discards ||
	    c->facts->target != DOUBT_TARGET_DISK)
		return false;
	return doubt_say(d, DOUBT_DOUBTFUL, "%s takes no trims: they will fail",
			 c->facts->disk.name);
}

static bool find_queue(const struct doubt_case *c, struct doubt *d)
{
	uint64_t depth = c->facts->sync ? 1 : c->job->depth.depth;
	uint32_t most = c->facts->traits.requests;

	if (!most || depth * c->n <= most || c->facts->traits.backing[0])
		return false;
	doubt_fix(d, "iodepth times numjobs at most %u; or raise /sys/block/%s/queue/nr_requests",
		  most, c->facts->disk.name);
	return doubt_say(d, DOUBT_NOTE, "%llu I/Os at once are more than the %u that the queue of "
			 "%s takes: the rest waits in the kernel, and latencies grow by that",
			 (unsigned long long)(depth * c->n), most, c->facts->disk.name);
}

static bool find_part(const struct doubt_case *c, struct doubt *d)
{
	uint64_t size = c->facts->traits.size_bytes;
	uint64_t used = c->outlook->shared ? c->outlook->file_bytes / c->n : c->outlook->file_bytes;
	double percent = size ? 100.0 * (double)used / (double)size : 100;

	if (c->facts->target != DOUBT_TARGET_DISK || percent >= SHORT_STROKE)
		return false;
	return doubt_say(d, DOUBT_NOTE, "only %.2g%% of %s are used: short seeks of a hard disk, "
			 "and tables of an SSD that fit into its cache, make it faster than it is",
			 percent, c->facts->name);
}

static bool find_overwritten(const struct doubt_case *c, struct doubt *d)
{
	const struct file_plan *p = &c->clones[0].files.plan[0];

	if (c->facts->target != DOUBT_TARGET_FILES || !c->facts->exists ||
	    !doubt_given(c, "filename") || p->start >= p->have)
		return false;
	return doubt_say(d, DOUBT_NOTE, "%s is there already, with %s, and will be overwritten",
			 c->facts->name, num_bytes(c->facts->have_bytes, style).s);
}

static bool find_removed(const struct doubt_case *c, struct doubt *d)
{
	const struct files_conf *f = &c->job->files;

	if (!f->unlink && !f->unlink_each_loop)
		return false;
	if (c->facts->target != DOUBT_TARGET_FILES || !c->facts->exists ||
	    !doubt_given(c, "filename"))
		return false;
	d->option = f->unlink ? "unlink" : "unlink_each_loop";
	return doubt_say(d, DOUBT_NOTE, "%s is there already, with %s, and will be removed",
			 c->facts->name, num_bytes(c->facts->have_bytes, style).s);
}

/* A new file is only reserved: its first writes turn reserved space into written one. */
static bool find_new_space(const struct doubt_case *c, struct doubt *d)
{
	const struct files_conf *f = &c->job->files;

	if (c->facts->target != DOUBT_TARGET_FILES || f->overwrite || f->append || f->fill ||
	    c->clones[0].files.plan[0].layout != FILES_ALLOCATE)
		return false;
	return doubt_say(d, DOUBT_NOTE, "%s is new, and only reserved: its first pass measures how "
			 "the file system (%s) takes space into use, too", c->facts->name,
			 c->facts->fs);
}

static bool is_guessable(const struct doubt_case *c)
{
	const struct buffer_conf *b = &c->job->buffer;

	return b->zero || (b->pattern && !b->scramble);
}

static bool find_compressible(const struct doubt_case *c, struct doubt *d)
{
	bool zero = c->job->buffer.zero;

	if (!is_guessable(c) || verify_on(&c->job->verify))
		return false;
	d->option = zero ? "zero_buffers" : "buffer_pattern";
	if (c->facts->compresses[0])
		return doubt_say(d, DOUBT_DOUBTFUL, "%s: data is made smaller by %s, and this data "
				 "to almost nothing", d->option, c->facts->compresses);
	if (!zero)
		return false;
	return doubt_say(d, DOUBT_NOTE, "zero_buffers: many SSDs, thin volumes and file systems "
			 "store no zeroes, and are faster than with data");
}

static bool find_prio(const struct doubt_case *c, struct doubt *d)
{
	const char *s = c->facts->traits.scheduler;

	if ((!doubt_given(c, "prio") && !doubt_given(c, "prioclass")) || !s[0] ||
	    !strcmp(s, "bfq") || !strcmp(s, "mq-deadline"))
		return false;
	d->option = doubt_given(c, "prio") ? "prio" : "prioclass";
	doubt_fix(d, "bfq or mq-deadline in /sys/block/%s/queue/scheduler", c->facts->disk.name);
	return doubt_say(d, DOUBT_NOTE, "%s: the I/O scheduler of %s (%s) knows no priorities",
			 d->option, c->facts->disk.name, s);
}

static bool find_rest(const struct doubt_case *c, struct doubt *d)
{
	uint64_t bytes = c->clones[0].files.plan[0].bytes, bs = c->outlook->block_min;

	if (c->clones[0].files.nr > 1 || c->outlook->block_max != bs || bytes % bs == 0 ||
	    !doubt_given(c, "size"))
		return false;
	return doubt_say(d, DOUBT_NOTE, "the last %llu bytes are left alone: size is no multiple "
			 "of bs=%llu", (unsigned long long)(bytes % bs), (unsigned long long)bs);
}

const struct doubt_check doubts_on_target[] = {
	{ .id = "read-only", .needs = DOUBT_NEEDS_WRITES | DOUBT_NEEDS_DISK, .option = "filename",
	  .fix = "blockdev --setrw, or another device", .find = find_read_only },
	{ .id = "no-trim", .needs = DOUBT_NEEDS_DISK, .option = "rw",
	  .fix = "another device, or rw", .find = find_no_trim },
	{ .id = "overwritten", .needs = DOUBT_NEEDS_WRITES | DOUBT_NEEDS_TARGET,
	  .option = "filename", .fix = "another name, if that is not meant",
	  .find = find_overwritten },
	{ .id = "removed", .needs = DOUBT_NEEDS_TARGET, .fix = "without it, if that is not meant",
	  .find = find_removed },
	{ .id = "queue", .needs = DOUBT_NEEDS_DIRECT | DOUBT_NEEDS_DISK, .option = "iodepth",
	  .find = find_queue },
	{ .id = "part", .needs = DOUBT_NEEDS_TARGET | DOUBT_NEEDS_DISK, .option = "size",
	  .fix = "the whole device, or say so where the number is used", .find = find_part },
	{ .id = "new-space", .needs = DOUBT_NEEDS_WRITES | DOUBT_NEEDS_MEDIUM | DOUBT_NEEDS_RANDOM,
	  .option = "overwrite", .fix = "overwrite=1, or write all of it once before",
	  .find = find_new_space },
	{ .id = "compressible", .needs = DOUBT_NEEDS_WRITES | DOUBT_NEEDS_MEDIUM,
	  .fix = "without it, or refill_buffers=1", .find = find_compressible },
	{ .id = "priority", .needs = DOUBT_NEEDS_DISK, .find = find_prio },
	{ .id = "rest", .needs = DOUBT_NEEDS_TARGET, .option = "size",
	  .fix = "a size that is a multiple of bs", .find = find_rest },
	{ .id = NULL },
};
