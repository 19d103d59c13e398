/* SPDX-License-Identifier: MIT */
/* Looks at targets, before and after. */
#define _GNU_SOURCE
#include "core/trust_gather.h"
#include "core/trust_disks.h"
#include "lib/rand.h"
#include "os/clock.h"
#include "os/extents.h"
#include "os/file.h"
#include "os/fstype.h"
#include "os/mem.h"
#include "os/mounts.h"
#include "os/pagecache.h"
#include "os/trial.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX	32u		/* of a job; of more a sample, evenly spread */
#define EXTENTS_MAX	1024u		/* of a file */
#define JOB_NS		20000000ull	/* for one look at the files of a job */
#define RUN_NS		2000000000ull	/* for all looks of a run */
#define ZERO_SAMPLES	2u		/* per part */
#define ZERO_NS		100000000ull	/* for a sample of zeroes */
#define ZERO_TIMEOUT_MS	2000u		/* then the device does not answer */
#define ZERO_AGE_NS	10000000ull	/* a sample so old serves the next clone, too */

/* ---- Which files ----------------------------------------------------------------------------- */

/* One look at the files of a job. */
struct look {
	const struct plan_job *pj;
	uint64_t end_ns;
	uint64_t all_bytes, seen_bytes;	/* of the job's part of all files, of those looked at */
};

/* Call fn for a sample of the job's regular files and devices, as long as there is time. */
static void each_file(struct trust_gather *g, const struct plan_job *pj, struct look *l,
		      void (*fn)(void *ctx, struct look *l, int fd, const struct file_plan *p),
		      void *ctx)
{
	const struct file_set *set = &pj->files;
	uint32_t n = fl_min(set->nr, FILES_MAX);
	uint64_t begin_ns = clock_gettime_ns(), now_ns = begin_ns;
	char name[FILES_NAME_BYTES];

	*l = (struct look){ .pj = pj, .all_bytes = set->bytes,
			    .end_ns = begin_ns + fl_min(JOB_NS, g->left_ns) };
	for (uint32_t i = 0; i < n && now_ns < l->end_ns; i++, now_ns = clock_gettime_ns()) {
		uint32_t index = (uint32_t)((uint64_t)i * set->nr / n);
		int fd = file_open(files_name(set, index, name),
				   O_RDONLY | O_NONBLOCK | O_NOATIME, 0, NULL);

		if (fd < 0)
			continue;
		fn(ctx, l, fd, &set->plan[index]);
		l->seen_bytes += set->plan[index].bytes;
		close(fd);
	}
	g->left_ns -= fl_min(g->left_ns, now_ns - begin_ns);
}

/* What was seen of some files, of all of them. */
static uint64_t scaled(const struct look *l, uint64_t bytes)
{
	if (!l->seen_bytes || l->seen_bytes >= l->all_bytes)
		return bytes;
	return (uint64_t)((double)bytes * (double)l->all_bytes / (double)l->seen_bytes);
}

/* ---- Where there is no data ------------------------------------------------------------------ */

/* Extents of one file, into the parts of the job's range of it. */
struct parts {
	struct trust_empty *empty;
	uint64_t start, bytes;
};

static void add_extent(void *ctx, const struct extent *e)
{
	struct parts *p = ctx;
	double width = (double)p->bytes / TRUST_PARTS;
	double from = (double)(e->offset - p->start), to = from + (double)e->bytes;
	unsigned part = (unsigned)(from / width);

	for (; part < TRUST_PARTS && part * width < to; part++) {
		double overlap = fl_min(to, (part + 1) * width) - fl_max(from, part * width);

		if (overlap <= 0)
			continue;
		p->empty->seen[part] += overlap;
		if (e->kind != EXTENT_DATA)
			p->empty->empty[part] += overlap;
	}
}

static void look_extents(void *ctx, struct look *l, int fd, const struct file_plan *plan)
{
	struct trust_empty *empty = ctx;
	struct parts p = { empty, plan->start, plan->bytes };

	(void)l;
	if (plan->type != FL_FILE_REGULAR || !plan->bytes)
		return;
	if (extents_each(fd, plan->start, plan->bytes, EXTENTS_MAX, add_extent, &p) > 0)
		empty->known = true;
}

