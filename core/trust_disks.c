/* SPDX-License-Identifier: MIT */
/* Disks of a run: found, remembered, looked at again. */
#include "core/trust_disks.h"
#include "os/blockdev.h"
#include "os/mounts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLAVES_MAX	16
#define LEVELS_MAX	4		/* volumes on volumes */

/*
 * Without its own count (queue/iostats=0) a disk seems to do nothing. Device-mapper counts whatever
 * it says there (drivers/md/dm.c, dm_start_io_acct).
 */
static bool counts(const struct disk *d)
{
	char text[16];

	return !strncmp(d->name, "dm-", 3) ||
	       blockdev_attr("", d->device, "queue/iostats", text, sizeof(text)) <= 0 ||
	       strcmp(text, "0");
}

static bool take(const struct disk *d, struct disk_stat *now)
{
	return counts(d) && !disk_stat_take(d, now);
}

/* What the volume is made of, at the bottom. Returns false where a read may cause others. */
static bool add_parts(struct trust_scene *s, dev_t disk, int levels)
{
	struct blockdev slaves[SLAVES_MAX];
	int n = blockdev_kin("", disk, BLOCKDEV_SLAVES, slaves, SLAVES_MAX), known = 0;
	struct disk part;
	char level[16];

	if (blockdev_attr("", disk, "md/level", level, sizeof(level)) > 0 &&
	    strspn(level, "raid") == 4 && strchr("456", level[4]))
		return false;
	if (!n) {
		while (known < s->nr_parts && s->parts[known].device != disk)
			known++;
		if (known == s->nr_parts && known < TRUST_DISKS_MAX && !disk_find(disk, &part))
			s->parts[s->nr_parts++] = part;
		return true;
	}
	for (int i = 0; i < n; i++)
		if (!levels || !add_parts(s, slaves[i].disk, levels - 1))
			return false;
	return n > 0;
}

/* The counters of all parts together. */
static bool take_parts(const struct trust_scene *s, struct disk_stat *sum)
{
	memset(sum, 0, sizeof(*sum));
	for (int i = 0; i < s->nr_parts; i++) {
		struct disk_stat now;

		if (!take(&s->parts[i], &now))
			return false;
		disk_stat_add(sum, &now);
	}
	return s->nr_parts > 0;
}

void trust_disks_start(struct trust_scene *s)
{
	bool known = true;

	for (int i = 0; i < s->nr_disks; i++) {
		struct trust_disk *d = &s->disks[i];

		known = known && add_parts(s, d->disk.device, LEVELS_MAX);
		d->stat_known = take(&d->disk, &d->before);
	}
	s->parts_known = known && take_parts(s, &s->parts_before);
}

int trust_disks_add(struct trust_scene *s, const char *path)
{
	struct trust_disk *d = &s->disks[s->nr_disks];
	struct disk disk;

	if (disk_find_path(path, &disk))
		return -1;
	for (int i = 0; i < s->nr_disks; i++)
		if (s->disks[i].disk.device == disk.device)
			return i;
	if (s->nr_disks == TRUST_DISKS_MAX)
		return -1;
	*d = (struct trust_disk){ .disk = disk };
	if (disktraits_look("", disk.device, &d->traits))
		return -1;
	throttle_io("", disk.device, &d->bounds);
	d->packing_known = !disktraits_packing("", disk.device, &d->packing_before);
	if (d->traits.backing[0] && disk_find_path(d->traits.backing, &d->below))
		d->below.name[0] = '\0';
	return s->nr_disks++;
}

void trust_disks_begin(const struct trust_scene *s, struct trust_facts *f)
{
	const struct trust_disk *d = f->disk >= 0 ? &s->disks[f->disk] : NULL;

	f->stat_known = d && take(&d->disk, &f->stat_before);
	f->below_known = d && d->below.name[0] && take(&d->below, &f->below_before);
}

