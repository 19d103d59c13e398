/* SPDX-License-Identifier: MIT */
/* The attributes of a disk, put together. */
#define _GNU_SOURCE 1
#include "os/disktraits.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/hdreg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base.h"
#include "os/blockdev.h"
#include "os/mem.h"
#include "os/sys.h"

#define LEVELS_MAX	4		/* volumes on volumes */
#define SLAVES_MAX	16
#define SECTOR		512u		/* of sysfs and of ATA words, whatever the disk's is */

static uint64_t number(const char *root, dev_t disk, const char *attr)
{
	char text[64];

	if (blockdev_attr(root, disk, attr, text, sizeof(text)) <= 0)
		return 0;
	return strtoull(text, NULL, 10);
}

static void look_queue(const char *root, dev_t disk, struct disktraits *t)
{
	char text[256];

	t->read_only = number(root, disk, "ro");
	t->sector_bytes = (uint32_t)number(root, disk, "queue/logical_block_size");
	t->requests = (uint32_t)number(root, disk, "queue/nr_requests");
	if (blockdev_attr(root, disk, "queue/scheduler", text, sizeof(text)) > 0)
		sys_choice(text, t->scheduler, sizeof(t->scheduler));
}

static void look_zram(const char *root, dev_t disk, struct disktraits *t)
{
	char text[256], word[40];

	if (blockdev_attr(root, disk, "comp_algorithm", text, sizeof(text)) <= 0)
		return;
	sys_choice(text, word, sizeof(word));
	snprintf(t->compresses, sizeof(t->compresses), "zram (%s)", word[0] ? word : "lzo");
}

/* Both ways of making a VDO volume leave a mark in the identifier that device-mapper keeps. */
static void look_vdo(const char *root, dev_t disk, struct disktraits *t)
{
	char uuid[192];
	size_t len;

	if (blockdev_attr(root, disk, "dm/uuid", uuid, sizeof(uuid)) <= 0)
		return;
	len = strlen(uuid);
	if (strncmp(uuid, "VDO-", 4) && (len < 6 || strcmp(uuid + len - 6, "-vpool")))
		return;
	snprintf(t->compresses, sizeof(t->compresses), "VDO");
	t->dedups = true;
}

static void look_loop(const char *root, dev_t disk, struct disktraits *t)
{
	if (blockdev_backing(root, disk, t->backing, sizeof(t->backing)))
		return;
	t->backing_offset = number(root, disk, "loop/offset");
	t->backing_cached = !number(root, disk, "loop/dio");
}

/* Word 21 of an ATA disk's identity is the size of its buffer in sectors (ATA-1 to ATA-3). */
static uint64_t buffer_of_ata(dev_t disk)
{
	char path[BLOCKDEV_NAME_BYTES + 8];
	struct hd_driveid id;
	struct blockdev b;
	struct stat st;
	uint64_t bytes = 0;
	int fd;

	if (blockdev_find("", disk, &b))
		return 0;
	snprintf(path, sizeof(path), "/dev/%s", b.name);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (!fstat(fd, &st) && S_ISBLK(st.st_mode) && st.st_rdev == disk &&
	    !ioctl(fd, HDIO_GET_IDENTITY, &id))
		bytes = (uint64_t)id.buf_size * SECTOR;
	close(fd);
	return bytes;
}

static uint64_t cache_of(const char *root, dev_t disk)
{
	uint64_t stripes = number(root, disk, "md/stripe_cache_size");

	if (stripes)
		return stripes * mem_page_size() * number(root, disk, "md/raid_disks");
	return root[0] ? 0 : buffer_of_ata(disk);
}

/* What a disk that this one is made of does to data, or keeps of it, this one does, too. */
static void look_below(const char *root, dev_t disk, struct disktraits *t, int level)
{
	struct blockdev slaves[SLAVES_MAX];
	int n = level < LEVELS_MAX ? blockdev_kin(root, disk, BLOCKDEV_SLAVES, slaves, SLAVES_MAX)
				   : 0;

	if (!t->compresses[0])
		look_vdo(root, disk, t);
	t->cache_bytes += cache_of(root, disk);
	for (int i = 0; i < n; i++)
		look_below(root, slaves[i].disk, t, level + 1);
}

int disktraits_look(const char *root, dev_t disk, struct disktraits *t)
{
	struct blockdev b;

	memset(t, 0, sizeof(*t));
	if (blockdev_find(root, disk, &b))
		return -ENODEV;
	t->size_bytes = number(root, disk, "size") * SECTOR;
	t->rotational = number(root, disk, "queue/rotational");
	t->discards = number(root, disk, "queue/discard_max_bytes");
	t->dax = number(root, disk, "queue/dax");
	look_queue(root, disk, t);
	look_zram(root, disk, t);
	look_loop(root, disk, t);
	look_below(root, disk, t, 0);
	return 0;
}

/* mm_stat: bytes held, bytes they take, ... (Documentation/admin-guide/blockdev/zram.rst) */
int disktraits_packing(const char *root, dev_t disk, struct disktraits_packing *p)
{
	char text[256];

	if (blockdev_attr(root, disk, "mm_stat", text, sizeof(text)) <= 0 ||
	    sscanf(text, "%" SCNu64 " %" SCNu64, &p->given_bytes, &p->kept_bytes) != 2)
		return -ENODEV;
	return 0;
}
