/* SPDX-License-Identifier: MIT */
/* Was there data where the job read, and is what it wrote on the medium? */
#include "core/trust_checks.h"

#include <string.h>

/* Shares of what was read, or written, in percent. */
#define EMPTY_DOUBTFUL	1.0
#define EMPTY_INVALID	10.0
#define DIRTY_DOUBTFUL	5.0
#define DIRTY_INVALID	50.0
#define DIRTY_MIN_BYTES	16384u

/*
 * How many of the parts the job has read: random reads are everywhere, others began in front, maybe
 * before it was counted.
 */
static double parts_read(const struct trust_case *c)
{
	const struct rw_conf *rw = &c->plan->job->workload.rw;
	bool ramp = pace_ramps(&c->plan->job->pace) && !trust_dir_ios(c, DIR_WRITE);
	double bytes = (double)(ramp ? c->block->bytes_all : trust_dir_bytes(c, DIR_READ));
	double region = (double)trust_region_bytes(c), share = region > 0 ? bytes / region : 1;

	return rw->bits & RW_RANDOM || rw->step ? TRUST_PARTS : fl_min(share, 1.0) * TRUST_PARTS;
}

static double percent_empty(const struct trust_case *c, const struct trust_empty *e)
{
	double left = parts_read(c), seen = 0, empty = 0;

	for (unsigned i = 0; i < TRUST_PARTS && left > 0; i++, left--) {
		seen += fl_min(left, 1.0) * e->seen[i];
		empty += fl_min(left, 1.0) * e->empty[i];
	}
	return seen > 0 ? 100 * empty / seen : 0;
}

/* Where somebody wrote meanwhile, the truth lies between what was before and what is now. */
static double percent_read_empty(const struct trust_case *c)
{
	const struct trust_facts *facts = c->facts;
	double percent = percent_empty(c, &facts->empty_before);

	if (facts->empty_after.known)
		percent = (percent + percent_empty(c, &facts->empty_after)) / 2;
	return percent;
}

double trust_percent_unwritten(const struct trust_case *c)
{
	return c->facts->empty_before.known && c->facts->empty_before.kind != TRUST_EMPTY_ZERO ?
	       percent_read_empty(c) : 0;
}

static void put_empty(struct trust_finding *f, const struct trust_case *c, double percent)
{
	const struct trust_empty *e = &c->facts->empty_before;
	double empty = 0;

	for (unsigned i = 0; i < TRUST_PARTS; i++)
		empty += e->empty[i];
	trust_number(f, "reads_percent", percent);
	trust_number(f, "empty_bytes", empty);
	trust_number(f, "region_bytes", (double)trust_region_bytes(c));
	trust_number(f, "read_bytes", (double)trust_dir_bytes(c, DIR_READ));
}

static bool find_unwritten(const struct trust_scene *s, const struct trust_case *c,
			   struct trust_finding *f)
{
	const struct trust_empty *e = &c->facts->empty_before;
	double percent = e->known ? percent_read_empty(c) : 0;

	(void)s;
	if (percent < EMPTY_DOUBTFUL || e->kind != TRUST_EMPTY_UNWRITTEN)
		return false;
	put_empty(f, c, percent);
	return trust_say(f, percent < EMPTY_INVALID ? TRUST_DOUBTFUL : TRUST_INVALID,
			 "%.0f%% of the reads hit unwritten extents", percent);
}

/*
 * Of a loop device it is known whether there is data. A sample of zeroes says less: somebody may
 * have written them, and a disk without trim has to fetch them like any other data.
 */
static bool find_trimmed(const struct trust_scene *s, const struct trust_case *c,
			 struct trust_finding *f)
{
	const struct trust_empty *e = &c->facts->empty_before;
	double percent = e->known ? percent_read_empty(c) : 0;
	const struct trust_disk *d = c->facts->disk >= 0 ? &s->disks[c->facts->disk] : NULL;
	enum trust_grade grade = percent < EMPTY_INVALID ? TRUST_DOUBTFUL : TRUST_INVALID;

