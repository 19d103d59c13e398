/* SPDX-License-Identifier: MIT */
/*
 * What is mounted where: the kernel's own table, /proc/PID/mountinfo, line by line.
 *
 * Functions of this file and of its neighbours that read /proc and /sys take a root: the folder
 * that these two lie in. It is "" in earnest; tests have trees of their own.
 */
#ifndef OS_MOUNTS_H
#define OS_MOUNTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define MOUNTS_SELF	"/proc/self/mountinfo"

/* One line. Strings are unescaped, and valid until the next line. */
struct mount {
	uint64_t id;		/* as in stx_mnt_id */
	dev_t device;		/* st_dev of what lies below; major 0: it is no block device's */
	const char *within;	/* which folder of the file system is mounted: "/" is all of it */
	const char *point;
	const char *options;	/* of this mount: "rw,noatime" */
	const char *type;	/* "ext4" */
	const char *source;	/* "/dev/vda1", "none", "server:/export" */
	const char *fs_options;	/* of the file system */
};

/*
 * mounts_each - call fn for every mount of a table (MOUNTS_SELF below some root), in the order in
 * which they were made. Stops when fn returns other than 0.
 * Returns what fn returned last, or -errno when the table cannot be read.
 */
int mounts_each(const char *table, int (*fn)(void *ctx, const struct mount *m), void *ctx);

/* mounts_unescape - in place: blanks and backslashes in names of such tables are \ooo. */
void mounts_unescape(char *s);

/*
 * mounts_is_point - is path, symbolic links followed, a place that something is mounted on?
 * Returns 1 or 0, or -errno of path or the table.
 */
int mounts_is_point(const char *table, const char *path);

#endif
