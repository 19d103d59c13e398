/* SPDX-License-Identifier: MIT */
/*
 * Attributes of block devices. They lie at different places for different drivers; what a driver
 * does not say is left out.
 */
#define _GNU_SOURCE 1
#include "os/storage.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "os/blockdev.h"
#include "os/sys.h"
#include "os/sysfacts.h"

#define BELOW_MAX	32	/* devices that one is built of ... */
#define LEVELS_MAX	6	/* ... and how deep that goes */

/* A device whose facts are collected. */
struct device {
	const char *root;
	struct facts *f;
	struct blockdev b;
	char folder[64];		/* of the whole disk, relative to root */
	unsigned int level;
};

static bool text(const struct device *d, const char *name, unsigned int flags, const char *attr)
{
	return sysfacts_text(d->f, name, flags, d->root, "%s/%s", d->folder, attr);
}

static bool number(const struct device *d, const char *name, unsigned int flags, uint64_t scale,
		   const char *attr)
{
	return sysfacts_u64(d->f, name, flags, scale, d->root, "%s/%s", d->folder, attr);
}

static bool yes_or_no(const struct device *d, const char *name, unsigned int flags,
		      const char *attr)
{
	return sysfacts_bool(d->f, name, flags, d->root, "%s/%s", d->folder, attr);
}

static bool has(const struct device *d, const char *attr)
{
	char one[8];

	return blockdev_attr(d->root, d->b.disk, attr, one, sizeof(one)) >= 0;
}

/* ---- Hardware -------------------------------------------------------------------------------- */

/*
 * The folder of a device lies in that of what it hangs on. The nearest of these that has such a
 * file speaks for it: the node of a controller, the link of its slot.
 */
static bool climb(const struct device *d, const char *attr, char *out, size_t bytes)
{
	char path[PATH_MAX], real[PATH_MAX], *slash;

	snprintf(path, sizeof(path), "%.3000s/%s", d->root, d->folder);
	if (!realpath(path, real))
		return false;
	while ((slash = strrchr(real, '/')) && slash > real + strlen(d->root)) {
		if (snprintf(path, sizeof(path), "%s/%s", real, attr) < PATH_MAX &&
		    sys_read_text(path, out, bytes) > 0)
			return true;
		*slash = '\0';
	}
	return false;
}

static void identity(const struct device *d)
{
	if (!text(d, "model", 0, "device/model"))
		text(d, "model", 0, "device/device/model");
	text(d, "vendor", 0, "device/vendor");
	if (!text(d, "firmware", 0, "device/firmware_rev"))
		text(d, "firmware", 0, "device/rev");
	if (!text(d, "serial", FACT_ID, "device/serial"))
		text(d, "serial", FACT_ID, "serial");
	text(d, "wwid", FACT_ID | FACT_DETAIL, "wwid");
	text(d, "state", 0, "device/state");
}

static void attachment(const struct device *d)
{
	char one[64];

	text(d, "transport", 0, "device/transport");
	if (climb(d, "numa_node", one, sizeof(one)))
		facts_i64(d->f, "numa_node", strtol(one, NULL, 10), 0);
	if (climb(d, "current_link_speed", one, sizeof(one)))
		facts_text(d->f, "link_speed", one, 0);
	if (climb(d, "current_link_width", one, sizeof(one)))
		facts_text(d->f, "link_width", one, 0);
	if (climb(d, "max_link_speed", one, sizeof(one)))
		facts_text(d->f, "link_speed_possible", one, FACT_DETAIL);
	text(d, "address", FACT_ID | FACT_DETAIL, "device/address");
}

static unsigned int count_entries(const struct device *d, const char *folder)
{
	char path[PATH_MAX];
	unsigned int n = 0;
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "%.3000s/%s/%s", d->root, d->folder, folder);
	dir = opendir(path);
	if (!dir)
		return 0;
	while ((e = readdir(dir)))
		n += e->d_name[0] != '.';
	closedir(dir);
	return n;
}

