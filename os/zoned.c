/* SPDX-License-Identifier: MIT */
/* Ioctls of zoned block devices. */
#define _GNU_SOURCE 1
#include "os/zoned.h"
#include "lib/base.h"
#include "os/blockdev.h"
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/blkzoned.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTOR		512ull		/* what the kernel counts in */
#define REPORT_MAX	4096u		/* zones per call */
#define ZERO_BYTES	65536u

static uint32_t queue_number(dev_t disk, const char *attr)
{
	char text[32];

	if (blockdev_attr("", disk, attr, text, sizeof(text)) < 0)
		return 0;
	return (uint32_t)strtoul(text, NULL, 10);
}

static enum zoned_model model_of(dev_t disk)
{
	char text[32];

	if (blockdev_attr("", disk, "queue/zoned", text, sizeof(text)) < 0)
		return ZONED_NONE;
	return !strcmp(text, "host-managed") ? ZONED_MANAGED :
	       !strcmp(text, "host-aware") ? ZONED_AWARE : ZONED_NONE;
}

static int ask_device(const char *path, struct zoned_device *d)
{
	uint32_t sectors = 0, zones = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (ioctl(fd, BLKGETZONESZ, &sectors) || ioctl(fd, BLKGETNRZONES, &zones) ||
	    ioctl(fd, BLKGETSIZE64, &d->bytes))
		err = -errno;
	close(fd);
	d->zone_bytes = sectors * SECTOR;
	d->zones = zones;
	if (!err && (!sectors || !zones))
		err = -ENXIO;
	return err;
}

int zoned_look(const char *path, struct zoned_device *d)
{
	struct blockdev b;
	struct stat st;

	*d = (struct zoned_device){ .model = ZONED_NONE };
	if (stat(path, &st))
		return -errno;
	if (!S_ISBLK(st.st_mode) || blockdev_find("", st.st_rdev, &b))
		return 0;
	d->model = model_of(b.disk);
	if (d->model == ZONED_NONE)
		return 0;
	d->sector = queue_number(b.disk, "queue/logical_block_size");
	d->max_open = queue_number(b.disk, "queue/max_open_zones");
	d->max_active = queue_number(b.disk, "queue/max_active_zones");
	if (!d->sector)
		d->sector = SECTOR;
	return ask_device(path, d);
}

int zoned_open(const char *path, bool write)
{
	int fd = open(path, (write ? O_RDWR | O_DIRECT : O_RDONLY) | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

void zoned_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

static enum zoned_state state_of(uint8_t cond)
{
	switch (cond) {
	case BLK_ZONE_COND_IMP_OPEN:
	case BLK_ZONE_COND_EXP_OPEN:
		return ZONED_OPEN;
	case BLK_ZONE_COND_CLOSED:
		return ZONED_CLOSED;
	case BLK_ZONE_COND_FULL:
		return ZONED_FULL;
	case BLK_ZONE_COND_READONLY:
		return ZONED_READONLY;
	case BLK_ZONE_COND_OFFLINE:
		return ZONED_OFFLINE;
	default:
		return ZONED_EMPTY;
	}
}

static struct zoned_zone zone_of(const struct blk_zone *z, bool capacity)
{
	struct zoned_zone out = {
		.start = z->start * SECTOR, .length = z->len * SECTOR,
		.capacity = (capacity ? z->capacity : z->len) * SECTOR,
		.kind = z->type == BLK_ZONE_TYPE_CONVENTIONAL ? ZONED_CONVENTIONAL
							      : ZONED_SEQUENTIAL,
		.state = state_of(z->cond),
	};

	if (out.state == ZONED_FULL)
		out.wp = out.capacity;
	else if (out.state == ZONED_OPEN || out.state == ZONED_CLOSED)
		out.wp = z->wp * SECTOR - out.start;
	return out;
}

int zoned_report(int fd, uint64_t offset, struct zoned_zone *zones, uint32_t count)
{
	struct blk_zone_report *r;
	int ret;

	count = fl_min(count, REPORT_MAX);
	r = calloc(1, sizeof(*r) + count * sizeof(r->zones[0]));
	if (!r)
		return -ENOMEM;
	r->sector = offset / SECTOR;
	r->nr_zones = count;
	ret = ioctl(fd, BLKREPORTZONE, r) ? -errno : (int)fl_min(r->nr_zones, count);
	for (int i = 0; i < ret; i++)
		zones[i] = zone_of(&r->zones[i], r->flags & BLK_ZONE_REP_CAPACITY);
	free(r);
	return ret;
}

static int manage(int fd, unsigned long what, uint64_t start, uint64_t length)
{
	struct blk_zone_range range = { start / SECTOR, length / SECTOR };
	int ret;

	do
		ret = ioctl(fd, what, &range) ? -errno : 0;
	while (ret == -EINTR);
	return ret;
}

int zoned_reset(int fd, uint64_t start, uint64_t length)
{
	return manage(fd, BLKRESETZONE, start, length);
}

int zoned_finish(int fd, uint64_t start, uint64_t length)
{
	return manage(fd, BLKFINISHZONE, start, length);
}

int zoned_shut(int fd, uint64_t start, uint64_t length)
{
	return manage(fd, BLKCLOSEZONE, start, length);
}

int zoned_zero(int fd, uint64_t offset, uint64_t bytes)
{
	void *zeroes = aligned_alloc(4096, ZERO_BYTES);
	int err = zeroes ? 0 : -ENOMEM;

	if (zeroes)
		memset(zeroes, 0, ZERO_BYTES);
	while (!err && bytes) {
		uint64_t piece = fl_min(bytes, (uint64_t)ZERO_BYTES);

		err = file_write_all(fd, zeroes, piece, offset);
		offset += piece;
		bytes -= piece;
	}
	free(zeroes);
	return err;
}
