/* SPDX-License-Identifier: MIT */
/* What the disks below a file did: /sys/dev/block and the stat files in it. */
#define _GNU_SOURCE 1
#include "os/disk.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "lib/base.h"
#include "os/blockdev.h"
#include "os/sys.h"

#define DISK_SLAVES_MAX	256

_Static_assert(DISK_NAME_MAX == BLOCKDEV_NAME_BYTES, "names are copied whole");

/* The disk that a device is, or is a partition of. */
static int disk_of(const struct blockdev *device, struct disk *disk)
{
	struct blockdev whole = *device;

	if (blockdev_is_part(device) && blockdev_find("", device->disk, &whole))
		return -ENODEV;
	memcpy(disk->name, whole.name, sizeof(disk->name));
	disk->device = whole.device;
	return 0;
}

int disk_find(dev_t device, struct disk *disk)
{
	struct blockdev b;

	return blockdev_find("", device, &b) ? -ENODEV : disk_of(&b, disk);
}

/* stat the folder that path is in, or would be in. */
static int stat_parent(const char *path, struct stat *st)
{
	char dir[PATH_MAX];
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) : 0;

	if (!slash)
		return stat(".", st) < 0 ? -errno : 0;
	if (!len)
		return stat("/", st) < 0 ? -errno : 0;
	if (len >= sizeof(dir))
		return -ENAMETOOLONG;
	memcpy(dir, path, len);
	dir[len] = '\0';
	return stat(dir, st) < 0 ? -errno : 0;
}

int disk_find_path(const char *path, struct disk *disk)
{
	struct stat st;
	int err = stat(path, &st) < 0 ? -errno : 0;

	if (err == -ENOENT)
		err = stat_parent(path, &st);
	if (err)
		return err;
	if (S_ISCHR(st.st_mode))
		return -ENODEV;
	return disk_find(S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev, disk);
}

static int disk_is_listed(const struct disk *list, int n, dev_t device)
{
	int i;

	for (i = 0; i < n; i++)
		if (list[i].device == device)
			return 1;
	return 0;
}

int disk_slaves(const struct disk *disk, struct disk *slaves, int max)
{
	struct blockdev list[DISK_SLAVES_MAX];
	int found = blockdev_kin("", disk->device, BLOCKDEV_SLAVES, list, DISK_SLAVES_MAX), n = 0;

	/* Two partitions of one disk are one slave here. */
	for (int i = 0; i < found && n < max; i++)
		if (!disk_of(&list[i], &slaves[n]) &&
		    !disk_is_listed(slaves, n, slaves[n].device))
			n++;
	return found < 0 ? found : n;
}

/* The fields of a stat file (kernel: Documentation/block/stat.rst) in their order. */
int disk_stat_take(const struct disk *disk, struct disk_stat *now)
{
	char path[64], text[512];
	uint64_t in_flight;
	int n;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major(disk->device),
		 minor(disk->device));
	n = sys_read_text(path, text, sizeof(text));
	if (n < 0)
		return n == -ENOENT ? -ENODEV : n;
	n = sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
		   &now->reads, &now->read_merges, &now->read_sectors, &now->read_ms,
		   &now->writes, &now->write_merges, &now->write_sectors, &now->write_ms,
		   &in_flight, &now->busy_ms, &now->queue_ms);
	return n == 11 ? 0 : -ENODEV;
}

/* Both operations member by member: the struct is nothing but equal counters. */
_Static_assert(sizeof(struct disk_stat) % sizeof(uint64_t) == 0, "disk_stat is counters only");
#define DISK_STAT_COUNTERS (sizeof(struct disk_stat) / sizeof(uint64_t))

struct disk_stat disk_stat_since(const struct disk_stat *before, const struct disk_stat *after)
{
	struct disk_stat d = { 0 };
	const uint64_t *b = (const uint64_t *)before, *a = (const uint64_t *)after;
	size_t i;

	for (i = 0; i < DISK_STAT_COUNTERS; i++)
		((uint64_t *)&d)[i] = a[i] - b[i];
	return d;
}

void disk_stat_add(struct disk_stat *sum, const struct disk_stat *d)
{
	size_t i;

	for (i = 0; i < DISK_STAT_COUNTERS; i++)
		((uint64_t *)sum)[i] += ((const uint64_t *)d)[i];
}

struct disk_stat disk_stat_share(const struct disk_stat *d, unsigned n)
{
	struct disk_stat share = { 0 };
	size_t i;

	for (i = 0; i < DISK_STAT_COUNTERS; i++)
		((uint64_t *)&share)[i] = ((const uint64_t *)d)[i] / n;
	return share;
}

double disk_util_percent(const struct disk_stat *d, uint64_t ms)
{
	if (!ms)
		return 0.0;
	return fl_min(100.0, 100.0 * (double)d->busy_ms / (double)ms);
}
