/* SPDX-License-Identifier: MIT */
/* Is somebody else living on this block device? First its relatives, then the tables. */
#define _GNU_SOURCE 1
#include "os/inuse.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/base.h"
#include "os/blockdev.h"
#include "os/clock.h"
#include "os/mounts.h"

#define KIN_MAX		256
#define CLAIM_TRIES	10
#define CLAIM_WAIT_NS	20000000u

/* A device that shares its bytes with the one in question. */
struct relative {
	struct blockdev b;
	char how[256];			/* "its partition sda1"; "" for itself */
	bool built_on;			/* lies above: that it is there at all is a use */
	bool look_up, look_parts;	/* its own holders, partitions count as well */
};

struct family {
	const char *root;
	struct relative list[KIN_MAX];
	int count;
	bool too_many;
};

static bool is_member(const struct family *f, dev_t device)
{
	for (int i = 0; i < f->count; i++)
		if (f->list[i].b.device == device)
			return true;
	return false;
}

static struct relative *add(struct family *f, const struct blockdev *b)
{
	struct relative *r;

	if (is_member(f, b->device))
		return NULL;
	if (f->count == KIN_MAX) {
		f->too_many = true;
		return NULL;
	}
	r = &f->list[f->count++];
	*r = (struct relative){ .b = *b, .look_up = true, .look_parts = true };
	return r;
}

static void add_kin(struct family *f, int of, enum blockdev_kin kin)
{
	struct blockdev list[64];
	char name[200];
	int n = blockdev_kin(f->root, f->list[of].b.device, kin, list, ARRAY_SIZE(list));

	for (int i = 0; i < n; i++) {
		struct relative *r = add(f, &list[i]);

		if (!r)
			continue;
		blockdev_describe(f->root, &list[i], name, sizeof(name));
		if (kin == BLOCKDEV_PARTS) {
			snprintf(r->how, sizeof(r->how), "partition %.140s", name);
			r->built_on = f->list[of].built_on;
		} else {
			snprintf(r->how, sizeof(r->how), "%.120s, which is built on %s", name,
				 of ? f->list[of].b.name : "it");
			r->built_on = true;
		}
	}
}

/* The disk of a partition: what lives on the whole of it; its other partitions do not matter. */
static void add_disk(struct family *f, int of)
{
	struct blockdev disk;
	struct relative *r;

	if (blockdev_find(f->root, f->list[of].b.disk, &disk))
		return;
	r = add(f, &disk);
	if (!r)
		return;
	r->look_parts = false;
	snprintf(r->how, sizeof(r->how), "%s, of which %s is a partition", disk.name,
		 of ? f->list[of].b.name : "it");
}

/* The device behind the path of what a loop device stands on. */
static int backing_device(const char *root, const char *path, dev_t *device)
{
	char at[PATH_MAX];
	struct stat st;

	if (snprintf(at, sizeof(at), "%s%s", root, path) >= PATH_MAX || stat(at, &st) ||
	    !S_ISBLK(st.st_mode))
		return -ENOTBLK;
	*device = st.st_rdev;
	return 0;
}

/* What a loop device stands on has the same bytes. */
static void add_below(struct family *f, int of)
{
	struct blockdev below;
	struct relative *r;
	char path[PATH_MAX];
	dev_t device;

	if (blockdev_backing(f->root, f->list[of].b.device, path, sizeof(path)) ||
	    backing_device(f->root, path, &device) || blockdev_find(f->root, device, &below))
		return;
	r = add(f, &below);
	if (r)
		snprintf(r->how, sizeof(r->how), "%s, on which %s stands", below.name,
			 of ? f->list[of].b.name : "it");
}

static int add_loop(void *ctx, const struct blockdev *loop, const char *backing)
{
	struct family *f = ctx;
	struct relative *r;
	dev_t device;

	if (backing_device(f->root, backing, &device) || !is_member(f, device))
		return 0;
	r = add(f, loop);
	if (r) {
		r->built_on = true;
		snprintf(r->how, sizeof(r->how), "%s, which stands on %.100s", loop->name, backing);
	}
	return 0;
}

/* Until nobody new is found; each device is there once, so it ends. */
static void gather(struct family *f)
{
	int before, looked = 0;

	do {
		before = f->count;
		for (; looked < f->count; looked++) {
			struct relative *r = &f->list[looked];

			if (blockdev_is_part(&r->b))
				add_disk(f, looked);
			else if (r->look_parts)
				add_kin(f, looked, BLOCKDEV_PARTS);
			add_kin(f, looked, BLOCKDEV_HOLDERS);
			add_below(f, looked);
		}
		blockdev_loops(f->root, add_loop, f);
	} while (f->count > before);
}

/* ---- Uses ------------------------------------------------------------------------------------ */

struct search {
	const struct family *f;
	char *why;
	size_t why_bytes;
};