	if (percent < EMPTY_DOUBTFUL || e->kind == TRUST_EMPTY_UNWRITTEN || !d)
		return false;
	if (e->kind == TRUST_EMPTY_ZERO && !d->traits.discards && d->traits.rotational)
		return false;
	put_empty(f, c, percent);
	if (e->kind == TRUST_EMPTY_BACKING)
		return trust_say(f, grade, "%.0f%% of the reads hit blocks of %s that were trimmed "
				 "or never written", percent, d->disk.name);
	/* zram keeps no zeroes, whoever wrote them. */
	if (!d->traits.compresses[0])
		grade = TRUST_DOUBTFUL;
	return trust_say(f, grade, "%.0f%% of the reads hit blocks of zeroes, which %s may answer "
			 "without looking: trimmed or never written", percent, d->disk.name);
}

/*
 * Written, but not there yet. Pages that were written again and again before they left the cache
 * did not reach the disk either; what the disk has taken meanwhile bounds that.
 */
static uint64_t never_arrived(const struct trust_case *c)
{
	const struct trust_facts *facts = c->facts;
	uint64_t written = trust_dir_bytes(c, DIR_WRITE);
	uint64_t taken = facts->stat_during.write_sectors * 512, missing = 0;

	if (facts->stat_known && taken < written)
		missing = written - taken;
	if (!facts->pages_after.dirty_known)
		return missing;
	if (facts->pages_after.dirty_bytes < DIRTY_MIN_BYTES)
		return 0;
	return fl_min(fl_max(missing, facts->pages_after.dirty_bytes), written);
}

static bool syncs_by_itself(const struct files_conf *c)
{
	return c->direct || c->sync != FILES_SYNC_NONE;
}

static bool find_dirty(const struct trust_scene *s, const struct trust_case *c,
		       struct trust_finding *f)
{
	const struct trust_facts *facts = c->facts;
	uint64_t written = trust_dir_bytes(c, DIR_WRITE);
	uint64_t missing = never_arrived(c);
	double percent = written ? 100.0 * (double)missing / (double)written : 0;
	enum trust_grade grade = percent < DIRTY_INVALID ? TRUST_DOUBTFUL : TRUST_INVALID;
	uint64_t dirty = facts->pages_after.dirty_bytes;

	if (syncs_by_itself(&c->plan->job->files) || trust_is_dax(s, c) || percent < DIRTY_DOUBTFUL)
		return false;
	/* Without a look at the pages there is only the disk's word, and it knows no job. */
	if (!facts->pages_after.dirty_known && (c->block->sync_ios || grade != TRUST_INVALID))
		return false;
	trust_number(f, "missing_percent", percent);
	trust_number(f, "written_bytes", (double)written);
	if (facts->pages_after.dirty_known)
		trust_number(f, "dirty_bytes", (double)dirty);
	if (!facts->stat_known)
		return trust_say(f, grade, "%.1f of %.1f MiB written were still only in the page "
				 "cache at the end", trust_mib(dirty), trust_mib(written));
	trust_number(f, "device_sectors", (double)facts->stat_during.write_sectors);
	if (!facts->pages_after.dirty_known)
		return trust_say(f, grade, "%.1f MiB were written, but only %.1f MiB had reached "
				 "%s at the end", trust_mib(written),
				 trust_mib(facts->stat_during.write_sectors * 512),
				 s->disks[facts->disk].disk.name);
	return trust_say(f, grade, "%.1f of %.1f MiB written were still only in the page cache at "
			 "the end; %s had taken %.1f MiB", trust_mib(dirty), trust_mib(written),
			 s->disks[facts->disk].disk.name,
			 trust_mib(facts->stat_during.write_sectors * 512));
}

const struct trust_check trust_on_files[] = {
	{ .id = "unwritten", .needs = TRUST_NEEDS_READS | TRUST_NEEDS_TARGET,
	  .fix = "overwrite=1", .of_job = find_unwritten },
	{ .id = "trimmed", .needs = TRUST_NEEDS_READS | TRUST_NEEDS_TARGET,
	  .fix = "write all of the device first", .of_job = find_trimmed },
	{ .id = "dirty",
	  .needs = TRUST_NEEDS_WRITES | TRUST_NEEDS_TARGET | TRUST_NEEDS_MEDIUM,
	  .fix = "end_fsync=1, or direct=1", .of_job = find_dirty },
	{ .id = NULL },
};
