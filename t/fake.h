/* SPDX-License-Identifier: MIT */
/*
 * A /sys and /proc of our own, in a folder that the test makes: machines that this one is not.
 * Paths are given below that folder. What cannot be made fails the case.
 */
#ifndef T_FAKE_H
#define T_FAKE_H

#include "t/test.h"

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static char fake_root[PATH_MAX];

static inline int fake_remove_one(const char *path, const struct stat *st, int flag,
				  struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline void fake_remove(void)
{
	nftw(fake_root, fake_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* fake_begin - an empty tree, removed when the case returns. */
static inline void fake_begin(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(fake_root, sizeof(fake_root), "%s/fake.XXXXXX", tmp ? tmp : "/tmp");
	T_TRUE(mkdtemp(fake_root));
	atexit(fake_remove);
}

/* fake_path - where a path of the tree really is. Good until the next call. */
__attribute__((format(printf, 1, 2))) static inline const char *fake_path(const char *fmt, ...)
{
	static char path[2 * PATH_MAX];
	size_t n = (size_t)snprintf(path, sizeof(path), "%s/", fake_root);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path + n, sizeof(path) - n, fmt, ap);
	va_end(ap);
	return path;
}

static inline void fake_parents(const char *path)
{
	char at[2 * PATH_MAX];

	snprintf(at, sizeof(at), "%s", path);
	for (char *c = at + strlen(fake_root) + 1; (c = strchr(c, '/')); c++) {
		*c = '\0';
		if (mkdir(at, 0777) && errno != EEXIST)
			T_FAIL("mkdir %s: %s", at, strerror(errno));
		*c = '/';
	}
}

/* fake_file - a file with this text, and the folders that lead to it. */
static inline void fake_file(const char *path, const char *text)
{
	const char *at = fake_path("%s", path);
	FILE *f;

	fake_parents(at);
	f = fopen(at, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		T_FAIL("%s: %s", at, strerror(errno));
}

/* fake_link - a symbolic link; target as it is, relative to the link's folder. */
static inline void fake_link(const char *path, const char *target)
{
	const char *at = fake_path("%s", path);

	fake_parents(at);
	if (symlink(target, at))
		T_FAIL("%s: %s", at, strerror(errno));
}

/* fake_folder - an empty folder. */
static inline void fake_folder(const char *path)
{
	const char *at = fake_path("%s/x", path);

	fake_parents(at);
}

/* fake_attr - a file of a block device; where is its folder below /sys/devices. */
static inline void fake_attr(const char *where, const char *attr, const char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "sys/devices/%s/%s", where, attr);
	fake_file(path, text);
}

/*
 * fake_disk - a whole disk, as in fake_disk("pci0/nvme0/nvme0n1", 259, 0): its folder below
 * /sys/devices, the links to it in /sys/dev/block and /sys/block.
 */
static inline void fake_disk(const char *where, unsigned int maj, unsigned int min)
{
	const char *name = strrchr(where, '/') + 1;
	char path[PATH_MAX], target[PATH_MAX], number[32];

	snprintf(number, sizeof(number), "%u:%u\n", maj, min);
	fake_attr(where, "dev", number);
	snprintf(path, sizeof(path), "sys/devices/%s/holders", where);
	fake_folder(path);
	snprintf(path, sizeof(path), "sys/devices/%s/slaves", where);
	fake_folder(path);
	snprintf(path, sizeof(path), "sys/dev/block/%u:%u", maj, min);
	snprintf(target, sizeof(target), "../../devices/%s", where);
	fake_link(path, target);
	snprintf(path, sizeof(path), "sys/block/%s", name);
	snprintf(target, sizeof(target), "../devices/%s", where);
	fake_link(path, target);
}

/* fake_part - a partition of it, "pci0/nvme0/nvme0n1/nvme0n1p1". */
static inline void fake_part(const char *where, unsigned int maj, unsigned int min,
			     const char *number)
{
	char path[PATH_MAX], target[PATH_MAX], text[32];

	snprintf(text, sizeof(text), "%u:%u\n", maj, min);
	fake_attr(where, "dev", text);
	fake_attr(where, "partition", number);
	snprintf(path, sizeof(path), "sys/devices/%s/holders", where);
	fake_folder(path);
	snprintf(path, sizeof(path), "sys/dev/block/%u:%u", maj, min);
	snprintf(target, sizeof(target), "../../devices/%s", where);
	fake_link(path, target);
}

/* fake_built - upper is built on lower: both are folders below /sys/devices. */
static inline void fake_built(const char *upper, const char *lower)
{
	char path[PATH_MAX], target[PATH_MAX], up[PATH_MAX] = "../";

	for (const char *c = lower; *c; c++)
		if (*c == '/')
			strncat(up, "../", sizeof(up) - strlen(up) - 1);
	snprintf(path, sizeof(path), "sys/devices/%s/holders/%s", lower, strrchr(upper, '/') + 1);
	snprintf(target, sizeof(target), "%.1000s../%.1000s", up, upper);
	fake_link(path, target);
	strcpy(up, "../");
	for (const char *c = upper; *c; c++)
		if (*c == '/')
			strncat(up, "../", sizeof(up) - strlen(up) - 1);
	snprintf(path, sizeof(path), "sys/devices/%s/slaves/%s", upper, strrchr(lower, '/') + 1);
	snprintf(target, sizeof(target), "%.1000s../%.1000s", up, lower);
	fake_link(path, target);
}

#endif
