/* SPDX-License-Identifier: MIT */
/* What is particular about the device, and who else was on it. */
#include "core/trust_checks.h"

#include <string.h>

#define TYPICAL_BUFFER	(256ull << 20)	/* of a hard disk: the largest on the market */
#define TYPICAL_SHARE	1024u		/* memory of a flash disk: one byte per 1024 of its size */
#define PACKED_DOUBTFUL	75.0		/* percent of its size that data takes */
#define PACKED_INVALID	50.0
#define FOREIGN_SHARE	10.0		/* percent of ours */
#define FOREIGN_MIN	(1ull << 20)	/* bytes */
#define SYNC_BYTES	(64ull << 10)	/* what a file system may write for one fsync */
#define WRITE_SHARE	50.0		/* percent of ours: a file system writes, too */
#define WRITE_MIN	(16ull << 20)
#define BOUND_SHARE	80.0		/* percent of a bound: it was in the way */

/* ---- The cache of the device ----------------------------------------------------------------- */

/* Only disks one can buy have a cache of a size that one can guess. */
static uint64_t typical_cache(const struct trust_disk *d)
{
	const char *name = d->disk.name;

	if (d->traits.rotational && (!strncmp(name, "sd", 2) || !strncmp(name, "hd", 2)))
		return TYPICAL_BUFFER;
	if (!strncmp(name, "sd", 2) || !strncmp(name, "nvme", 4))
		return d->traits.size_bytes / TYPICAL_SHARE;
	return 0;
}

static bool find_small(const struct trust_scene *s, const struct trust_case *c,
		       struct trust_finding *f)
{
	const struct trust_disk *d = &s->disks[c->facts->disk];
	uint64_t cache = d->traits.cache_bytes, typical = typical_cache(d);

	if (!c->plan->job->files.direct || d->region_bytes >= fl_max(cache, typical))
		return false;
	trust_number(f, "region_bytes", (double)d->region_bytes);
	if (d->region_bytes < cache) {
		trust_number(f, "cache_bytes", (double)cache);
		return trust_say(f, TRUST_DOUBTFUL, "the job works on %.0f MiB, and the cache of "
				 "%s has %.0f MiB", trust_mib(d->region_bytes), d->disk.name,
				 trust_mib(cache));
	}
	trust_number(f, "typical_cache_bytes", (double)typical);
	return trust_say(f, TRUST_OK, "the job works on %.0f MiB; disks like %s often have a "
			 "cache of %.0f MiB", trust_mib(d->region_bytes), d->disk.name,
			 trust_mib(typical));
}

/* ---- Compression ----------------------------------------------------------------------------- */

/*
 * The data of the job takes so much of its size, percent; -1: not known. What was added during the
 * run is the job's; what was replaced, or read, only shows in the whole, if it is most of that.
 */
static double packed_percent(const struct trust_case *c, const struct trust_disk *d)
{
	uint64_t given = d->packing.given_bytes, kept = d->packing.kept_bytes;
	uint64_t given_before = d->packing_before.given_bytes;
	uint64_t kept_before = d->packing_before.kept_bytes;
	uint64_t written = trust_dir_bytes(c, DIR_WRITE);
	uint64_t used = written ? written : trust_dir_bytes(c, DIR_READ);

	if (!d->packing_known || !given)
		return -1;
	if (written && given > given_before && given - given_before >= written / 2)
		return 100.0 * (double)(kept - fl_min(kept, kept_before)) /
		       (double)(given - given_before);
	return fl_min(used, trust_region_bytes(c)) < given / 2 ? -1 :
	       100.0 * (double)kept / (double)given;
}

static bool find_packed(const struct trust_scene *s, const struct trust_case *c,
			struct trust_finding *f)
{
	const struct trust_disk *d = c->facts->disk >= 0 ? &s->disks[c->facts->disk] : NULL;
	const char *by = d && d->traits.compresses[0] ? d->traits.compresses
						      : c->facts->compresses;
	const struct buffer_conf *b = &c->plan->job->buffer;
	double percent = d ? packed_percent(c, d) : -1;
	bool writes = trust_dir_ios(c, DIR_WRITE);

	if (!by[0])
		return false;
	if (percent >= PACKED_DOUBTFUL)
		return false;
	if (percent >= 0) {
		trust_number(f, "packed_percent", percent);
		return trust_say(f, percent < PACKED_INVALID ? TRUST_INVALID : TRUST_DOUBTFUL,
				 "%s compresses, by %s, and the data takes %.0f%% of its size",
				 d->disk.name, by, percent);
	}
	if (writes && (b->zero || b->pattern))
		return trust_say(f, TRUST_INVALID, "%s compresses, and the job writes the same "
				 "few bytes again and again", by);
	if (writes && d && d->traits.dedups && !b->refill && !b->scramble)
		return trust_say(f, TRUST_INVALID, "%s stores equal blocks once, and the job "
				 "writes the same block again and again", by);
	return false;
}

/* ---- Others on the device -------------------------------------------------------------------- */

/* What all jobs together did that bears on what the disk may have done for them. */
struct ours {
	uint64_t read_bytes, write_bytes;	/* asked of storage */
	uint64_t syncs;
	bool files_written;		/* then the file system writes for itself, too */
};