/* A loop device has data where its file has. */
static void look_backing(const struct disktraits *t, const struct file_plan *plan,
			 struct trust_empty *empty)
{
	uint64_t start = t->backing_offset + plan->start;
	struct parts p = { empty, start, plan->bytes };
	int fd = file_open(t->backing, O_RDONLY | O_NONBLOCK | O_NOATIME, 0, NULL);
	struct stat st;

	empty->kind = TRUST_EMPTY_BACKING;
	if (fd < 0)
		return;
	empty->known = !fstat(fd, &st) && S_ISREG(st.st_mode) &&
		       extents_each(fd, start, plan->bytes, EXTENTS_MAX, add_extent, &p) > 0;
	close(fd);
}

struct sampling {
	const char *device;
	uint64_t start, bytes;
};

static int sample(void *ctx, void *answer)
{
	const struct sampling *s = ctx;

	return zeroes_sample(s->device, s->start, s->bytes, ZERO_SAMPLES, ZERO_NS, s->start,
			     answer);
}

/* In a child: the parent does no I/O, and a device may never answer. */
static void look_zeroes(const char *device, const struct file_plan *plan, struct trust_empty *empty)
{
	struct sampling s = { device, plan->start, plan->bytes };
	struct trial_end end = { .value = -1 };
	struct zeroes z;
	double block = 4096;

	empty->kind = TRUST_EMPTY_ZERO;
	if (trial_run(sample, &s, &z, sizeof(z), ZERO_TIMEOUT_MS, &end) || end.value)
		return;
	empty->known = true;
	for (unsigned i = 0; i < TRUST_PARTS; i++) {
		empty->seen[i] = block * z.seen[i];
		empty->empty[i] = block * z.zero[i];
	}
}

static void look_device(struct trust_gather *g, const struct plan_job *pj,
			const struct trust_facts *f, struct trust_empty *empty)
{
	const struct trust_disk *d = &g->scene->disks[f->disk];
	const struct file_plan *plan = &pj->files.plan[0];
	char name[FILES_NAME_BYTES];
	uint64_t now_ns = clock_gettime_ns();

	if (g->sampled.device == d->disk.device && g->sampled.start == plan->start &&
	    g->sampled.bytes == plan->bytes && now_ns - g->sampled.at_ns < ZERO_AGE_NS) {
		*empty = g->sampled.empty;
		return;
	}
	if (d->traits.backing[0])
		look_backing(&d->traits, plan, empty);
	else
		look_zeroes(files_name(&pj->files, 0, name), plan, empty);
	g->sampled.device = d->disk.device;
	g->sampled.start = plan->start;
	g->sampled.bytes = plan->bytes;
	g->sampled.at_ns = clock_gettime_ns();
	g->sampled.empty = *empty;
}

static void look_empty(struct trust_gather *g, const struct plan_job *pj,
		       const struct trust_facts *f, struct trust_empty *empty)
{
	struct look l;

	memset(empty, 0, sizeof(*empty));
	if (f->target == TRUST_TARGET_FILES)
		each_file(g, pj, &l, look_extents, empty);
	else if (f->disk >= 0 && pj->files.nr)
		look_device(g, pj, f, empty);
}

/* ---- What is in the page cache --------------------------------------------------------------- */

static void look_pages(void *ctx, struct look *l, int fd, const struct file_plan *plan)
{
	struct trust_pages *pages = ctx;
	struct pagecache pc;

	(void)l;
	if (pagecache_look(fd, plan->start, plan->bytes, &pc))
		return;
	pages->known = true;
	pages->cached_bytes += pc.cached * mem_page_size();
	/* Before cachestat(2) nobody knew what is dirty: then it counts as unknown. */
	pages->dirty_known = pc.source == PAGECACHE_CACHESTAT;
	pages->dirty_bytes += (pc.dirty + pc.writeback) * mem_page_size();
}

