/* SPDX-License-Identifier: MIT */
/* Is it the page cache that will answer, and can what goes past it work? */
#include "core/doubts.h"
#include "lib/numfmt.h"
#include "os/mem.h"

#include <string.h>

static const struct num_style style = { .figures = NUM_FIGURES_DEFAULT };

static bool goes_around(const struct doubt_case *c)
{
	const struct workload_conf *w = &c->job->workload;

	return c->job->pace.time_based || w->loops > 1 || w->order.norandommap ||
	       outlook_bytes(c->outlook) > c->outlook->file_bytes;
}

/* The engine's system call of submission does the whole of a buffered I/O. */
static bool find_libaio(const struct doubt_case *c, struct doubt *d)
{
	if (strcmp(c->job->engine->ops.name, "libaio") || c->job->depth.depth < 2)
		return false;
	return doubt_say(d, DOUBT_DOUBTFUL, "iodepth=%u comes to 1: with direct=0, io_submit(2) "
			 "returns only when the I/O is done", c->job->depth.depth);
}

static bool find_cached_reads(const struct doubt_case *c, struct doubt *d)
{
	uint64_t memory = c->job->memlimit.bytes ? c->job->memlimit.bytes :
			  c->machine->memory_bytes;
	uint64_t bytes = c->outlook->shared ? c->outlook->file_bytes / c->n :
			 c->outlook->file_bytes;

	if (!goes_around(c) || !memory || bytes >= memory / 10 * 9)
		return false;
	return doubt_say(d, DOUBT_NOTE, "%s fit into the memory (%s): after the first pass the "
			 "page cache answers, not the device", num_bytes(bytes, style).s,
			 num_bytes(memory, style).s);
}

/* Nobody waits for what is written, not even at the end. */
static bool find_unsynced(const struct doubt_case *c, struct doubt *d)
{
	const struct files_conf *f = &c->job->files;
	const struct workload_conf *w = &c->job->workload;
	uint64_t memory = c->job->memlimit.bytes ? c->job->memlimit.bytes :
			  c->machine->memory_bytes;

	if (f->end_fsync || f->fsync_on_close || f->sync != FILES_SYNC_NONE || w->fsync_every ||
	    w->fdatasync_every || w->range_sync.every || c->facts->traits.dax ||
	    verify_on(&c->job->verify) || c->outlook->file_bytes > memory)
		return false;
	return doubt_say(d, DOUBT_DOUBTFUL, "what is written may stay in the page cache: with "
			 "direct=0 and without a sync the speed of memory is measured");
}

/* Writes of parts of a page read it first, if it is not in the cache. */
static bool find_partial(const struct doubt_case *c, struct doubt *d)
{
	uint64_t page = mem_page_size(), bs = sizes_min(&c->job->workload.sizes, RW_WRITE);
	bool has_data = c->facts->have_bytes || c->outlook->layout_bytes;

	if (bs % page == 0 || c->facts->memory || !has_data)
		return false;
	return doubt_say(d, DOUBT_NOTE, "writes of %llu bytes are no whole pages of %llu: what is "
			 "not in the page cache is read before it is written",
			 (unsigned long long)bs, (unsigned long long)page);
}

static uint64_t misfit(const struct doubt_case *c, uint32_t align)
{
	const struct workload_conf *w = &c->job->workload;
	uint32_t dirs = w->rw.bits & (RW_READ | RW_WRITE);
	uint64_t offset = c->clones[0].files.plan[0].start;

	for (int i = 0; i < DIR_TRIM; i++) {
		const struct size_split *split = &w->sizes.split.dir[i];
		struct range r = sizes_range(&w->sizes, i);

		if (!(dirs & 1u << i))
			continue;
		for (uint32_t k = 0; k < split->count; k++)
			if (split->share[k].bytes % align)
				return split->share[k].bytes;
		if (r.lo % align)
			return r.lo;
		if (w->sizes.align.v[i] % align)
			return w->sizes.align.v[i];
	}
	return w->sizes.unaligned && align > 1 ? 1 : offset % align ? offset : 0;
}

