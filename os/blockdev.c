/* SPDX-License-Identifier: MIT */
/* The folders below /sys/dev/block and /sys/block, and the links between them. */
#define _GNU_SOURCE 1
#include "os/blockdev.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "os/sys.h"

/* The folder of a device, which is a link. "" if the name is too long. */
static const char *folder(const char *root, dev_t device, char path[PATH_MAX])
{
	int n = snprintf(path, PATH_MAX, "%s/sys/dev/block/%u:%u", root, major(device),
			 minor(device));

	if (n >= PATH_MAX)
		path[0] = '\0';
	return path;
}

static int read_number(const char *dir, const char *file, dev_t *device)
{
	char path[PATH_MAX], text[32];
	unsigned int maj, min;

	if (snprintf(path, sizeof(path), "%s/%s", dir, file) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (sys_read_text(path, text, sizeof(text)) <= 0 || sscanf(text, "%u:%u", &maj, &min) != 2)
		return -ENODEV;
	*device = makedev(maj, min);
	return 0;
}

/* A '/' in the name of a device is a '!' in that of its folder. */
static int read_name(const char *link, char name[BLOCKDEV_NAME_BYTES])
{
	char target[PATH_MAX];
	ssize_t n = readlink(link, target, sizeof(target) - 1);
	const char *base;

	if (n < 0)
		return -ENODEV;
	target[n] = '\0';
	base = strrchr(target, '/');
	base = base ? base + 1 : target;
	if (strlen(base) >= BLOCKDEV_NAME_BYTES)
		return -ENODEV;
	strcpy(name, base);
	for (char *c = name; *c; c++)
		if (*c == '!')
			*c = '/';
	return 0;
}

int blockdev_find(const char *root, dev_t device, struct blockdev *b)
{
	char dir[PATH_MAX], text[32];

	folder(root, device, dir);
	if (!major(device) || !dir[0] || read_name(dir, b->name))
		return -ENODEV;
	b->device = b->disk = device;
	/* The folder of a partition lies in that of its disk. */
	if (blockdev_attr(root, device, "partition", text, sizeof(text)) >= 0)
		return read_number(dir, "../dev", &b->disk);
	return 0;
}

static bool is_listed(const struct blockdev *list, int n, dev_t device)
{
	for (int i = 0; i < n; i++)
		if (list[i].device == device)
			return true;
	return false;
}

int blockdev_kin(const char *root, dev_t device, enum blockdev_kin kin, struct blockdev *list,
		 int max)
{
	static const char *const folders[] = {
		[BLOCKDEV_PARTS] = "", [BLOCKDEV_HOLDERS] = "/holders",
		[BLOCKDEV_SLAVES] = "/slaves",
	};
	char dir[PATH_MAX], path[PATH_MAX];
	struct dirent *e;
	int n = 0;
	DIR *d;

	if (snprintf(path, sizeof(path), "%s%s", folder(root, device, dir), folders[kin]) >=
	    PATH_MAX)
		return -ENAMETOOLONG;
	d = opendir(path);
	if (!d)
		return errno == ENOENT ? 0 : -errno;
	while (n < max && (e = readdir(d))) {
		char sub[PATH_MAX];
		dev_t number;

		if (e->d_name[0] == '.' ||
		    snprintf(sub, sizeof(sub), "%s/%s", path, e->d_name) >= PATH_MAX)
			continue;
		if (kin == BLOCKDEV_PARTS) {
			char mark[PATH_MAX];

			if (snprintf(mark, sizeof(mark), "%s/partition", sub) >= PATH_MAX ||
			    access(mark, F_OK))
				continue;
		}
		if (!read_number(sub, "dev", &number) && !is_listed(list, n, number) &&
		    !blockdev_find(root, number, &list[n]))
			n++;
	}
	closedir(d);
	return n;
}

int blockdev_attr(const char *root, dev_t device, const char *attr, char *text, size_t size)
{
	char dir[PATH_MAX], path[PATH_MAX];

	text[0] = '\0';
	if (snprintf(path, sizeof(path), "%s/%s", folder(root, device, dir), attr) >= PATH_MAX)
		return -ENAMETOOLONG;
	return sys_read_text(path, text, size);
}

int blockdev_set_attr(const char *root, dev_t device, const char *attr, const char *text)
{
	char dir[PATH_MAX], path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", folder(root, device, dir), attr) >= PATH_MAX)
		return -ENAMETOOLONG;
	return sys_write_text(path, text);
}

int blockdev_backing(const char *root, dev_t device, char *path, size_t size)
{
	return blockdev_attr(root, device, "loop/backing_file", path, size) > 0 ? 0 : -ENOENT;
}

int blockdev_loops(const char *root,
		   int (*fn)(void *ctx, const struct blockdev *loop, const char *backing),
		   void *ctx)
{
	char path[PATH_MAX], sub[PATH_MAX + NAME_MAX + 2], backing[PATH_MAX];
	struct blockdev loop;
	struct dirent *e;
	int ret = 0;
	DIR *d;

	if (snprintf(path, sizeof(path), "%s/sys/block", root) >= PATH_MAX)
		return 0;
	d = opendir(path);
	if (!d)
		return 0;
	while (!ret && (e = readdir(d))) {
		if (strncmp(e->d_name, "loop", 4))
			continue;
		snprintf(sub, sizeof(sub), "%s/%s", path, e->d_name);
		if (!read_number(sub, "dev", &loop.device) &&
		    !blockdev_backing(root, loop.device, backing, sizeof(backing)) &&
		    !blockdev_find(root, loop.device, &loop))
			ret = fn(ctx, &loop, backing);
	}
	closedir(d);
	return ret;
}

/* SCSI: the device has one folder for each of its doors. */
static int of_scsi(const char *dir, dev_t *device)
{
	char path[PATH_MAX], sub[PATH_MAX + NAME_MAX + 2];
	struct dirent *e;
	int err = -ENOENT;
	DIR *d;

	if (snprintf(path, sizeof(path), "%s/device/block", dir) >= PATH_MAX)
		return -ENOENT;
	d = opendir(path);
	if (!d)
		return -ENOENT;
	while (err && (e = readdir(d))) {
		snprintf(sub, sizeof(sub), "%s/%s", path, e->d_name);
		if (e->d_name[0] != '.')
			err = read_number(sub, "dev", device) ? -ENOENT : 0;
	}
	closedir(d);
	return err;
}

int blockdev_of_char(const char *root, dev_t char_device, dev_t *device)
{
	char dir[PATH_MAX], name[BLOCKDEV_NAME_BYTES], path[PATH_MAX];

	if (snprintf(dir, sizeof(dir), "%s/sys/dev/char/%u:%u", root, major(char_device),
		     minor(char_device)) >= PATH_MAX || read_name(dir, name))
		return -ENOENT;
	if (strncmp(name, "ng", 2))
		return of_scsi(dir, device);
	if (snprintf(path, sizeof(path), "%s/sys/block/nvme%s", root, name + 2) >= PATH_MAX)
		return -ENOENT;
	return read_number(path, "dev", device) ? -ENOENT : 0;
}

/* Who made a device-mapper volume stands in front of its uuid. */
static const char *dm_maker(const char *uuid)
{
	static const char *const makers[][2] = {
		{ "LVM-", "LVM volume " }, { "CRYPT-", "encrypted volume " },
		{ "mpath-", "multipath " }, { "part", "partition " }, { "DMRAID-", "RAID " },
	};

	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (!strncmp(uuid, makers[i][0], strlen(makers[i][0])))
			return makers[i][1];
	return "";
}

const char *blockdev_describe(const char *root, const struct blockdev *b, char *text, size_t size)
{
	char uuid[160], what[160];

	if (blockdev_attr(root, b->device, "dm/name", what, sizeof(what)) > 0) {
		blockdev_attr(root, b->device, "dm/uuid", uuid, sizeof(uuid));
		snprintf(text, size, "%s (%s%s)", b->name, dm_maker(uuid), what);
	} else if (blockdev_attr(root, b->device, "md/level", what, sizeof(what)) > 0) {
		snprintf(text, size, "%s (%s)", b->name, what);
	} else {
		snprintf(text, size, "%s", b->name);
	}
	return text;
}
