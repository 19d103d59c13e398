/* SPDX-License-Identifier: MIT */
#include "core/zbd_share.h"
#include "os/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The device of this file, if another job or file has it already. */
static struct zbd *find(const struct zbd_devices *all, const struct zbd_want *want)
{
	uint64_t id[2];

	if (zbd_identify(want, id))
		return NULL;
	for (size_t i = 0; i < all->count; i++)
		if (all->list[i]->id[0] == id[0] && all->list[i]->id[1] == id[1])
			return all->list[i];
	return NULL;
}

static struct zbd *make(struct zbd_devices *all, const struct zbd_want *want, int *err, char *why,
			size_t why_bytes)
{
	struct zbd **more = realloc(all->list, (all->count + 1) * sizeof(*more));
	struct zbd *d;

	if (!more) {
		*err = -ENOMEM;
		snprintf(why, why_bytes, "zonemode=zbd: no memory");
		return NULL;
	}
	all->list = more;
	d = zbd_new(want, err, why, why_bytes);
	if (d)
		all->list[all->count++] = d;
	return d;
}

/* Two jobs see the same zones, or none do. */
static int same_zones(const struct zbd *d, const struct zbd_want *want, char *why, size_t why_bytes)
{
	uint64_t size = want->zones->size;

	if (d->real || (size == d->zone_bytes &&
			(!want->zones->capacity || d->bytes < size ||
			 d->zones[0].capacity == fl_min(want->zones->capacity, size))))
		return 0;
	snprintf(why, why_bytes, "zonesize=%llu: another job has zones of %llu bytes on %s",
		 (unsigned long long)size, (unsigned long long)d->zone_bytes, d->path);
	return -EINVAL;
}

static int attach(struct zbd_devices *all, const struct plan_job *pj, uint32_t i,
		  struct zbd_part *part, char *why, size_t why_bytes)
{
	const struct workload_conf *c = &pj->job->workload;
	const struct file_plan *p = &pj->files.plan[i];
	char name[FILES_NAME_BYTES];
	const struct zbd_want want = {
		.path = files_name(&pj->files, i, name), .zones = &c->zones, .conf = &c->zbd,
		.bytes = fl_max(p->size, p->start + p->bytes),
		.no_file = pj->job->engine->ops.caps & (FL_CAP_NO_FILES | FL_CAP_NAMES),
	};
	int err = 0;

	if (!p->bytes)
		return 0;
	part->dev = find(all, &want);
	if (part->dev)
		err = same_zones(part->dev, &want, why, why_bytes);
	else
		part->dev = make(all, &want, &err, why, why_bytes);
	if (err)
		return err;
	part->first = zbd_at(part->dev, p->start);
	part->last = zbd_at(part->dev, p->start + p->bytes - 1) + 1;
	part->last = fl_min(part->last, part->dev->nr);
	part->mine = mem_shared(part->dev->nr * sizeof(*part->mine), &err);
	if (!part->mine) {
		snprintf(why, why_bytes, "zonemode=zbd: no memory for %u zones", part->dev->nr);
		return err;
	}
	return c->rw.bits & (RW_WRITE | RW_TRIM)
		? zbd_join(part->dev, &c->zbd, part->first, part->last, why, why_bytes) : 0;
}

struct zbd_share *zbd_share_new(struct zbd_devices *all, const struct plan_job *pj, uint32_t number,
				int *err, char *why, size_t why_bytes)
{
	size_t bytes = sizeof(struct zbd_share) + pj->files.nr * sizeof(struct zbd_part);
	struct zbd_share *s;

	*err = 0;
	if (pj->job->workload.zones.mode != ZONES_ZBD || pj->failed)
		return NULL;
	s = mem_shared(bytes, err);
	if (!s) {
		snprintf(why, why_bytes, "zonemode=zbd: no memory for %u files", pj->files.nr);
		return NULL;
	}
	s->map_bytes = bytes;
	s->me = number + 1;
	s->nr = pj->files.nr;
	for (uint32_t i = 0; !*err && i < s->nr; i++)
		*err = attach(all, pj, i, &s->part[i], why, why_bytes);
	if (!*err)
		return s;
	zbd_share_free(s);
	return NULL;
}

void zbd_share_free(struct zbd_share *s)
{
	for (uint32_t i = 0; s && i < s->nr; i++)
		if (s->part[i].mine)
			mem_shared_free((void *)s->part[i].mine,
					s->part[i].dev->nr * sizeof(*s->part[i].mine));
	if (s)
		mem_shared_free(s, s->map_bytes);
}

void zbd_devices_free(struct zbd_devices *all)
{
	for (size_t i = 0; i < all->count; i++)
		zbd_free(all->list[i]);
	free(all->list);
	*all = (struct zbd_devices){ .count = 0 };
}

void zbd_share_forget(struct zbd_share *s)
{
	for (uint32_t i = 0; s && i < s->nr; i++) {
		const struct zbd_part *p = &s->part[i];

		if (!p->dev)
			continue;
		zbd_forget(p->dev, s->me, p->mine);
	}
}