static const struct relative *member(const struct family *f, dev_t device)
{
	for (int i = 0; i < f->count; i++)
		if (f->list[i].b.device == device)
			return &f->list[i];
	return NULL;
}

fl_printf(3, 4) static void found(const struct search *s, const struct relative *r,
				  const char *fmt, ...)
{
	char use[PATH_MAX + 32];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(use, sizeof(use), fmt, ap);
	va_end(ap);
	if (r->how[0])
		snprintf(s->why, s->why_bytes, "in use: %s%s is %s", r->how,
			 strchr(r->how, ',') ? "," : "", use);
	else
		snprintf(s->why, s->why_bytes, "%s", use);
}

/* Btrfs shows a device number of its own, hence the second look, at the source. */
static int is_mounted(void *ctx, const struct mount *m)
{
	const struct search *s = ctx;
	const struct relative *r = NULL;
	struct stat st;

	if (major(m->device))
		r = member(s->f, m->device);
	else if (m->source[0] == '/' && !stat(m->source, &st) && S_ISBLK(st.st_mode))
		r = member(s->f, st.st_rdev);
	if (r)
		found(s, r, "mounted on %s", m->point);
	return r != NULL;
}

static bool mounted(const struct search *s)
{
	char table[PATH_MAX];

	return snprintf(table, sizeof(table), "%s%s", s->f->root, MOUNTS_SELF) < PATH_MAX &&
	       mounts_each(table, is_mounted, (void *)s) == 1;
}

/* A headline, then lines that begin with the path of a device or a file. */
static bool swapped(const struct search *s)
{
	char table[PATH_MAX], *line = NULL, *save;
	const struct relative *r = NULL;
	size_t room = 0;
	dev_t device;
	FILE *file;

	if (snprintf(table, sizeof(table), "%s/proc/swaps", s->f->root) >= PATH_MAX)
		return false;
	file = fopen(table, "re");
	if (!file)
		return false;
	while (!r && getline(&line, &room, file) > 0) {
		if (line[0] != '/')
			continue;
		strtok_r(line, " \t", &save);
		mounts_unescape(line);
		if (!backing_device(s->f->root, line, &device))
			r = member(s->f, device);
	}
	if (r)
		found(s, r, "used as swap");
	free(line);
	fclose(file);
	return r != NULL;
}

static bool held(const struct search *s)
{
	for (int i = 0; i < s->f->count; i++) {
		if (!s->f->list[i].built_on)
			continue;
		snprintf(s->why, s->why_bytes, "in use: there is %s", s->f->list[i].how);
		return true;
	}
	if (s->f->too_many)
		snprintf(s->why, s->why_bytes, "in use: more than %d devices depend on it",
			 KIN_MAX);
	return s->f->too_many;
}

int inuse_find(const char *root, dev_t device, unsigned int ignore, char *why, size_t why_bytes)
{
	struct family *f = calloc(1, sizeof(*f));
	struct search s = { f, why, why_bytes };
	struct blockdev self;
	int use = INUSE_FREE;

	if (!f)
		return -ENOMEM;
	f->root = root;
	if (blockdev_find(root, device, &self)) {
		free(f);
		return -ENODEV;
	}
	add(f, &self);
	gather(f);
	if (!(ignore & 1u << INUSE_MOUNTED) && mounted(&s))
		use = INUSE_MOUNTED;
	else if (!(ignore & 1u << INUSE_SWAP) && swapped(&s))
		use = INUSE_SWAP;
	else if (!(ignore & 1u << INUSE_HELD) && held(&s))
		use = INUSE_HELD;
	free(f);
	return use;
}

/* ---- The kernel itself ----------------------------------------------------------------------- */

int inuse_claim(const char *path, char *why, size_t why_bytes)
{
	int fd = -1;

	for (int i = 0; i < CLAIM_TRIES; i++) {
		if (i)
			clock_sleep_ns(CLAIM_WAIT_NS);
		fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC | O_NONBLOCK);
		if (fd >= 0 || errno != EBUSY)
			break;
	}
	if (fd >= 0) {
		close(fd);
		return INUSE_FREE;
	}
	if (errno != EBUSY)
		return -errno;
	snprintf(why, why_bytes, "claimed by the kernel or another program (a benchmark, ZFS, a "
		 "file system that another container has mounted)");
	return INUSE_CLAIMED;
}

int inuse_check(const char *path, char *why, size_t why_bytes)
{
	struct stat st;
	int use;

	if (stat(path, &st) < 0)
		return -errno;
	if (!S_ISBLK(st.st_mode))
		return -ENOTBLK;
	use = inuse_find("", st.st_rdev, 0, why, why_bytes);
	if (use > INUSE_FREE)
		return use;
	use = inuse_claim(path, why, why_bytes);
	return use == -EACCES || use == -EPERM ? INUSE_FREE : use;
}
