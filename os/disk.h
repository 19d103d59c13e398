/* SPDX-License-Identifier: MIT */
/*
 * What the disks below a file did: the kernel's own count of requests, before and after a run.
 *
 * Statistics are those of the whole disk, also for a file on a partition of it, because queue and
 * busy time belong to the disk. RAID and device-mapper volumes name the disks they are made of
 * (slaves).
 */
#ifndef OS_DISK_H
#define OS_DISK_H

#include <stdint.h>
#include <sys/types.h>

#define DISK_NAME_MAX 64

/* A disk by its number; made by disk_find() or disk_slaves(). */
struct disk {
	char name[DISK_NAME_MAX];	/* as in /sys/block: "vda", "nvme0n1", "dm-0" */
	dev_t device;
};

/* Counters since boot, or the difference of two snapshots. */
struct disk_stat {
	uint64_t reads, writes;			/* requests completed */
	uint64_t read_merges, write_merges;	/* requests joined to another before that */
	uint64_t read_sectors, write_sectors;	/* of 512 bytes, whatever the disk's are */
	uint64_t read_ms, write_ms;		/* sum of the requests' times */
	uint64_t busy_ms;			/* time with at least one request in progress */
	uint64_t queue_ms;			/* sum over time of the requests in progress */
};

/*
 * disk_find - the disk behind a device number: st_dev of a file, st_rdev of a block device.
 * Returns 0, or -ENODEV when there is none: tmpfs, overlay, network and multi-device file systems
 * have a number that is no disk's.
 */
int disk_find(dev_t device, struct disk *disk);

/*
 * disk_find_path - the disk below a file, or the disk that a block device is. A file that doesn't
 * exist yet counts as its folder. Returns 0, -ENODEV as above, or another -errno.
 */
int disk_find_path(const char *path, struct disk *disk);

/*
 * disk_slaves - the disks a volume is made of, one level down, each once.
 * Returns how many were stored (0 for an ordinary disk, at most max), or -errno.
 */
int disk_slaves(const struct disk *disk, struct disk *slaves, int max);

/* disk_stat_take - a snapshot. Returns 0, or -errno; -ENODEV if the disk has gone. */
int disk_stat_take(const struct disk *disk, struct disk_stat *now);

/* disk_stat_since - after minus before, member by member. */
struct disk_stat disk_stat_since(const struct disk_stat *before, const struct disk_stat *after);

/* disk_stat_add - add one difference to a sum. */
void disk_stat_add(struct disk_stat *sum, const struct disk_stat *d);

/* disk_stat_share - member by member, divided by n. */
struct disk_stat disk_stat_share(const struct disk_stat *d, unsigned n);

/* disk_util_percent - the share of ms for which the disk was busy, 0 to 100. */
double disk_util_percent(const struct disk_stat *d, uint64_t ms);

#endif
