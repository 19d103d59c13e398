/* SPDX-License-Identifier: MIT */
/* Who answered: the device, or memory? */
#include "core/trust_checks.h"

#include <math.h>

#define HALF		0.5		/* most came from elsewhere */
#define MIN_BYTES	65536u		/* less than that shows nothing */
#define HITS_DOUBTFUL	10.0		/* percent */
#define HITS_INVALID	50.0

static uint64_t sectors_bytes(uint64_t sectors)
{
	return sectors * 512;
}

/* ---- direct=1 -------------------------------------------------------------------------------- */

/* A loop device over a file: what the disk below the file did, against what the loop device did. */
static bool find_cached_loop(const struct trust_scene *s, const struct trust_case *c,
			     struct trust_finding *f)
{
	const struct trust_facts *facts = c->facts;
	const struct trust_disk *d = &s->disks[facts->disk];
	uint64_t above = sectors_bytes(facts->stat_during.read_sectors +
				       facts->stat_during.write_sectors);
	uint64_t below = sectors_bytes(facts->below_during.read_sectors +
				       facts->below_during.write_sectors);
	double percent = above > below ? 100.0 * (double)(above - below) / (double)above : 0;

	if (!d->traits.backing[0] || !d->traits.backing_cached)
		return false;
	trust_fix(f, "losetup --direct-io=on");
	if (!facts->stat_known || !facts->below_known || percent < 100 * HALF)
		return trust_say(f, TRUST_DOUBTFUL, "direct=1, but %s goes through the page cache "
				 "to its file", d->disk.name);
	trust_number(f, "memory_percent", percent);
	trust_number(f, "loop_bytes", (double)above);
	trust_number(f, "disk_bytes", (double)below);
	return trust_say(f, TRUST_INVALID, "direct=1, but %s goes through the page cache to its "
			 "file: %.0f%% was done in memory", d->disk.name, percent);
}

/* Does a job that goes through the page cache work on the same file? Then its pages are no sign. */
static bool shared_with_buffered(const struct trust_scene *s, const struct trust_case *c)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->cases[i].facts->file_id == c->facts->file_id &&
		    !s->cases[i].plan->job->files.direct)
			return true;
	return false;
}

static bool find_filled_cache(const struct trust_scene *s, const struct trust_case *c,
			      struct trust_finding *f)
{
	const struct trust_pages *before = &c->facts->pages_before, *after = &c->facts->pages_after;
	uint64_t moved = trust_dir_bytes(c, DIR_READ) + trust_dir_bytes(c, DIR_WRITE);
	uint64_t could = fl_min(moved, trust_region_bytes(c)), more;

	if (!before->known || !after->known || after->cached_bytes <= before->cached_bytes)
		return false;
	more = after->cached_bytes - before->cached_bytes;
	if ((double)more < HALF * (double)could || shared_with_buffered(s, c))
		return false;
	trust_number(f, "cached_bytes", (double)more);
	trust_number(f, "moved_bytes", (double)moved);
	return trust_say(f, TRUST_INVALID, "direct=1 was not honoured by %s on %s: the job filled "
			 "the page cache with %.1f MiB", c->plan->job->engine->ops.name,
			 c->facts->fs, trust_mib(more));
}

/* Of what the job moved at least half has to have been moved by the disk as well. */
static bool past_the_disk(const char *key, double moved, double by_disk, const char *went,
			  const char *disk, struct trust_finding *f)
{
	if (moved < MIN_BYTES || by_disk >= HALF * moved)
		return false;
	trust_number(f, key, moved);
	trust_number(f, "storage_bytes", by_disk);
	return trust_say(f, TRUST_INVALID, "direct=1, but only %.0f%% of what was %s %s",
			 100 * by_disk / moved, went, disk);
}

/* The kernel's count of what the job asked storage for; and the disk's, which knows no job. */
static bool find_no_storage(const struct trust_scene *s, const struct trust_case *c,
			    struct trust_finding *f)
{
	const struct trust_facts *facts = c->facts;
	double wanted = (double)trust_dir_bytes(c, DIR_READ) *
			(1 - trust_percent_unwritten(c) / 100);
	double written = (double)trust_dir_bytes(c, DIR_WRITE);
	double read = (double)fl_max(c->block->read_bytes,
				     sectors_bytes(facts->stat_during.read_sectors));
	double taken = (double)sectors_bytes(facts->stat_during.write_sectors);
	const char *disk;

	if (!c->block->storage_known || !facts->stat_known || trust_is_dax(s, c))
		return false;
	disk = s->disks[facts->disk].disk.name;
	return past_the_disk("read_bytes", wanted, read, "read came from", disk, f) ||
	       past_the_disk("written_bytes", written, taken, "written reached", disk, f);
}

static bool find_direct(const struct trust_scene *s, const struct trust_case *c,
			struct trust_finding *f)
{
	if (!c->plan->job->files.direct)
		return false;
	if (c->facts->memory) {
		trust_fix(f, "put the file on a device");
		return trust_say(f, TRUST_INVALID, "direct=1, but %s is memory: no device was "
				 "asked", c->facts->fs);
	}
	if (c->facts->target == TRUST_TARGET_FILES && find_filled_cache(s, c, f))
		return true;
	if (c->facts->disk < 0)
		return false;
	return find_cached_loop(s, c, f) || find_no_storage(s, c, f);
}

static bool find_memory(const struct trust_scene *s, const struct trust_case *c,
			struct trust_finding *f)
{
	(void)s;
	if (!c->facts->memory || c->plan->job->files.direct)
		return false;
	return trust_say(f, TRUST_OK, "the files lie on %s, which is memory: no device was asked",
			 c->facts->fs);
}

