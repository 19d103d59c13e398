/* SPDX-License-Identifier: MIT */
/* The reasons for which a device is not written to, and the words that allow it. */
#define _GNU_SOURCE 1
#include "core/safety.h"
#include "lib/span.h"
#include "lib/strbuf.h"
#include "os/blockdev.h"
#include "os/inuse.h"
#include "os/mounts.h"
#include "os/signature.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define AT(member)	.offset = offsetof(struct safety_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "allow_destroy", .type = OPT_STR_LIST, AT(allow),
	  .help = "permit writes to these block devices, whatever is on them",
	  .more = "A block device is not written to or trimmed while it is mounted, used as swap, "
		  "part of a volume or claimed otherwise, or while it carries a file system, a "
		  "partition table or the mark of a RAID or volume group; likewise when that is "
		  "true of a partition of it, of its disk, or of what is built on it. Exactly the "
		  "device that is named here may be destroyed all the same; write '\\:' for a "
		  "colon that belongs to a name. The environment variable " SAFETY_VARIABLE
		  " names more of them." },
	{ .name = "allow_mounted_write", .type = FL_OPT_BOOL, AT(allow_mounted),
	  .help = "permit writes to a block device that is mounted" },
	{ .name = "require_mount", .type = FL_OPT_STR, AT(require_mount),
	  .unit = "0, 1 or path",
	  .help = "refuse to run where no file system has been mounted",
	  .more = "1: each directory must be a mount point. A path: that must be one, and the "
		  "files lie on what is mounted there. Without it a disk that failed to mount "
		  "means a test of the one below." },
};

const struct opt_table safety_options = OPT_TABLE("Safety", rows, 0);

int safety_device(const char *path, dev_t *device)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (S_ISBLK(st.st_mode)) {
		*device = st.st_rdev;
		return 0;
	}
	if (S_ISCHR(st.st_mode) && !blockdev_of_char("", st.st_rdev, device))
		return 0;
	return -ENOTBLK;
}

static bool is_in_list(const char *list, dev_t device)
{
	struct span rest = span_of(list ? list : "");
	struct strbuf name = STRBUF_INIT;
	bool found = false;
	dev_t named = 0;

	while (!found && span_next_name(&rest, &name))
		found = !safety_device(strbuf_str(&name), &named) && named == device;
	strbuf_free(&name);
	return found;
}

bool safety_allows(const struct safety_conf *conf, dev_t device)
{
	return (conf && is_in_list(conf->allow, device)) ||
	       is_in_list(secure_getenv(SAFETY_VARIABLE), device);
}

/* ---- What is on it --------------------------------------------------------------------------- */

/*
 * Where to read a device: path, or, if that is a side door or all that is known is a number, the
 * node that /dev has for it. Returns NULL if there is none.
 */
static const char *node_of(const char *path, dev_t device, char *node, size_t bytes)
{
	struct blockdev b;
	struct stat st;

	if (path && !stat(path, &st) && S_ISBLK(st.st_mode))
		return path;
	if (blockdev_find("", device, &b))
		return NULL;
	snprintf(node, bytes, "/dev/%s", b.name);
	return !stat(node, &st) && S_ISBLK(st.st_mode) && st.st_rdev == device ? node : NULL;
}

/*
 * Of the disk of a partition a table is nothing to wonder at, but a file system or RAID is: such a
 * disk was used whole once, or still is.
 */
static bool disk_carries(dev_t device, char *use, size_t use_bytes)
{
	char what[256], room[BLOCKDEV_NAME_BYTES + 8];
	const char *node;
	struct blockdev b;

	if (blockdev_find("", device, &b) || !blockdev_is_part(&b))
		return false;
	node = node_of(NULL, b.disk, room, sizeof(room));
	if (!node || signature_find(node, false, what, sizeof(what)) <= 0)
		return false;
	snprintf(use, use_bytes, "is a partition of a disk that carries data itself: %s", what);
	return true;
}

/* What lies on a device, in words that follow its name. Returns whether anything does. */
static bool carries(const char *path, dev_t device, char *use, size_t use_bytes)
{
	char what[256], room[BLOCKDEV_NAME_BYTES + 8];
	const char *node = node_of(path, device, room, sizeof(room));
	int n = node ? signature_find(node, true, what, sizeof(what)) : -ENXIO;

	if (node == path && (n == -EACCES || n == -EPERM || n == -ENOMEDIUM))
		return false;		/* then it cannot be written either, and that is told */
	if (n < 0)
		snprintf(use, use_bytes, "cannot be read, so that nobody knows what is on it (%s)",
			 strerror(-n));
	else if (n)
		snprintf(use, use_bytes, "carries data: %s", what);
	return n || disk_carries(device, use, use_bytes);
}

