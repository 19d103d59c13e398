/* SPDX-License-Identifier: MIT */
/* The zones of a device as the run finds them, or such as are made up. */
#include "core/zbd.h"
#include "lib/rand.h"
#include "os/mem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define REPORT_ZONES	1024u		/* asked for at a time */

typedef unsigned long long ull;

static int refuse(int err, char *why, size_t why_bytes, const char *fmt, ...) fl_printf(4, 5);

static int refuse(int err, char *why, size_t why_bytes, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, why_bytes, fmt, ap);
	va_end(ap);
	return err;
}

/* What the options say must be what the device is. */
static int check_device(const struct zbd_want *want, const struct zoned_device *dev, char *why,
			size_t why_bytes)
{
	const struct zones_conf *z = want->zones;

	if (dev->model != ZONED_NONE) {
		if (!z->size || z->size == dev->zone_bytes)
			return 0;
		return refuse(-EINVAL, why, why_bytes, "zonesize=%llu: the zones of %s have %llu "
			      "bytes; leave zonesize out", (ull)z->size, want->path,
			      (ull)dev->zone_bytes);
	}
	if (!z->size)
		return refuse(-EINVAL, why, why_bytes, "zonemode=zbd: %s has no zones; say with "
			      "zonesize= how large zones are to be", want->path);
	if (z->size < 512)
		return refuse(-EINVAL, why, why_bytes, "zonesize=%llu is less than 512 bytes",
			      (ull)z->size);
	if (want->bytes < z->size)
		return refuse(-EINVAL, why, why_bytes, "zonesize=%llu is more than %s has (%llu "
			      "bytes)", (ull)z->size, want->path, (ull)want->bytes);
	return 0;
}

static int init_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;
	int err = -pthread_mutexattr_init(&attr);

	if (err)
		return err;
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	err = -pthread_mutex_init(lock, &attr);
	pthread_mutexattr_destroy(&attr);
	return err;
}

/* One shared mapping: the struct, the bits, the zones. */
static struct zbd *map(uint32_t zones, int *err)
{
	size_t words = (zones + 63) / 64, bits = sizeof(struct zbd);
	size_t at = bits + words * sizeof(uint64_t);
	size_t bytes = at + zones * sizeof(struct zbd_zone);
	struct zbd *d = mem_shared(bytes, err);

	if (!d)
		return NULL;
	d->map_bytes = bytes;
	d->nr = zones;
	d->readable = (_Atomic uint64_t *)((char *)d + bits);
	d->zones = (struct zbd_zone *)((char *)d + at);
	*err = init_lock(&d->lock);
	return d;
}

static void add(struct zbd *d, uint32_t i, const struct zoned_zone *from)
{
	struct zbd_zone *z = &d->zones[i];

	z->length = from->length;
	z->capacity = from->capacity;
	z->kind = from->state == ZONED_OFFLINE ? ZBD_OFFLINE :
		  from->kind == ZONED_CONVENTIONAL ? ZBD_CONVENTIONAL :
		  from->state == ZONED_READONLY ? ZBD_READONLY : ZBD_SEQUENTIAL;
	z->wp = from->wp;
	d->data += z->kind == ZBD_SEQUENTIAL ? from->wp : 0;
	d->nr_active += from->state == ZONED_OPEN || from->state == ZONED_CLOSED;
	if (zbd_has_data(z))
		d->readable[i / 64] |= 1ull << i % 64;
	z->was_open = from->state == ZONED_OPEN;
}

static int report(struct zbd *d, char *why, size_t why_bytes)
{
	struct zoned_zone *zones = calloc(REPORT_ZONES, sizeof(*zones));
	int fd = zones ? zoned_open(d->path, false) : -ENOMEM, n = fd;

	for (uint32_t i = 0; n >= 0 && i < d->nr; i += (uint32_t)n) {
		n = zoned_report(fd, zbd_start(d, i), zones, REPORT_ZONES);
		if (!n)
			n = -EIO;
		for (int k = 0; k < n && i + (uint32_t)k < d->nr; k++)
			add(d, i + (uint32_t)k, &zones[k]);
	}
	zoned_close(fd);
	free(zones);
	if (n >= 0)
		return 0;
	return refuse(n, why, why_bytes, "the zones of %s cannot be asked for: %s", d->path,
		      strerror(-n));
}

static void make_up(struct zbd *d, const struct zones_conf *z)
{
	for (uint32_t i = 0; i < d->nr; i++) {
		uint64_t length = fl_min(d->zone_bytes, d->bytes - zbd_start(d, i));
		struct zoned_zone zone = {
			.length = length,
			.capacity = z->capacity ? fl_min(z->capacity, length) : length,
		};

		add(d, i, &zone);
	}
}

