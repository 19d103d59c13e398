/* SPDX-License-Identifier: MIT */
/* Looking at the files of jobs before and after, and adding up what was seen. */
#define _GNU_SOURCE
#include "core/cachestat.h"
#include "core/files.h"
#include "lib/rand.h"
#include "os/file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILES_MAX	32u		/* looked at per job ... */
#define FILES_ALL_JOBS	8192u		/* ... fewer where there are very many jobs */
#define LOOK_NS		20000000ull	/* after so long no further file of a job is looked at */
#define MEMO_NS		10000000ull	/* what was seen so lately is not looked at again */

/* ---- Looking --------------------------------------------------------------------------------- */

/* What was seen last: clones of one job often share a file, and start and end together. */
struct memo {
	bool after;			/* the end of a job, or its start */
	uint64_t id, start, bytes;
	uint64_t ns;			/* when */
	struct pagecache seen;
};

static uint64_t identify(const struct file_facts *f)
{
	return rand_mix64((uint64_t)f->device ^ rand_mix64((uint64_t)f->inode)) | 1;
}

/* Looks at one file of a job. Returns 0, or -errno. */
static int look_file(const struct file_set *set, struct cachestat_file *f, struct memo *memo,
		     bool after, struct pagecache *seen)
{
	const struct file_plan *p = &set->plan[f->index];
	char name[FILES_NAME_BYTES];
	struct file_facts facts;
	uint64_t now = clock_now_ns();
	int fd, err;

	fd = file_open(files_name(set, f->index, name), O_RDONLY | O_NONBLOCK | O_NOATIME, 0,
		       NULL);
	if (fd < 0)
		return fd;
	err = file_facts_fd(fd, &facts);
	f->id = err ? 0 : identify(&facts);
	if (!err && (memo->id != f->id || memo->start != p->start || memo->bytes != p->bytes ||
		     memo->after != after || now - memo->ns > MEMO_NS)) {
		err = pagecache_look(fd, p->start, p->bytes, &memo->seen);
		*memo = (struct memo){ after, err ? 0 : f->id, p->start, p->bytes, now,
				       memo->seen };
	}
	close(fd);
	if (!err)
		*seen = memo->seen;
	return err;
}

static bool wants(const struct plan_job *pj)
{
	uint32_t caps = pj->job->engine->ops.caps;

	return pj->job->measure.cache_stats && !(caps & (FL_CAP_NO_FILES | FL_CAP_NAMES));
}

/* Which files of a job are looked at: all, or so many of them at even distances. */
static void choose_files(struct cachestat_job *cj, const struct file_set *set, uint32_t max)
{
	uint32_t n = fl_min(set->nr, max), count = 0;

	cj->files = calloc(n ? n : 1, sizeof(*cj->files));
	for (uint32_t i = 0; cj->files && i < n; i++) {
		uint32_t index = (uint32_t)((uint64_t)i * set->nr / n);
		uint32_t type = set->plan[index].type;

		if (type == FL_FILE_REGULAR || type == FL_FILE_BLOCK)
			cj->files[count++].index = index;
	}
	cj->count = count;
}

static void look(struct cachestat *cs, const struct observed *run, size_t job, bool after)
{
	const struct file_set *set = &run->plan->jobs[job].files;
	struct cachestat_job *cj = &cs->jobs[job];
	uint64_t end = clock_now_ns() + LOOK_NS;
	static struct memo memo;

	for (uint32_t i = 0; i < cj->count && clock_now_ns() < end; i++) {
		struct cachestat_file *f = &cj->files[i];
		int err = look_file(set, f, &memo, after, after ? &f->after : &f->before);

		/* A file that will come to be has no pages yet; one that is gone has none left. */
		if (after)
			f->ended = !err;
		else
			f->begun = !err || err == -ENOENT;
	}
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* An entry of a job, to be sorted: files that several jobs share lie side by side. */
struct entry {
	const struct cachestat_file *f;
	uint64_t begun_ns, ended_ns;
};

static int by_file(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->f->id > y->f->id) - (x->f->id < y->f->id);
}

static struct entry *gather(const struct cachestat *cs, const struct result_job *j, size_t *count)
{
	struct entry *list;
	size_t n = 0;