/* The path, and the kernel's name of the device if the path says something else. */
static const char *show(const char *path, dev_t device, char *text, size_t bytes)
{
	const char *base = strrchr(path, '/');
	struct blockdev b;

	if (blockdev_find("", device, &b) || !strcmp(base ? base + 1 : path, b.name))
		snprintf(text, bytes, "%s", path);
	else
		snprintf(text, bytes, "%s (%s)", path, b.name);
	return text;
}

/* As it has to stand behind allow_destroy=. */
static void escape(const char *path, char *out, size_t bytes)
{
	size_t n = 0;

	for (; *path && n + 2 < bytes; path++) {
		if (*path == ':')
			out[n++] = '\\';
		out[n++] = *path;
	}
	out[n] = '\0';
}

/*
 * A mounted device carries a file system and is claimed; allow_mounted_write speaks of all three.
 */
int safety_check(const struct safety_conf *conf, const char *path, dev_t device, unsigned int what,
		 char *why, size_t why_bytes)
{
	char use[512] = "", name[2 * NAMES_BYTES], room[BLOCKDEV_NAME_BYTES + 8];
	const char *node = node_of(path, device, room, sizeof(room));
	bool mounted_ok = conf && conf->allow_mounted;
	int found = inuse_find("", device, 0, use, sizeof(use));

	if (safety_allows(conf, device))
		return 0;
	if (found == INUSE_MOUNTED && mounted_ok) {
		found = inuse_find("", device, 1u << INUSE_MOUNTED, use, sizeof(use));
		what = 0;
	}
	if (found <= INUSE_FREE && what & SAFETY_CLAIM && node)
		found = inuse_claim(node, use, sizeof(use));
	show(path, device, name, sizeof(name));
	if (found > INUSE_FREE)
		snprintf(why, why_bytes, "%.300s is %s", name, use);
	else if (what & SAFETY_CONTENT && carries(path, device, use, sizeof(use)))
		snprintf(why, why_bytes, "%.300s %s", name, use);
	else
		return 0;
	escape(path, name, sizeof(name));
	snprintf(use, sizeof(use), "; writing would destroy that. If it is meant: %s=%.300s%s",
		 conf ? "allow_destroy" : SAFETY_VARIABLE, name, conf && found == INUSE_MOUNTED ?
		 " (or, as it is mounted, allow_mounted_write=1)" : "");
	strncat(why, use, why_bytes - strlen(why) - 1);
	return -EBUSY;
}

/* ---- require_mount --------------------------------------------------------------------------- */

static int mount_error(const char *option, const char *path, int found, char *why, size_t why_bytes)
{
	if (found > 0)
		return 0;
	snprintf(why, why_bytes, "%s%.300s: %s, and require_mount wants a place that a file system "
		 "is mounted on", option, path, found ? strerror(-found) : "nothing is mounted "
		 "there");
	return -ENOENT;
}

/* The device of a path, or of what leads to it as far as that exists. */
static int device_above(const char *path, dev_t *device)
{
	char at[PATH_MAX];
	struct stat st;
	char *slash;

	if (snprintf(at, sizeof(at), "%s", path) >= PATH_MAX)
		return -ENAMETOOLONG;
	while (stat(at, &st)) {
		if (errno != ENOENT && errno != ENOTDIR)
			return -errno;
		slash = strrchr(at, '/');
		if (!slash || slash == at)
			snprintf(at, sizeof(at), "%s", slash ? "/" : ".");
		else
			*slash = '\0';
	}
	*device = st.st_dev;
	return 0;
}

/* Files below a mount point that belong to another file system are on another disk, too. */
static int lies_on(const char *point, const char *file, char *why, size_t why_bytes)
{
	dev_t there = 0, here = 0;
	int err = device_above(point, &there);

	if (!err)
		err = device_above(file, &here);
	if (!err && there == here)
		return 0;
	snprintf(why, why_bytes, "require_mount=%.200s: file %.300s does not lie on what is "
		 "mounted there%s%s", point, file, err ? ": " : "", err ? strerror(-err) : "");
	return -ENOENT;
}

int safety_mount(const struct safety_conf *conf, const struct names_conf *names, const char *first,
		 char *why, size_t why_bytes)
{
	const char *want = conf->require_mount;
	struct strbuf name = STRBUF_INIT;
	struct span rest;
	int err = 0;

	if (!want || !strcmp(want, "0"))
		return 0;
	if (strcmp(want, "1")) {
		err = mount_error("require_mount=", want, mounts_is_point(MOUNTS_SELF, want), why,
				  why_bytes);
		return err ? err : lies_on(want, first, why, why_bytes);
	}
	if (!names->directory) {
		snprintf(why, why_bytes, "require_mount=1 is about directory=, which is not given; "
			 "name the mount point itself, as in require_mount=/mnt");
		return -ENOENT;
	}
	rest = span_of(names->directory);
	while (!err && span_next_name(&rest, &name))
		err = mount_error("directory=", strbuf_str(&name),
				  mounts_is_point(MOUNTS_SELF, strbuf_str(&name)), why, why_bytes);
	strbuf_free(&name);
	return err;
}