static uint32_t shift_of(uint64_t bytes)
{
	return bytes & (bytes - 1) ? 0 : (uint32_t)__builtin_ctzll(bytes);
}

int zbd_identify(const struct zbd_want *want, uint64_t id[2])
{
	struct stat st;

	if (want->no_file) {
		id[0] = UINT64_MAX;
		id[1] = 1;
		for (const char *c = want->path; *c; c++)
			id[1] = rand_mix64(id[1] + (unsigned char)*c);
		return 0;
	}
	if (stat(want->path, &st))
		return -errno;
	id[0] = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
	id[1] = S_ISBLK(st.st_mode) ? 0 : st.st_ino + 1;
	return 0;
}

struct zbd *zbd_new(const struct zbd_want *want, int *err, char *why, size_t why_bytes)
{
	struct zoned_device dev = { .model = ZONED_NONE };
	uint64_t zone, bytes, nr, id[2];
	struct zbd *d;

	*err = zbd_identify(want, id);
	if (!*err && !want->no_file)
		*err = zoned_look(want->path, &dev);
	if (*err) {
		refuse(*err, why, why_bytes, "zonemode=zbd: %s: %s", want->path, strerror(-*err));
		return NULL;
	}
	*err = check_device(want, &dev, why, why_bytes);
	if (*err)
		return NULL;
	zone = dev.model ? dev.zone_bytes : want->zones->size;
	bytes = dev.model ? dev.bytes : want->bytes;
	nr = dev.model ? dev.zones : (bytes + zone - 1) / zone;
	d = nr <= UINT32_MAX / 2 ? map((uint32_t)nr, err) : NULL;
	if (!d || *err) {
		*err = *err ? *err : -E2BIG;
		refuse(*err, why, why_bytes, "zonesize=%llu: no memory for %llu zones of %s",
		       (ull)zone, (ull)nr, want->path);
		zbd_free(d);
		return NULL;
	}
	memcpy(d->id, id, sizeof(d->id));
	snprintf(d->path, sizeof(d->path), "%s", want->path);
	d->real = dev.model != ZONED_NONE;
	d->sector = dev.model ? dev.sector : 1;
	d->bytes = bytes;
	d->zone_bytes = zone;
	d->shift = shift_of(zone);
	d->max_active = dev.max_active;
	d->max_open = dev.max_open;
	if (d->real)
		*err = report(d, why, why_bytes);
	else
		make_up(d, want->zones);
	if (*err) {
		zbd_free(d);
		return NULL;
	}
	return d;
}

void zbd_free(struct zbd *d)
{
	if (d)
		mem_shared_free(d, d->map_bytes);
}

/* One limit for all jobs: the first says, the device bounds it. */
static int take_limit(struct zbd *d, const struct zbd_conf *c, char *why, size_t why_bytes)
{
	uint32_t limit = d->max_open;

	if (c->max_open && limit && c->max_open > limit && !c->ignore_limits)
		return refuse(-EINVAL, why, why_bytes, "max_open_zones=%u: %s can have %u open; "
			      "ignore_zone_limits=1 asks for it all the same", c->max_open,
			      d->path, limit);
	if (c->max_open)
		d->max_open = c->max_open;
	if (c->job_max_open && d->max_open && c->job_max_open > d->max_open)
		return refuse(-EINVAL, why, why_bytes, "job_max_open_zones=%u: no more than %u "
			      "zones of %s are open at a time", c->job_max_open, d->max_open,
			      d->path);
	return 0;
}

int zbd_join(struct zbd *d, const struct zbd_conf *conf, uint32_t first, uint32_t last, char *why,
	     size_t why_bytes)
{
	int err = take_limit(d, conf, why, why_bytes);
	uint32_t open = 0;

	for (uint32_t i = first; !err && i < last; i++) {
		struct zbd_zone *z = &d->zones[i];

		open += z->was_open;
		if (!z->was_open || z->open)
			continue;
		if (d->nr_open == ZBD_OPEN_MAX || (d->max_open && d->nr_open >= d->max_open))
			return refuse(-EBUSY, why, why_bytes, "max_open_zones=%u: %u or more zones "
				      "of %s are open already; reset or finish them (blkzone "
				      "reset), or raise it", d->max_open, open, d->path);
		z->open = 1;
		d->open[d->nr_open++] = i;
	}
	return err;
}