static struct ours ours_of(const struct trust_scene *s)
{
	struct ours o = { .read_bytes = s->usage.io_read_bytes,
			  .write_bytes = s->usage.io_write_bytes };

	for (size_t i = 0; i < s->count; i++) {
		o.syncs += s->cases[i].block->sync_ios;
		o.files_written |= s->cases[i].facts->target == TRUST_TARGET_FILES &&
				   trust_dir_ios(&s->cases[i], DIR_WRITE);
	}
	return o;
}

/* More than ours by what cannot be ours? */
static uint64_t surplus(uint64_t disk, uint64_t ours, double share, uint64_t least)
{
	double allowed = fl_max(share / 100 * (double)ours, (double)least);

	return disk > ours && (double)(disk - ours) > allowed ? disk - ours : 0;
}

static bool find_foreign(const struct trust_scene *s, struct trust_finding *f)
{
	struct ours o = ours_of(s);
	uint64_t read = 0, written = 0, more_read, more_written;
	const char *name = NULL;

	if (s->stacked || !s->usage.io_known || o.read_bytes + o.write_bytes < FOREIGN_MIN)
		return false;
	for (int i = 0; i < s->nr_disks; i++) {
		const struct trust_disk *d = &s->disks[i];

		if (!d->stat_known)
			return false;
		read += d->during.read_sectors * 512;
		written += d->during.write_sectors * 512;
		name = d->disk.name;
	}
	/* Others may use the disks of a volume without using the volume. */
	if (s->parts_known)
		read = fl_max(read, s->parts_during.read_sectors * 512);
	more_read = surplus(read, o.read_bytes, FOREIGN_SHARE, FOREIGN_MIN);
	more_written = o.files_written ?
		       surplus(written, o.write_bytes + o.syncs * SYNC_BYTES, WRITE_SHARE,
			       WRITE_MIN) :
		       surplus(written, o.write_bytes,
			       FOREIGN_SHARE * fl_max(1.0, (double)o.read_bytes /
						      (double)fl_max(o.write_bytes, 1ull)),
			       FOREIGN_MIN);
	if (!more_read && !more_written)
		return false;
	trust_number(f, "foreign_read_bytes", (double)more_read);
	trust_number(f, "foreign_write_bytes", (double)more_written);
	trust_number(f, "own_read_bytes", (double)o.read_bytes);
	trust_number(f, "own_write_bytes", (double)o.write_bytes);
	return trust_say(f, TRUST_DOUBTFUL, "others read %.1f MiB and wrote %.1f MiB on %s "
			 "meanwhile, against %.1f and %.1f MiB of this run",
			 trust_mib(more_read), trust_mib(more_written),
			 s->nr_disks == 1 ? name : "the same disks", trust_mib(o.read_bytes),
			 trust_mib(o.write_bytes));
}

/* ---- Bounds of control groups ---------------------------------------------------------------- */

/* How near to a bound the disk was, in percent. */
static double near(uint64_t done, uint64_t bound, uint64_t window_ns)
{
	if (bound == UINT64_MAX || !bound || !window_ns)
		return 0;
	return 100.0 * (double)done * 1e9 / (double)window_ns / (double)bound;
}

static bool find_bound(const struct trust_scene *s, const struct trust_case *c,
		       struct trust_finding *f)
{
	const struct trust_disk *d = &s->disks[c->facts->disk];
	const struct disk_stat *st = &c->facts->stat_during;
	const struct {
		const char *what, *unit;
		uint64_t done, bound;
		double scale;
	} rows[] = {
		{ "reads", "MiB/s", st->read_sectors * 512, d->bounds.read_bytes, 1 << 20 },
		{ "writes", "MiB/s", st->write_sectors * 512, d->bounds.write_bytes, 1 << 20 },
		{ "reads", "IOPS", st->reads, d->bounds.read_ios, 1 },
		{ "writes", "IOPS", st->writes, d->bounds.write_ios, 1 },
	};

	if (!c->facts->stat_known)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		double percent = near(rows[i].done, rows[i].bound, c->facts->window_ns);

		if (percent < BOUND_SHARE)
			continue;
		trust_number(f, "bound_per_second", (double)rows[i].bound);
		trust_number(f, "reached_percent", percent);
		return trust_say(f, TRUST_DOUBTFUL, "a control group bounds %s of %s to %.6g %s, "
				 "and that was reached", rows[i].what, d->disk.name,
				 (double)rows[i].bound / rows[i].scale, rows[i].unit);
	}
	return false;
}

const struct trust_check trust_on_device[] = {
	{ .id = "small-file", .needs = TRUST_NEEDS_IO | TRUST_NEEDS_DISK | TRUST_NEEDS_MEDIUM,
	  .fix = "a larger size=", .of_job = find_small },
	{ .id = "compressible", .needs = TRUST_NEEDS_IO | TRUST_NEEDS_TARGET,
	  .fix = "refill_buffers=1, and no zero_buffers or buffer_pattern",
	  .of_job = find_packed },
	{ .id = "foreign-io", .fix = "stop what else uses the device, and run again",
	  .of_run = find_foreign },
	{ .id = "io-bound", .needs = TRUST_NEEDS_IO | TRUST_NEEDS_DISK,
	  .fix = "run outside of the control group", .of_job = find_bound },
	{ .id = NULL },
};