/* ---- Hits in the page cache ------------------------------------------------------------------ */

/* Several jobs may read one file at a time: what one fetches, the others find. */
struct readers {
	uint64_t bytes;			/* read */
	uint64_t storage_bytes;		/* asked storage for */
	uint64_t region_bytes;		/* the largest of theirs */
	bool known;
};

static bool buffered_reader(const struct trust_case *c)
{
	const struct files_conf *fc = &c->plan->job->files;

	return !fc->direct && fc->invalidate && !fc->pre_read && c->run_ns &&
	       trust_dir_bytes(c, DIR_READ);
}

static bool at_the_same_time(const struct trust_case *a, const struct trust_case *b)
{
	return a->block->start_ns < b->block->start_ns + b->run_ns &&
	       b->block->start_ns < a->block->start_ns + a->run_ns;
}

static struct readers readers_of(const struct trust_scene *s, const struct trust_case *c)
{
	struct readers r = { .known = true };

	for (size_t i = 0; i < s->count; i++) {
		const struct trust_case *o = &s->cases[i];

		if (o->facts->file_id != c->facts->file_id || !o->run_ns ||
		    !trust_dir_bytes(o, DIR_READ) || !at_the_same_time(c, o))
			continue;
		r.bytes += trust_dir_bytes(o, DIR_READ);
		r.storage_bytes += o->block->read_bytes;
		r.region_bytes = fl_max(r.region_bytes, trust_region_bytes(o));
		r.known &= o->block->storage_known;
	}
	return r;
}

/* A file that is written meanwhile is in the cache for that reason. */
static bool is_written(const struct trust_scene *s, const struct trust_case *c)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct trust_case *o = &s->cases[i];

		if (o->facts->file_id == c->facts->file_id && o->run_ns &&
		    trust_dir_bytes(o, DIR_WRITE) && at_the_same_time(c, o))
			return true;
	}
	return false;
}

/*
 * How much of it was read for the first time, at least. Draws with repetition miss some of the
 * blocks: of m blocks n draws hit m (1 - exp(-n / m)). Of uneven draws nobody can tell: 0.
 */
static double fresh_bytes(const struct trust_case *c, const struct readers *r)
{
	const struct workload_conf *w = &c->plan->job->workload;
	double region = (double)r->region_bytes;
	bool alone = r->bytes == trust_dir_bytes(c, DIR_READ);

	/* What was read first was read before anything counted. */
	if (pace_ramps(&c->plan->job->pace))
		return 0;
	if (c->plan->job->logs)
		return 0;	/* it may read the same again, as it likes */
	if (!(w->rw.bits & RW_RANDOM) || (alone && !w->order.norandommap))
		return fl_min((double)r->bytes, region);
	if (w->order.dist.dir[0].kind != DIST_UNIFORM)
		return 0;
	return region * (1 - exp(-(double)r->bytes / region));
}

static bool find_hits(const struct trust_scene *s, const struct trust_case *c,
		      struct trust_finding *f)
{
	struct readers r;
	double fresh, came, hits;
	bool explicit;

	if (!buffered_reader(c) || is_written(s, c))
		return false;
	r = readers_of(s, c);
	if (!r.known || r.bytes < MIN_BYTES)
		return false;
	explicit = trust_set(s, c, "invalidate");
	fresh = fresh_bytes(c, &r) * (1 - trust_percent_unwritten(c) / 100);
	/* Threads may fetch by others of the kernel, which are not counted as theirs. */
	came = (double)fl_max(r.storage_bytes, c->plan->job->proc.thread && c->facts->stat_known ?
			      sectors_bytes(c->facts->stat_during.read_sectors) : 0);
	hits = fresh > 0 ? 100 * (1 - came / fresh) : 0;
	trust_number(f, "read_bytes", (double)r.bytes);
	trust_number(f, "storage_bytes", came);
	if (hits >= HITS_DOUBTFUL) {
		trust_number(f, "hits_percent", hits);
		return trust_say(f, explicit && hits >= HITS_INVALID ? TRUST_INVALID :
				 TRUST_DOUBTFUL, "%.0f%% of the first reads were answered by the "
				 "page cache, although invalidate=1 drops the files' pages", hits);
	}
	hits = 100 * (1 - came / ((double)r.bytes * (1 - trust_percent_unwritten(c) / 100)));
	if ((double)r.bytes < 1.5 * (double)r.region_bytes || hits < HITS_INVALID)
		return false;
	trust_number(f, "hits_percent", hits);
	return trust_say(f, TRUST_DOUBTFUL, "%.0f%% of the reads were answered by the page cache: "
			 "the job read its %.1f MiB %.1f times over", hits,
			 trust_mib(r.region_bytes), (double)r.bytes / (double)r.region_bytes);
}

const struct trust_check trust_on_cache[] = {
	{ .id = "direct", .needs = TRUST_NEEDS_IO | TRUST_NEEDS_TARGET,
	  .fix = "another engine or file system", .of_job = find_direct },
	{ .id = "memory", .needs = TRUST_NEEDS_IO | TRUST_NEEDS_TARGET,
	  .fix = "", .of_job = find_memory },
	{ .id = "cache-hits",
	  .needs = TRUST_NEEDS_READS | TRUST_NEEDS_TARGET | TRUST_NEEDS_DISK |
		   TRUST_NEEDS_STORAGE | TRUST_NEEDS_MEDIUM,
	  .fix = "direct=1; or invalidate=0, if the cache is what you measure",
	  .of_job = find_hits },
	{ .id = NULL },
};
