/* SPDX-License-Identifier: MIT */
#include "core/zbd_fit.h"
#include "os/zoned.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef unsigned long long ull;

static int look(const struct job *job, const char *path, struct zoned_device *d)
{
	*d = (struct zoned_device){ .model = ZONED_NONE };
	if (job->engine->ops.caps & (FL_CAP_NO_FILES | FL_CAP_NAMES))
		return 0;
	return zoned_look(path, d);
}

uint64_t zbd_zone_bytes(const struct job *job, const char *path)
{
	struct zoned_device d;

	if (look(job, path, &d) || d.model == ZONED_NONE)
		return job->workload.zones.size;
	return d.zone_bytes;
}

/* Zones that are written anywhere may be used in part. */
static bool is_conventional(const char *path, const struct zoned_device *d, uint64_t offset)
{
	struct zoned_zone z;
	int fd = d->model == ZONED_NONE ? -1 : zoned_open(path, false);
	bool yes = fd >= 0 && zoned_report(fd, offset, &z, 1) == 1 && z.kind == ZONED_CONVENTIONAL;

	zoned_close(fd);
	return yes;
}

/* What the kernel would refuse at the first write, and only with "Input/output error". */
static int check_writes(const struct job *job, const char *path, const struct zoned_device *d,
			char *why, size_t why_bytes)
{
	const struct fl_engine *ops = &job->engine->ops;

	if (d->model != ZONED_MANAGED || !(job->workload.rw.bits & RW_WRITE))
		return 0;
	if (!job->files.direct)
		snprintf(why, why_bytes, "direct=0: the zones of %s take only direct writes, in "
			 "order; add direct=1", path);
	else if (ops->file_open)
		snprintf(why, why_bytes, "ioengine=%s does not write directly, as the zones of %s "
			 "need it; use psync, libaio or io_uring", ops->name, path);
	else
		return 0;
	return -EINVAL;
}

/* Blocks to be checked lie at multiples of their size: in the file, and from each zone on. */
static int check_verify(const struct job *job, uint64_t zone, char *why, size_t why_bytes)
{
	const struct verify_conf *v = &job->verify;

	if (!verify_on(v) || !v->writes)
		return 0;
	if (job->workload.zbd.remainder) {
		snprintf(why, why_bytes, "write_zone_remainder=1: the last write of a zone is no "
			 "whole block, which verify cannot check; leave out one of them");
		return -EINVAL;
	}
	if (!(zone % v->unit))
		return 0;
	snprintf(why, why_bytes, "verify: zones of %llu bytes are no multiple of the %u bytes that "
		 "are checked as one; set bs or verify_interval so that they are", (ull)zone,
		 v->unit);
	return -EINVAL;
}

static int fit_one(struct file_set *set, const struct job *job, uint32_t i, char *why,
		   size_t why_bytes)
{
	struct file_plan *p = &set->plan[i];
	uint64_t start = p->start, end = p->start + p->bytes, zone, size;
	char path[FILES_NAME_BYTES];
	struct zoned_device d;
	int err;

	files_name(set, i, path);
	err = look(job, path, &d);
	if (err && err != -ENOENT) {
		snprintf(why, why_bytes, "the zones of %s cannot be asked for: %s", path,
			 strerror(-err));
		return err;
	}
	zone = d.model == ZONED_NONE ? job->workload.zones.size : d.zone_bytes;
	size = d.model == ZONED_NONE ? fl_max(p->size, end) : d.bytes;
	set->zone_bytes = zone;
	if (!zone) {
		snprintf(why, why_bytes, "zonemode=zbd: %s has no zones of its own; say with "
			 "zonesize= how large zones are to be", path);
		return -EINVAL;
	}
	if (start % zone && !is_conventional(path, &d, start))
		start += zone - start % zone;
	if (end % zone && end != size && !is_conventional(path, &d, end))
		end -= end % zone;
	if (end <= start) {
		snprintf(why, why_bytes, "%s: size=%llu at offset=%llu holds no whole zone of %llu "
			 "bytes", path, (ull)p->bytes, (ull)p->start, (ull)zone);
		return -EINVAL;
	}
	if (start != p->start || end != p->start + p->bytes)
		snprintf(set->note, sizeof(set->note), "whole zones of %.60s are used: from %llu "
			 "on, %llu bytes", path, (ull)start, (ull)(end - start));
	p->start = start;
	p->bytes = end - start;
	err = check_verify(job, zone, why, why_bytes);
	return err ? err : check_writes(job, path, &d, why, why_bytes);
}

int zbd_fit(struct file_set *set, const struct job *job, char *why, size_t why_bytes)
{
	int err = 0;

	set->bytes = 0;
	for (uint32_t i = 0; !err && i < set->nr; i++) {
		if (set->plan[i].bytes)
			err = fit_one(set, job, i, why, why_bytes);
		set->bytes += set->plan[i].bytes;
	}
	return err;
}