	for (int k = 0; k < j->jobs; k++)
		n += cs->jobs[j->members[k]].count;
	list = calloc(n ? n : 1, sizeof(*list));
	*count = 0;
	for (int k = 0; list && k < j->jobs; k++) {
		const struct cachestat_job *cj = &cs->jobs[j->members[k]];
		const struct crew_job *c = &cs->crew->jobs[j->members[k]];

		for (uint32_t i = 0; i < cj->count; i++)
			if (cj->files[i].begun || cj->files[i].ended)
				list[(*count)++] = (struct entry){
					&cj->files[i], c->block->start_ns, c->seen_end_ns,
				};
	}
	return list;
}

/* list[0 .. n) are one file, as n jobs saw it. */
static void sum_file(struct cachestat_sum *sum, const struct entry *list, size_t n)
{
	const struct entry *first = NULL, *last = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct entry *e = &list[i];

		if (e->f->begun && (!first || e->begun_ns < first->begun_ns))
			first = e;
		if (e->f->ended && (!last || e->ended_ns > last->ended_ns))
			last = e;
	}
	if (first)
		pagecache_add(&sum->before, &first->f->before);
	if (last)
		pagecache_add(&sum->after, &last->f->after);
	sum->begun |= first != NULL;
	sum->ended |= last != NULL;
	sum->files_seen++;
}

static void sum_files(const struct cachestat *cs, const struct result_job *j,
		      struct cachestat_sum *sum)
{
	struct entry *list;
	size_t n, same;

	list = gather(cs, j, &n);
	if (!list)
		return;
	qsort(list, n, sizeof(*list), by_file);
	for (size_t i = 0; i < n; i += same) {
		same = 1;
		while (list[i].f->id && i + same < n && list[i + same].f->id == list[i].f->id)
			same++;
		sum_file(sum, &list[i], same);
	}
	free(list);
}

static void sum_storage(const struct crew *crew, const struct result_job *j,
			struct cachestat_sum *sum)
{
	sum->storage_known = true;
	for (int k = 0; k < j->jobs; k++) {
		const struct crew_job *c = &crew->jobs[j->members[k]];

		sum->files += c->plan->files.nr;
		sum->invalidate_ns = fl_max(sum->invalidate_ns, c->block->invalidate_ns);
		sum->trail_bytes += c->block->trail_bytes;
		sum->trail_ns += c->block->trail_ns;
		sum->storage_known &= c->block->storage_known != 0;
		sum->read_bytes += c->block->read_bytes;
		sum->write_bytes += c->block->write_bytes;
	}
	if (!sum->storage_known)
		sum->read_bytes = sum->write_bytes = 0;
	if (j->dir[DIR_READ].bytes)
		sum->amplification = (double)sum->read_bytes / (double)j->dir[DIR_READ].bytes;
}

void cachestat_sum(const struct cachestat *cs, const struct result_job *j,
		   struct cachestat_sum *sum)
{
	memset(sum, 0, sizeof(*sum));
	if (!cs->crew || !cs->jobs)
		return;
	sum_files(cs, j, sum);
	sum_storage(cs->crew, j, sum);
}

/* ---- The observer ---------------------------------------------------------------------------- */

static void ready(void *self, const struct observed *run)
{
	struct cachestat *cs = self;

	cs->crew = run->crew;
	cs->count = run->crew->count;
	cs->jobs = calloc(cs->count ? cs->count : 1, sizeof(*cs->jobs));
	cs->files_max = FILES_ALL_JOBS / (uint32_t)fl_max(cs->count, (size_t)1);
	cs->files_max = fl_min(fl_max(cs->files_max, 1u), FILES_MAX);
}

/* The workers wait for their start: what was to be dropped or read before that has been. */
static int may_go(void *self, const struct observed *run, size_t job, char *why, size_t why_bytes)
{
	struct cachestat *cs = self;

	(void)why;
	(void)why_bytes;
	if (!cs->jobs || !wants(&run->plan->jobs[job]))
		return 0;
	choose_files(&cs->jobs[job], &run->plan->jobs[job].files, cs->files_max);
	look(cs, run, job, false);
	return 0;
}

static void job_ended(void *self, const struct observed *run, size_t job)
{
	struct cachestat *cs = self;

	if (cs->jobs)
		look(cs, run, job, true);
}

static void done(void *self)
{
	struct cachestat *cs = self;

	for (size_t i = 0; cs->jobs && i < cs->count; i++)
		free(cs->jobs[i].files);
	free(cs->jobs);
}

const struct observer cachestat_observer = {
	.name = "cachestat", .state_bytes = sizeof(struct cachestat),
	.ready = ready, .may_go = may_go, .job_ended = job_ended,
	.job_text = cachestat_text, .job_json = cachestat_json, .done = done,
};