static void look_cached(struct trust_gather *g, const struct plan_job *pj,
			struct trust_pages *pages)
{
	struct look l;

	memset(pages, 0, sizeof(*pages));
	each_file(g, pj, &l, look_pages, pages);
	pages->cached_bytes = scaled(&l, pages->cached_bytes);
	pages->dirty_bytes = scaled(&l, pages->dirty_bytes);
}

/* ---- The course of a run --------------------------------------------------------------------- */

void trust_gather_init(struct trust_gather *g, struct trust_scene *scene)
{
	*g = (struct trust_gather){ .scene = scene, .left_ns = RUN_NS };
}

static enum trust_target target_of(const struct plan_job *pj)
{
	if (pj->job->engine->ops.caps & (FL_CAP_NO_FILES | FL_CAP_NAMES) || !pj->files.nr)
		return TRUST_TARGET_NONE;
	switch (pj->files.plan[0].type) {
	case FL_FILE_REGULAR:
		return TRUST_TARGET_FILES;
	case FL_FILE_BLOCK:
		return TRUST_TARGET_DISK;
	default:
		return TRUST_TARGET_NONE;
	}
}

uint64_t trust_gather_file_id(const struct plan_job *pj)
{
	char name[FILES_NAME_BYTES];
	uint64_t id = 1;

	if (!pj->files.nr)
		return 0;
	files_name(&pj->files, 0, name);
	for (const char *c = name; *c; c++)
		id = rand_mix64(id ^ (unsigned char)*c);
	return id;
}

/* The rates that its user wants to see. With blocks of several sizes they are those of bytes. */
static void ask_rates(const struct job *job, struct trust_facts *f)
{
	for (int d = 0; d < DIRS; d++) {
		struct range block = workload_block_range(&job->workload, d);

		if (!(job->workload.rw.bits & 1u << d))
			continue;
		if (block.lo == block.hi)
			f->asked[d].ios = (double)job->rate.ios.v[d];
		f->asked[d].bytes = (double)rate_bytes(&job->rate, &job->workload, d);
	}
}

void trust_gather_target(struct trust_gather *g, const struct plan_job *pj, struct trust_facts *f)
{
	char name[FILES_NAME_BYTES];

	*f = (struct trust_facts){ .target = target_of(pj), .disk = -1 };
	ask_rates(pj->job, f);
	if (f->target == TRUST_TARGET_NONE)
		return;
	files_name(&pj->files, 0, name);
	f->disk = trust_disks_add(g->scene, name);
	if (f->target != TRUST_TARGET_FILES)
		return;
	fstype_name(name, f->fs, sizeof(f->fs));
	f->memory = fstype_in_memory(f->fs);
	trust_disks_compressing(MOUNTS_SELF, name, f->compresses, sizeof(f->compresses));
}

void trust_gather_before(struct trust_gather *g, const struct plan_job *pj, struct trust_facts *f)
{
	if (f->target == TRUST_TARGET_NONE)
		return;
	if (f->disk >= 0)
		g->scene->disks[f->disk].region_bytes += pj->files.bytes;
	if (pj->job->workload.rw.bits & RW_READ)
		look_empty(g, pj, f, &f->empty_before);
	if (pj->job->files.direct && f->target == TRUST_TARGET_FILES)
		look_cached(g, pj, &f->pages_before);
	trust_disks_begin(g->scene, f);
	f->began_ns = clock_now_ns();
}

void trust_gather_after(struct trust_gather *g, const struct plan_job *pj, struct trust_facts *f)
{
	if (f->target == TRUST_TARGET_NONE)
		return;
	f->window_ns = clock_now_ns() - f->began_ns;
	trust_disks_end(g->scene, f);
	if (!pj->job->files.direct || f->target == TRUST_TARGET_FILES)
		look_cached(g, pj, &f->pages_after);
	if (f->empty_before.known)
		look_empty(g, pj, f, &f->empty_after);
}

void trust_gather_start(struct trust_gather *g)
{
	trust_disks_start(g->scene);
}

void trust_gather_end(struct trust_gather *g)
{
	trust_disks_finish(g->scene);
}
