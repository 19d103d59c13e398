/* SPDX-License-Identifier: MIT */
/* The file system of a path: which mount it lies on, and what that says. */
#define _GNU_SOURCE 1
#include "os/storage.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include "os/blockdev.h"
#include "os/mounts.h"

/* The mount that was found best so far; strings are its own. */
struct best {
	const char *path;
	uint64_t id;			/* of the mount, as statx(2) gives it; 0: not known */
	size_t len;			/* of the mount point; with an id found: everything */
	struct mount m;
	char *strings[5];
};

static void keep(struct best *b, const struct mount *m, size_t len)
{
	const char *const from[] = { m->point, m->options, m->type, m->source, m->fs_options };

	for (size_t i = 0; i < ARRAY_SIZE(from); i++) {
		free(b->strings[i]);
		b->strings[i] = strdup(from[i]);
		fl_assert(b->strings[i]);
	}
	b->len = len;
	b->m = (struct mount){
		.device = m->device, .point = b->strings[0], .options = b->strings[1],
		.type = b->strings[2], .source = b->strings[3], .fs_options = b->strings[4],
	};
}

/* Without a number: the longest mount point in front of the path; of equal ones the last counts. */
static int consider(void *ctx, const struct mount *m)
{
	struct best *b = ctx;
	size_t len = strlen(m->point);

	if (b->id) {
		if (m->id == b->id)
			keep(b, m, SIZE_MAX);
		return m->id == b->id;
	}
	if (!strcmp(m->point, "/"))
		len = 0;
	else if (strncmp(b->path, m->point, len) || (b->path[len] && b->path[len] != '/'))
		return 0;
	if (!b->m.point || len >= b->len)
		keep(b, m, len);
	return 0;
}

/* The path without links, as far as it exists. */
static int nearest_real(const char *root, const char *path, char real[PATH_MAX])
{
	char at[PATH_MAX], *slash;

	if (snprintf(at, sizeof(at), "%s%s", root, path) >= PATH_MAX)
		return -ENAMETOOLONG;
	while (!realpath(at, real)) {
		if (errno != ENOENT && errno != ENOTDIR)
			return -errno;
		slash = strrchr(at, '/');
		if (!slash)
			strcpy(at, ".");
		else if (slash == at)
			strcpy(at, "/");
		else
			*slash = '\0';
	}
	return 0;
}

static uint64_t mount_id(const char *path)
{
	struct statx x;

	return statx(AT_FDCWD, path, 0, STATX_MNT_ID, &x) || !(x.stx_mask & STATX_MNT_ID) ? 0 :
	       x.stx_mnt_id;
}

static void space(const char *path, struct facts *f)
{
	struct statvfs v;

	if (statvfs(path, &v) || !v.f_blocks)
		return;
	facts_u64(f, "block_bytes", v.f_bsize, 0);
	facts_u64(f, "size_bytes", (uint64_t)v.f_blocks * v.f_frsize, 0);
	facts_u64(f, "free_bytes", (uint64_t)v.f_bavail * v.f_frsize, FACT_VARIES);
}

/* Btrfs and the like have a number of their own; what they were mounted from is a device. */
static dev_t device_below(const struct mount *m)
{
	struct stat st;

	if (major(m->device))
		return m->device;
	return m->source[0] == '/' && !stat(m->source, &st) && S_ISBLK(st.st_mode) ? st.st_rdev : 0;
}

int storage_filesystem(const char *root, const char *path, struct facts *f, dev_t *device)
{
	char real[PATH_MAX], table[PATH_MAX];
	struct best b = { .path = real };
	int err = nearest_real(root, path, real);
	size_t mark, n = strlen(root);

	*device = 0;
	if (err)
		return err;
	if (n && !strncmp(real, root, n))
		b.path = real[n] ? real + n : "/";
	else
		b.id = mount_id(real);
	if (snprintf(table, sizeof(table), "%s%s", root, MOUNTS_SELF) >= PATH_MAX)
		return -ENAMETOOLONG;
	err = mounts_each(table, consider, &b);
	if (b.m.point) {
		mark = facts_enter(f, "filesystem");
		facts_text(f, "type", b.m.type, 0);
		facts_text(f, "mount_point", b.m.point, FACT_ID);
		facts_text(f, "source", b.m.source, FACT_ID);
		facts_text(f, "options", b.m.options, FACT_OPTIONS);
		facts_text(f, "fs_options", b.m.fs_options, FACT_OPTIONS);
		space(real, f);
		facts_leave(f, mark);
		*device = device_below(&b.m);
	}
	for (size_t i = 0; i < ARRAY_SIZE(b.strings); i++)
		free(b.strings[i]);
	return fl_min(err, 0);
}
