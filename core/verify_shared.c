/* SPDX-License-Identifier: MIT */
/*
 * All ranges that jobs use, sorted by file and place: neighbours that overlap are looked at. What
 * ends before the other begins (stonewall, wait_for) does not share anything.
 */
#include "core/verify_shared.h"
#include "lib/rand.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct part {
	uint64_t device, inode;		/* of a file that is not there yet: 0, hash of its name */
	uint64_t lo, hi;
	uint64_t wave;			/* only jobs of one wave run together */
	size_t job;
	uint32_t file;
	bool writes, verifies;
};

struct parts {
	struct part *list;
	size_t count, room;
};

static uint64_t hash_of(const char *text, uint64_t seed)
{
	while (*text)
		seed = rand_mix64(seed ^ (unsigned char)*text++);
	return seed;
}

static bool add(struct parts *p, const struct part *part)
{
	if (p->count == p->room) {
		size_t room = p->room ? 2 * p->room : 64;
		struct part *list = realloc(p->list, room * sizeof(*list));

		if (!list)
			return false;
		p->list = list;
		p->room = room;
	}
	p->list[p->count++] = *part;
	return true;
}

static bool add_files(struct parts *p, const struct plan_job *pj, struct part part)
{
	const struct file_set *set = &pj->files;

	for (uint32_t i = 0; i < set->nr; i++) {
		char name[FILES_NAME_BYTES];
		struct stat st;

		files_name(set, i, name);
		if (stat(name, &st)) {
			part.device = 0;
			part.inode = hash_of(name, 1);
		} else {
			part.device = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
			part.inode = S_ISBLK(st.st_mode) ? UINT64_MAX : st.st_ino;
		}
		part.file = i;
		part.writes = set->plan[i].dirs & ~(1u << DIR_READ);
		part.lo = set->plan[i].start;
		part.hi = part.lo + set->plan[i].bytes;
		if (!add(p, &part))
			return false;
	}
	return true;
}

/* Everything that is written or verified. False: no memory. */
static bool gather(struct parts *p, const struct plan *plan)
{
	uint64_t wave = 0;

	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_job *pj = &plan->jobs[i];
		const struct job *job = pj->job;
		struct part part = {
			.job = i, .verifies = verify_on(&job->verify),
			.writes = job->workload.rw.bits & (RW_WRITE | RW_TRIM),
		};

		wave += pj->stonewall;
		part.wave = job->proc.wait_for ? hash_of(job->proc.wait_for, wave) : wave;
		if (job->engine->ops.caps & FL_CAP_NO_FILES || !(part.verifies || part.writes))
			continue;
		if (!add_files(p, pj, part))
			return false;
	}
	return true;
}

static int by_place(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

#define BY(member)	if (x->member != y->member) return x->member < y->member ? -1 : 1
	BY(device);
	BY(inode);
	BY(wave);
	BY(lo);
	BY(job);
#undef BY
	return 0;
}

static bool same_file(const struct part *a, const struct part *b)
{
	return a->device == b->device && a->inode == b->inode && a->wave == b->wave;
}

/* Would one of the two see bytes of the other as wrong ones? */
static bool disturbs(const struct part *a, const struct part *b)
{
	return a->job != b->job && ((a->verifies && b->writes) || (b->verifies && a->writes));
}

static void refuse(const struct plan *plan, const struct part *a, const struct part *b,
		   struct diag *diag)
{
	const struct part *v = a->verifies ? a : b, *o = v == a ? b : a;
	const struct job *job = plan->jobs[v->job].job;
	char name[FILES_NAME_BYTES];

	diag_error(diag, &job->at, "job %s verifies %s, bytes %" PRIu64 " to %" PRIu64 ", while "
		   "job %s writes there: a block of the other would look like a wrong one; give "
		   "each job its own file or part of it (offset, offset_increment, size), or let "
		   "one wait for the other (stonewall)", job->name,
		   files_name(&plan->jobs[v->job].files, v->file, name), fl_max(v->lo, o->lo),
		   fl_min(v->hi, o->hi), plan->jobs[o->job].job->name);
}

static int begin(void *self, const struct observed *run, struct diag *diag)
{
	struct parts p = { 0 };
	bool any = false;
	int err = 0;

	(void)self;
	for (size_t i = 0; i < run->plan->count; i++)
		any |= verify_on(&run->plan->jobs[i].job->verify);
	if (!any || run->plan->count < 2)
		return 0;
	if (!gather(&p, run->plan))
		err = -ENOMEM;
	if (p.count)
		qsort(p.list, p.count, sizeof(*p.list), by_place);
	for (size_t i = 0; !err && i < p.count; i++)
		for (size_t k = i + 1; !err && k < p.count && same_file(&p.list[i], &p.list[k]) &&
		     p.list[k].lo < p.list[i].hi; k++)
			if (disturbs(&p.list[i], &p.list[k])) {
				refuse(run->plan, &p.list[i], &p.list[k], diag);
				err = -EINVAL;
			}
	free(p.list);
	return err;
}

const struct observer verify_shared = { .name = "verify_shared", .begin = begin };
