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

struct type {
	unsigned int magic;
	const char *name;
};

static const struct type types[] = {
	{ 0x01021994, "tmpfs" }, { 0x858458f6, "ramfs" }, { 0xef53, "ext4" },
	{ 0x58465342, "xfs" }, { 0x9123683e, "btrfs" }, { 0xf2f52010, "f2fs" },
	{ 0x2fc12fc1, "zfs" }, { 0xca451a4e, "bcachefs" }, { 0x794c7630, "overlay" },
	{ 0x65735546, "fuse" }, { 0x6a656a63, "virtiofs" }, { 0x6969, "nfs" },
	{ 0xff534d42, "cifs" }, { 0xfe534d42, "smb2" }, { 0x00c36400, "ceph" },
	{ 0x01021997, "9p" }, { 0x4d44, "vfat" }, { 0x2011bab0, "exfat" },
	{ 0x7366746e, "ntfs3" }, { 0x9660, "iso9660" }, { 0x73717368, "squashfs" },
	{ 0xe0f5e1e2, "erofs" }, { 0x958458f6, "hugetlbfs" }, { 0xf15f, "ecryptfs" },
};

/* Those of fstype_of_kernel(). */
static const struct type kernel_types[] = {
	{ 0x9fa0, "proc" }, { 0x62656572, "sysfs" }, { 0x64626720, "debugfs" },
	{ 0x74726163, "tracefs" }, { 0x27e0eb, "cgroup" }, { 0x63677270, "cgroup2" },
	{ 0x73636673, "securityfs" }, { 0xf97cff8c, "selinuxfs" }, { 0x43415d53, "smackfs" },
	{ 0x62656570, "configfs" }, { 0xcafe4a11, "bpf" }, { 0xde5e81e4, "efivarfs" },
	{ 0x6165676c, "pstore" }, { 0x6e736673, "nsfs" }, { 0x1cd1, "devpts" },
	{ 0x42494e4d, "binfmt_misc" }, { 0x65735543, "fusectl" }, { 0x7655821, "resctrl" },
	{ 0x67596969, "rpc_pipefs" },
};

/* The name for a number in one table, or NULL. */
static const char *find(const struct type *table, size_t n, const struct statfs *fs)
{
	for (size_t i = 0; i < n; i++)
		if (table[i].magic == (unsigned int)fs->f_type)
			return table[i].name;
	return NULL;
}

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
	const char *name;

	folder_of(path, dir, sizeof(dir));
	if (statfs(path, &fs) && statfs(dir, &fs)) {
		snprintf(text, size, "unknown");
		return text;
	}
	name = find(types, ARRAY_SIZE(types), &fs);
	if (!name)
		name = find(kernel_types, ARRAY_SIZE(kernel_types), &fs);
	if (name)
		snprintf(text, size, "%s", name);
	else
		snprintf(text, size, "type 0x%x", (unsigned int)fs.f_type);
	return text;
}

bool fstype_of_kernel(const char *path)
{
	char at[PATH_MAX], dir[PATH_MAX];
	struct statfs fs;

	snprintf(at, sizeof(at), "%s", path);
	while (statfs(at, &fs)) {
		folder_of(at, dir, sizeof(dir));
		if (!strcmp(at, dir))
			return false;
		memcpy(at, dir, sizeof(at));
	}
	return find(kernel_types, ARRAY_SIZE(kernel_types), &fs);
}

bool fstype_in_memory(const char *name)
{
	static const char *const names[] = { "tmpfs", "ramfs", "hugetlbfs" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}
