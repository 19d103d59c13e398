/* SPDX-License-Identifier: MIT */
/* Disk statistics of a run. */
#include "core/disks.h"
#include "core/places.h"
#include "os/clock.h"

#include <string.h>

#define FILES_LOOKED_AT	64	/* per job: more of them lie on the same disks */

_Static_assert(DISKS_MAX <= 64, "a bit for each in a word");

/* Its place in the list; -1: there is no room. */
static int add(struct disks *d, const struct disk *one)
{
	struct disk parts[DISKS_MAX];
	int at = d->count, n;

	for (int i = 0; i < d->count; i++)
		if (!strcmp(d->disk[i].name, one->name))
			return i;
	if (at == DISKS_MAX)
		return -1;
	d->disk[d->count++] = *one;
	n = disk_slaves(one, parts, DISKS_MAX);
	for (int i = 0; i < n; i++) {
		int part = add(d, &parts[i]);

		if (part >= 0 && part != at)
			d->parts[at] |= 1ull << part;
	}
	return at;
}

static int add_place(void *ctx, uint32_t file, const char *path)
{
	struct disk one;

	if (!disk_find_path(path, &one))
		add(ctx, &one);
	return file >= FILES_LOOKED_AT;
}

void disks_find(struct disks *d, const struct plan *plan)
{
	memset(d, 0, sizeof(*d));
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_job *pj = &plan->jobs[i];
		uint32_t caps = pj->job->engine->ops.caps;

		if (!pj->job->measure.disk_util || caps & (FL_CAP_NO_FILES | FL_CAP_NAMES))
			continue;
		/* clones without names of their own lie where the first one does */
		if (i && pj->job == plan->jobs[i - 1].job)
			continue;
		places_each(&pj->files, add_place, d);
	}
}

static void take_all(struct disks *d, struct disk_stat *stats)
{
	for (int i = 0; i < d->count; i++)
		if (disk_stat_take(&d->disk[i], &stats[i]))
			memset(&stats[i], 0, sizeof(stats[i]));
}

void disks_begin(struct disks *d)
{
	d->begin_ns = clock_now_ns();
	d->end_ns = 0;
	take_all(d, d->before);
}

void disks_end(struct disks *d)
{
	take_all(d, d->after);
	d->end_ns = clock_now_ns();
}

void disks_pause(struct disks *d)
{
	d->aside_ns = clock_now_ns();
	take_all(d, d->aside);
}

void disks_resume(struct disks *d)
{
	for (int i = 0; i < d->count; i++) {
		struct disk_stat now;

		if (disk_stat_take(&d->disk[i], &now))
			continue;
		now = disk_stat_since(&d->aside[i], &now);
		disk_stat_add(&d->before[i], &now);
	}
	d->begin_ns += clock_now_ns() - d->aside_ns;
}

struct disk_stat disks_since(const struct disks *d, int i, double *util)
{
	struct disk_stat now = d->after[i], diff = { 0 };
	uint64_t end_ns = d->end_ns ? d->end_ns : clock_now_ns();
	uint64_t ms = (end_ns - d->begin_ns) / 1000000;

	/* A disk that has gone has no counters, and those of the end are then all 0. */
	if (d->end_ns ? now.reads >= d->before[i].reads : !disk_stat_take(&d->disk[i], &now))
		diff = disk_stat_since(&d->before[i], &now);
	*util = disk_util_percent(&diff, ms ? ms : 1);
	return diff;
}

unsigned disks_parts_since(const struct disks *d, int i, struct disk_stat *mean, double *util)
{
	struct disk_stat sum = { 0 };
	unsigned n = 0;

	for (int k = 0; k < d->count; k++) {
		struct disk_stat one;
		double busy;

		if (!(d->parts[i] >> k & 1))
			continue;
		one = disks_since(d, k, &busy);
		disk_stat_add(&sum, &one);
		*util = n++ ? fl_max(*util, busy) : busy;
	}
	if (n)
		*mean = disk_stat_share(&sum, n);
	return n;
}