void trust_disks_end(const struct trust_scene *s, struct trust_facts *f)
{
	const struct trust_disk *d = f->disk >= 0 ? &s->disks[f->disk] : NULL;
	struct disk_stat now;

	fl_assert(d || (!f->stat_known && !f->below_known));
	f->stat_known = f->stat_known && take(&d->disk, &now);
	if (f->stat_known)
		f->stat_during = disk_stat_since(&f->stat_before, &now);
	f->below_known = f->below_known && take(&d->below, &now);
	if (f->below_known)
		f->below_during = disk_stat_since(&f->below_before, &now);
}

/* Is this disk made of that one, at some distance? */
static bool made_of(dev_t disk, dev_t other, int levels)
{
	struct blockdev slaves[SLAVES_MAX];
	int n = levels ? blockdev_kin("", disk, BLOCKDEV_SLAVES, slaves, SLAVES_MAX) : 0;

	for (int i = 0; i < n; i++)
		if (slaves[i].disk == other || made_of(slaves[i].disk, other, levels - 1))
			return true;
	return false;
}

void trust_disks_finish(struct trust_scene *s)
{
	struct disk_stat sum;

	s->parts_known = s->parts_known && take_parts(s, &sum);
	if (s->parts_known)
		s->parts_during = disk_stat_since(&s->parts_before, &sum);
	for (int i = 0; i < s->nr_disks; i++) {
		struct trust_disk *d = &s->disks[i];
		struct disk_stat now;

		d->stat_known = d->stat_known && take(&d->disk, &now);
		if (d->stat_known)
			d->during = disk_stat_since(&d->before, &now);
		d->packing_known = d->packing_known &&
				   !disktraits_packing("", d->disk.device, &d->packing);
		for (int k = 0; k < s->nr_disks; k++) {
			dev_t other = s->disks[k].disk.device;

			if (k != i && ((d->below.name[0] && d->below.device == other) ||
				       made_of(d->disk.device, other, LEVELS_MAX)))
				s->stacked = true;
		}
	}
}

/* The mount whose point is the longest beginning of a path. */
struct nearest_mount {
	const char *path;
	size_t len;
	char *text;
	size_t size;
};

/* The option with this beginning, up to the next comma. */
static const char *find_option(const char *options, const char *beginning, int *len)
{
	size_t n = strlen(beginning);

	for (const char *at = options; *at; at += strcspn(at, ","), at += *at == ',') {
		if (!strncmp(at, beginning, n)) {
			*len = (int)strcspn(at, ",");
			return at;
		}
	}
	return NULL;
}

static void describe(struct nearest_mount *n, const struct mount *m)
{
	static const struct {
		const char *type, *option;
	} known[] = {
		{ "btrfs", "compress" }, { "f2fs", "compress_algorithm" },
		{ "bcachefs", "compression" },
	};

	n->text[0] = '\0';
	if (!strcmp(m->type, "zfs"))
		snprintf(n->text, n->size, "zfs (by default)");
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		int len = 0;
		const char *option = strcmp(m->type, known[i].type) ? NULL :
				     find_option(m->fs_options, known[i].option, &len);

		if (option)
			snprintf(n->text, n->size, "%s (%.*s)", m->type, len, option);
	}
}

static int look_mount(void *ctx, const struct mount *m)
{
	struct nearest_mount *n = ctx;
	size_t len = strcmp(m->point, "/") ? strlen(m->point) : 0;

	if (len < n->len || strncmp(n->path, m->point, len) ||
	    (n->path[len] && n->path[len] != '/'))
		return 0;
	n->len = len;
	describe(n, m);
	return 0;
}

const char *trust_disks_compressing(const char *table, const char *path, char *text, size_t size)
{
	char real[PATH_MAX], folder[PATH_MAX];
	struct nearest_mount n = { .path = real, .text = text, .size = size };
	const char *slash = strrchr(path, '/');

	text[0] = '\0';
	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) + 1 : 1,
		 slash ? path : ".");
	if (!realpath(path, real) && !realpath(folder, real))
		return text;
	mounts_each(table, look_mount, &n);
	return text;
}