static bool find_unaligned(const struct doubt_case *c, struct doubt *d)
{
	uint32_t align = c->facts->direct_bytes;
	uint64_t wrong = align ? misfit(c, align) : 0;

	if (!wrong)
		return false;
	doubt_fix(d, "sizes and offsets that are multiples of %u, or direct=0", align);
	return doubt_say(d, DOUBT_DOUBTFUL, "direct=1 takes only multiples of %u bytes on %s: %llu "
			 "is none, and such I/Os fail", align, c->facts->name,
			 (unsigned long long)wrong);
}

static bool find_refused(const struct doubt_case *c, struct doubt *d)
{
	if (!c->facts->direct_refused)
		return false;
	return doubt_say(d, DOUBT_DOUBTFUL, "direct=1 is refused by the file system of %s (%s)",
			 c->facts->name, c->facts->fs);
}

static bool find_memory(const struct doubt_case *c, struct doubt *d)
{
	if (!c->facts->memory)
		return false;
	if (c->job->files.direct) {
		d->option = "direct";
		return doubt_say(d, DOUBT_DOUBTFUL, "direct=1 has nothing to go past: %s lies in "
				 "memory (%s), and no device will be asked", c->facts->name,
				 c->facts->fs);
	}
	return doubt_say(d, DOUBT_NOTE, "%s lies in memory (%s): no device will be asked",
			 c->facts->name, c->facts->fs);
}

static bool find_twice(const struct doubt_case *c, struct doubt *d)
{
	const struct workload_conf *w = &c->job->workload;

	uint64_t every = w->fsync_every ? w->fsync_every : w->fdatasync_every;

	if (c->job->files.sync == FILES_SYNC_NONE || !every)
		return false;
	return doubt_say(d, DOUBT_NOTE, "each write is on the medium already because of sync=, and "
			 "%s=%llu flushes once more", w->fsync_every ? "fsync" : "fdatasync",
			 (unsigned long long)every);
}

static bool find_mapped_direct(const struct doubt_case *c, struct doubt *d)
{
	if (strcmp(c->job->engine->ops.name, "mmap") || !c->job->files.direct ||
	    c->facts->traits.dax)
		return false;
	return doubt_say(d, DOUBT_DOUBTFUL, "direct=1 has no effect on a mapping: the pages of a "
			 "mapped file are those of the page cache");
}

const struct doubt_check doubts_on_cache[] = {
	{ .id = "memory", .needs = DOUBT_NEEDS_TARGET, .option = "filename",
	  .fix = "directory= on the disk that is meant", .find = find_memory },
	{ .id = "buffered-libaio", .needs = DOUBT_NEEDS_BUFFERED, .option = "iodepth",
	  .fix = "direct=1, or ioengine=io_uring", .find = find_libaio },
	{ .id = "cached", .needs = DOUBT_NEEDS_READS | DOUBT_NEEDS_BUFFERED | DOUBT_NEEDS_MEDIUM,
	  .option = "direct", .fix = "direct=1; or a size above the memory, or memory_limit=",
	  .find = find_cached_reads },
	{ .id = "unsynced", .needs = DOUBT_NEEDS_WRITES | DOUBT_NEEDS_BUFFERED | DOUBT_NEEDS_MEDIUM,
	  .option = "direct", .fix = "end_fsync=1, fsync=N or direct=1", .find = find_unsynced },
	{ .id = "partial-pages", .needs = DOUBT_NEEDS_WRITES | DOUBT_NEEDS_BUFFERED, .option = "bs",
	  .fix = "bs=4k or a multiple", .find = find_partial },
	{ .id = "direct-refused", .needs = DOUBT_NEEDS_DIRECT, .option = "direct",
	  .fix = "direct=0", .find = find_refused },
	{ .id = "unaligned", .needs = DOUBT_NEEDS_DIRECT, .option = "bs", .find = find_unaligned },
	{ .id = "mapped-direct", .needs = DOUBT_NEEDS_TARGET, .option = "direct",
	  .fix = "another ioengine, or direct=0", .find = find_mapped_direct },
	{ .id = "synced-twice", .needs = DOUBT_NEEDS_WRITES | DOUBT_NEEDS_MEDIUM, .option = "sync",
	  .fix = "one of the two", .find = find_twice },
	{ .id = NULL },
};
