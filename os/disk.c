/* SPDX-License-Identifier: MIT */
/* What the disks below a file did: /sys/dev/block and the stat files in it. */
#define _GNU_SOURCE 1
#include "os/disk.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/base.h"
#include "os/sys.h"

static int device_read(const char *folder, dev_t *device)
{
	char path[PATH_MAX], text[32];
	unsigned int maj, min;

	if ((size_t)snprintf(path, sizeof(path), "%s/dev", folder) >= sizeof(path))
		return -ENAMETOOLONG;
	if (sys_read_text(path, text, sizeof(text)) <= 0 || sscanf(text, "%u:%u", &maj, &min) != 2)
		return -ENODEV;
	*device = makedev(maj, min);
	return 0;
}

/* folder is a disk's or a partition's real path in /sys; a partition's is inside its disk's. */
static int disk_from_folder(char *folder, struct disk *disk)
{
	char path[PATH_MAX];
	const char *name;

	if ((size_t)snprintf(path, sizeof(path), "%s/partition", folder) >= sizeof(path))
		return -ENODEV;
	if (access(path, F_OK) == 0)
		*strrchr(folder, '/') = '\0';
	name = strrchr(folder, '/') + 1;
	if (strlen(name) >= sizeof(disk->name))
		return -ENODEV;
	strcpy(disk->name, name);
	return device_read(folder, &disk->device);
}

int disk_find(dev_t device, struct disk *disk)
{
	char link[64], folder[PATH_MAX];

	if (!major(device))
		return -ENODEV;
	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(device), minor(device));
	if (!realpath(link, folder))
		return -ENODEV;
	return disk_from_folder(folder, disk);
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
	char path[PATH_MAX], folder[PATH_MAX];
	struct dirent *e;
	int n = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/slaves", major(disk->device),
		 minor(disk->device));
	d = opendir(path);
	if (!d)
		return errno == ENOENT ? 0 : -errno;
	while (n < max && (e = readdir(d))) {
		char link[PATH_MAX];

		if (e->d_name[0] == '.')
			continue;
		if ((size_t)snprintf(link, sizeof(link), "%s/%s", path, e->d_name) >= sizeof(link))
			continue;
		if (!realpath(link, folder) || disk_from_folder(folder, &slaves[n]))
			continue;
		/* Two partitions of one disk are one slave here. */
		if (!disk_is_listed(slaves, n, slaves[n].device))
			n++;
	}
	closedir(d);
	return n;
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
	struct disk_stat d;
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

double disk_util_percent(const struct disk_stat *d, uint64_t ms)
{
	if (!ms)
		return 0.0;
	return fl_min(100.0, 100.0 * (double)d->busy_ms / (double)ms);
}