/* How many queues are polled is a parameter of the driver's module, not of the device. */
static void poll_queues(const struct device *d)
{
	static const char *const drivers[][2] = {
		{ "nvme", "nvme" }, { "vd", "virtio_blk" }, { "nullb", "null_blk" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(drivers); i++)
		if (!strncmp(d->b.name, drivers[i][0], strlen(drivers[i][0])))
			sysfacts_u64(d->f, "poll_queues", 0, 1, d->root,
				     "sys/module/%s/parameters/poll_queues", drivers[i][1]);
}

/* ---- The queue ------------------------------------------------------------------------------- */

static void sizes(const struct device *d)
{
	number(d, "logical_block_bytes", 0, 1, "queue/logical_block_size");
	number(d, "physical_block_bytes", 0, 1, "queue/physical_block_size");
	number(d, "minimum_io_bytes", 0, 1, "queue/minimum_io_size");
	number(d, "optimal_io_bytes", 0, 1, "queue/optimal_io_size");
	number(d, "max_io_bytes", 0, 1024, "queue/max_sectors_kb");
	number(d, "max_io_possible_bytes", FACT_DETAIL, 1024, "queue/max_hw_sectors_kb");
	number(d, "max_segments", FACT_DETAIL, 1, "queue/max_segments");
	number(d, "discard_bytes", FACT_DETAIL, 1, "queue/discard_granularity");
	number(d, "max_discard_bytes", 0, 1, "queue/discard_max_bytes");
	number(d, "max_write_zeroes_bytes", FACT_DETAIL, 1, "queue/write_zeroes_max_bytes");
	number(d, "atomic_write_bytes", FACT_DETAIL, 1, "queue/atomic_write_unit_max_bytes");
	number(d, "zone_append_bytes", FACT_DETAIL, 1, "queue/zone_append_max_bytes");
}

static void queue(const struct device *d)
{
	unsigned int queues = count_entries(d, "mq");

	sysfacts_choice(d->f, "scheduler", 0, d->root, "%s/queue/scheduler", d->folder);
	number(d, "nr_requests", 0, 1, "queue/nr_requests");
	if (queues)
		facts_u64(d->f, "hardware_queues", queues, 0);
	yes_or_no(d, "poll", 0, "queue/io_poll");
	poll_queues(d);
	text(d, "write_cache", 0, "queue/write_cache");
	yes_or_no(d, "fua", 0, "queue/fua");
	number(d, "read_ahead_bytes", 0, 1024, "queue/read_ahead_kb");
	yes_or_no(d, "rotational", 0, "queue/rotational");
	text(d, "zoned", 0, "queue/zoned");
	yes_or_no(d, "dax", 0, "queue/dax");
	number(d, "writeback_throttle_us", FACT_DETAIL, 1, "queue/wbt_lat_usec");
	number(d, "no_merges", FACT_DETAIL, 1, "queue/nomerges");
	number(d, "rq_affinity", FACT_DETAIL, 1, "queue/rq_affinity");
	yes_or_no(d, "statistics", FACT_DETAIL, "queue/iostats");
	yes_or_no(d, "entropy", FACT_DETAIL, "queue/add_random");
	sizes(d);
}

/* ---- Volumes --------------------------------------------------------------------------------- */

static const char *kind_of(const struct device *d)
{
	static const char *const by_file[][2] = {
		{ "dm/name", "dm" }, { "md/level", "md" }, { "loop/backing_file", "loop" },
		{ "comp_algorithm", "zram" }, { "bcache/cache_mode", "bcache" },
		{ "backend", "nbd" },
	};
	static const char *const by_name[][2] = {
		{ "loop", "loop" }, { "ram", "ram" }, { "nbd", "nbd" }, { "pmem", "pmem" },
		{ "nvme", "nvme" }, { "vd", "virtio" }, { "sd", "scsi" }, { "sr", "cdrom" },
		{ "nullb", "null_blk" }, { "mmcblk", "mmc" }, { "xvd", "xen" }, { "drbd", "drbd" },
		{ "rbd", "rbd" }, { "zd", "zvol" }, { "ublkb", "ublk" }, { "dasd", "dasd" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(by_file); i++)
		if (has(d, by_file[i][0]))
			return by_file[i][1];
	for (size_t i = 0; i < ARRAY_SIZE(by_name); i++)
		if (!strncmp(d->b.name, by_name[i][0], strlen(by_name[i][0])))
			return by_name[i][1];
	return NULL;
}

/* Persistent memory hangs on a device named for what was made of its namespace. */
static void namespace_mode(const struct device *d)
{
	static const char *const modes[][2] = {
		{ "pfn", "fsdax" }, { "btt", "sector" }, { "namespace", "raw" },
	};
	char path[PATH_MAX], target[PATH_MAX];
	const char *base;
	ssize_t n;

	snprintf(path, sizeof(path), "%.3000s/%s/device", d->root, d->folder);
	n = strncmp(d->b.name, "pmem", 4) ? -1 : readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return;
	target[n] = '\0';
	base = strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (!strncmp(base, modes[i][0], strlen(modes[i][0])))
			facts_text(d->f, "namespace_mode", modes[i][1], 0);
}

static void volume(const struct device *d)
{
	text(d, "volume", FACT_ID, "dm/name");
	text(d, "volume_id", FACT_ID | FACT_DETAIL, "dm/uuid");
	yes_or_no(d, "suspended", 0, "dm/suspended");
	text(d, "raid_level", 0, "md/level");
	number(d, "raid_disks", 0, 1, "md/raid_disks");
	number(d, "chunk_bytes", 0, 1, "md/chunk_size");
	text(d, "raid_metadata", FACT_DETAIL, "md/metadata_version");
	number(d, "raid_degraded", 0, 1, "md/degraded");
	text(d, "raid_action", 0, "md/sync_action");
	text(d, "bitmap", FACT_DETAIL, "md/bitmap/location");
	number(d, "stripe_cache_size", FACT_DETAIL, 1, "md/stripe_cache_size");
	text(d, "backing_file", FACT_ID, "loop/backing_file");
	yes_or_no(d, "backing_direct", 0, "loop/dio");
	number(d, "backing_offset_bytes", FACT_DETAIL, 1, "loop/offset");
	sysfacts_choice(d->f, "compression", 0, d->root, "%s/comp_algorithm", d->folder);
	sysfacts_choice(d->f, "cache_mode", 0, d->root, "%s/bcache/cache_mode", d->folder);
	text(d, "cache_state", 0, "bcache/state");
	namespace_mode(d);
}

static void collect(const char *root, dev_t device, unsigned int level, struct facts *f);

/* The file of a loop device lies in a file system, which lies on a device again. */
static void below_loop(const struct device *d)
{
	char path[PATH_MAX], at[2 * PATH_MAX];
	dev_t device = 0;
	struct stat st;
	size_t mark;

	if (blockdev_backing(d->root, d->b.disk, path, sizeof(path)))
		return;
	snprintf(at, sizeof(at), "%s%s", d->root, path);
	if (stat(at, &st))
		return;
	mark = facts_enter(d->f, "below.0");
	if (S_ISBLK(st.st_mode))
		device = st.st_rdev;
	else
		storage_filesystem(d->root, path, d->f, &device);
	collect(d->root, device, d->level + 1, d->f);
	facts_leave(d->f, mark);
}

static void below(const struct device *d)
{
	struct blockdev list[BELOW_MAX];
	int n;

	if (d->level == LEVELS_MAX)
		return;
	n = blockdev_kin(d->root, d->b.disk, BLOCKDEV_SLAVES, list, BELOW_MAX);
	for (int i = 0; i < n; i++) {
		size_t mark = facts_enter(d->f, "below.%d", i);

		collect(d->root, list[i].device, d->level + 1, d->f);
		facts_leave(d->f, mark);
	}
	if (n <= 0)
		below_loop(d);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void partition(const struct device *d, const char *name)
{
	char own[64];

	snprintf(own, sizeof(own), "sys/dev/block/%u:%u", major(d->b.device), minor(d->b.device));
	facts_text(d->f, "partition", name, 0);
	sysfacts_u64(d->f, "partition_start_bytes", 0, 512, d->root, "%s/start", own);
	sysfacts_u64(d->f, "partition_bytes", 0, 512, d->root, "%s/size", own);
	sysfacts_u64(d->f, "partition_misaligned_bytes", FACT_DETAIL, 1, d->root,
		     "%s/alignment_offset", own);
}

static void collect(const char *root, dev_t device, unsigned int level, struct facts *f)
{
	struct device d = { .root = root, .f = f, .level = level };
	struct blockdev disk;
	size_t mark;

	if (blockdev_find(root, device, &d.b))
		return;
	mark = facts_enter(f, "device");
	snprintf(d.folder, sizeof(d.folder), "sys/dev/block/%u:%u", major(d.b.disk),
		 minor(d.b.disk));
	if (!blockdev_is_part(&d.b)) {
		facts_text(f, "name", d.b.name, 0);
	} else if (!blockdev_find(root, d.b.disk, &disk)) {
		facts_text(f, "name", disk.name, 0);
		partition(&d, d.b.name);
		d.b = disk;
	}
	facts_text(f, "kind", kind_of(&d), 0);
	identity(&d);
	number(&d, "size_bytes", 0, 512, "size");
	yes_or_no(&d, "read_only", 0, "ro");
	yes_or_no(&d, "removable", FACT_DETAIL, "removable");
	attachment(&d);
	queue(&d);
	volume(&d);
	below(&d);
	facts_leave(f, mark);
}

void storage_device(const char *root, dev_t device, struct facts *f)
{
	collect(root, device, 0, f);
}

void storage_dax(const char *root, dev_t device, struct facts *f)
{
	char folder[64];
	size_t mark = facts_enter(f, "dax");

	snprintf(folder, sizeof(folder), "sys/dev/char/%u:%u", major(device), minor(device));
	sysfacts_u64(f, "size_bytes", 0, 1, root, "%s/size", folder);
	sysfacts_u64(f, "align_bytes", 0, 1, root, "%s/align", folder);
	sysfacts_u64(f, "numa_node", 0, 1, root, "%s/numa_node", folder);
	facts_leave(f, mark);
}
