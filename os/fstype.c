/* SPDX-License-Identifier: MIT */
/*
 * Magic numbers and the names that people know (linux/magic.h and the file systems' own sources).
 */
#define _GNU_SOURCE
#include "os/fstype.h"

#include "lib/base.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>

static const struct {
	unsigned int magic;
	const char *name;
} types[] = {
	{ 0x01021994, "tmpfs" }, { 0x858458f6, "ramfs" }, { 0xef53, "ext4" },
	{ 0x58465342, "xfs" }, { 0x9123683e, "btrfs" }, { 0xf2f52010, "f2fs" },
	{ 0x2fc12fc1, "zfs" }, { 0xca451a4e, "bcachefs" }, { 0x794c7630, "overlay" },
	{ 0x65735546, "fuse" }, { 0x6a656a63, "virtiofs" }, { 0x6969, "nfs" },
	{ 0xff534d42, "cifs" }, { 0xfe534d42, "smb2" }, { 0x00c36400, "ceph" },
	{ 0x01021997, "9p" }, { 0x4d44, "vfat" }, { 0x2011bab0, "exfat" },
	{ 0x7366746e, "ntfs3" }, { 0x9660, "iso9660" }, { 0x73717368, "squashfs" },
	{ 0xe0f5e1e2, "erofs" }, { 0x9fa0, "proc" }, { 0x62656572, "sysfs" },
	{ 0x958458f6, "hugetlbfs" }, { 0xf15f, "ecryptfs" }, { 0x64626720, "debugfs" },
};

/* The folder of path. */
static void folder_of(const char *path, char *dir, size_t size)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		snprintf(dir, size, ".");
	else
		snprintf(dir, size, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

const char *fstype_name(const char *path, char *text, size_t size)
{
	struct statfs fs;
	char dir[PATH_MAX];

	folder_of(path, dir, sizeof(dir));
	if (statfs(path, &fs) && statfs(dir, &fs)) {
		snprintf(text, size, "unknown");
		return text;
	}
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (types[i].magic == (unsigned int)fs.f_type) {
			snprintf(text, size, "%s", types[i].name);
			return text;
		}
	}
	snprintf(text, size, "type 0x%x", (unsigned int)fs.f_type);
	return text;
}
