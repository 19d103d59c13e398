/* SPDX-License-Identifier: MIT */
/* Disk statistics of a run. */
#include "core/disks.h"
#include "os/clock.h"

#include <string.h>

#define FILES_LOOKED_AT	64	/* per job: more of them lie on the same disks */

static void add(struct disks *d, const struct disk *one)
{
	for (int i = 0; i < d->count; i++)
		if (!strcmp(d->disk[i].name, one->name))
			return;
	if (d->count < DISKS_MAX)
		d->disk[d->count++] = *one;
}

static void add_path(struct disks *d, const char *path)
{
	struct disk one, slaves[DISKS_MAX];
	int n;

	if (disk_find_path(path, &one))
		return;
	add(d, &one);
	n = disk_slaves(&one, slaves, DISKS_MAX);
	for (int i = 0; i < n; i++)
		add(d, &slaves[i]);
}

void disks_find(struct disks *d, const struct plan *plan)
{
	char name[FILES_NAME_BYTES];

	memset(d, 0, sizeof(*d));
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_job *pj = &plan->jobs[i];
		uint32_t caps = pj->job->engine->ops.caps;

		if (!pj->job->measure.disk_util || caps & (FL_CAP_NO_FILES | FL_CAP_NAMES))
			continue;
		/* clones without names of their own lie where the first one does */
		if (i && pj->job == plan->jobs[i - 1].job)
			continue;
		for (uint32_t f = 0; f < pj->files.nr && f < FILES_LOOKED_AT; f++)
			add_path(d, files_name(&pj->files, f, name));
	}
}

void disks_begin(struct disks *d)
{
	d->begin_ns = clock_now_ns();
	for (int i = 0; i < d->count; i++)
		if (disk_stat_take(&d->disk[i], &d->before[i]))
			memset(&d->before[i], 0, sizeof(d->before[i]));
}

struct disk_stat disks_since(const struct disks *d, int i, double *util)
{
	struct disk_stat now, diff = { 0 };
	uint64_t ms = (clock_now_ns() - d->begin_ns) / 1000000;

	if (!disk_stat_take(&d->disk[i], &now))
		diff = disk_stat_since(&d->before[i], &now);
	*util = disk_util_percent(&diff, ms ? ms : 1);
	return diff;
}
