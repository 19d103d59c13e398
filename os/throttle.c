/* SPDX-License-Identifier: MIT */
/* From /proc/self/cgroup to the groups' folders, and what lies in them. */
#define _GNU_SOURCE 1
#include "os/throttle.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "lib/base.h"
#include "os/mounts.h"
#include "os/slurp.h"
#include "os/sys.h"

#define LIST_BYTES	(64u << 10)	/* of a file of a group, or /proc/self/cgroup */
#define LEVELS_MAX	64

/* One hierarchy: version 2, or the one of version 1 that has the controller. */
struct hierarchy {
	const char *root;
	const char *controller;		/* NULL: version 2 */
	char point[PATH_MAX];		/* where it is mounted */
	char within[PATH_MAX];		/* which group that shows at its top */
};

/* Is it one of the words of a list with commas between? */
static bool lists(const char *list, size_t list_len, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; at < list + list_len;) {
		const char *comma = memchr(at, ',', list_len - (size_t)(at - list));
		size_t n = comma ? (size_t)(comma - at) : list_len - (size_t)(at - list);

		if (n == len && !memcmp(at, word, len))
			return true;
		at += n + 1;
	}
	return false;
}

static int is_mounted(void *ctx, const struct mount *m)
{
	struct hierarchy *h = ctx;

	if (h->controller ? strcmp(m->type, "cgroup") ||
			    !lists(m->fs_options, strlen(m->fs_options), h->controller)
			  : strcmp(m->type, "cgroup2"))
		return 0;
	snprintf(h->point, sizeof(h->point), "%s", m->point);
	snprintf(h->within, sizeof(h->within), "%s", m->within);
	return 1;
}

/* The group of this process in the hierarchy, of lines ID:CONTROLLERS:PATH. */
static bool own_group(const struct hierarchy *h, char path[PATH_MAX])
{
	char name[PATH_MAX], *text, *save = NULL;
	bool found = false;
	size_t len;

	snprintf(name, sizeof(name), "%s/proc/self/cgroup", h->root);
	if (slurp_head(name, LIST_BYTES, &text, &len) < 0)
		return false;
	for (char *line = strtok_r(text, "\n", &save); line && !found;
	     line = strtok_r(NULL, "\n", &save)) {
		char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;

		if (!group)
			continue;
		list++;
		found = h->controller ? lists(list, (size_t)(group - list), h->controller)
				      : group == list;
		if (found)
			snprintf(path, PATH_MAX, "%s", group + 1);
	}
	free(text);
	return found;
}

/* Call fn with the folder of the process's group and of every group above that can be seen. */
static void each_group(const char *root, const char *controller,
		       void (*fn)(void *ctx, const char *folder), void *ctx)
{
	struct hierarchy h = { .root = root, .controller = controller };
	char table[PATH_MAX], group[PATH_MAX], folder[2 * PATH_MAX + 64];
	size_t within, top;

	snprintf(table, sizeof(table), "%s" MOUNTS_SELF, root);
	if (mounts_each(table, is_mounted, &h) != 1 || !own_group(&h, group))
		return;
	/* In a container without a name space of its own the top shows the container's group. */
	within = strcmp(h.within, "/") ? strlen(h.within) : 0;
	if (within && strncmp(group, h.within, within))
		within = strlen(group);
	snprintf(folder, sizeof(folder), "%s%s%s", root, h.point, group + within);
	top = strlen(root) + strlen(h.point);
	for (int level = 0; level < LEVELS_MAX; level++) {
		char *slash;

		while (strlen(folder) > top && folder[strlen(folder) - 1] == '/')
			folder[strlen(folder) - 1] = '\0';
		fn(ctx, folder);
		slash = strrchr(folder, '/');
		if (strlen(folder) <= top || !slash)
			return;
		*slash = '\0';
	}
}

/* The number behind a word at the beginning of a line; 0. */
static uint64_t field(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = text; at; at = strchr(at, '\n'), at += at != NULL)
		if (!strncmp(at, word, len) && at[len] == ' ')
			return strtoull(at + len + 1, NULL, 10);
	return 0;
}

/* Version 1 counts waiting in ns, version 2 in us. */
static void add_cpu(void *ctx, const char *folder)
{
	struct throttle_cpu *now = ctx;
	char path[3 * PATH_MAX], text[2048];

	snprintf(path, sizeof(path), "%s/cpu.stat", folder);
	if (sys_read_text(path, text, sizeof(text)) <= 0 || !strstr(text, "nr_throttled"))
		return;
	now->known = true;
	now->periods += field(text, "nr_periods");
	now->throttled += field(text, "nr_throttled");
	now->throttled_us += field(text, "throttled_usec") + field(text, "throttled_time") / 1000;
}

void throttle_cpu(const char *root, struct throttle_cpu *now)
{
	memset(now, 0, sizeof(*now));
	each_group(root, "cpu", add_cpu, now);
	each_group(root, NULL, add_cpu, now);
}

struct bounds_of {
	char device[32];		/* "253:0 " as lines begin */
	struct throttle_io *bounds;
};

/* What a file of a group says behind the number of the device; "" if nothing. */
static void line_of(const struct bounds_of *b, const char *folder, const char *file, char *line,
		    size_t size)
{
	char path[3 * PATH_MAX], *text;
	const char *at;
	size_t len;

	line[0] = '\0';
	snprintf(path, sizeof(path), "%s/%s", folder, file);
	if (slurp_head(path, LIST_BYTES, &text, &len) < 0)
		return;
	for (at = text; at && strncmp(at, b->device, strlen(b->device)); at += at != NULL)
		at = strchr(at, '\n');
	if (at)
		snprintf(line, size, "%.*s", (int)strcspn(at, "\n"), at);
	free(text);
}

static void lower(uint64_t *bound, const char *number)
{
	char *end;
	uint64_t v = strtoull(number, &end, 10);

	if (end != number)	/* else it is "max" */
		*bound = fl_min(*bound, v);
}

static void add_io_v1(void *ctx, const char *folder)
{
	static const struct {
		const char *file;
		size_t at;
	} files[] = {
		{ "blkio.throttle.read_bps_device", offsetof(struct throttle_io, read_bytes) },
		{ "blkio.throttle.write_bps_device", offsetof(struct throttle_io, write_bytes) },
		{ "blkio.throttle.read_iops_device", offsetof(struct throttle_io, read_ios) },
		{ "blkio.throttle.write_iops_device", offsetof(struct throttle_io, write_ios) },
	};
	struct bounds_of *b = ctx;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char line[128];

		line_of(b, folder, files[i].file, line, sizeof(line));
		if (line[0])
			lower((uint64_t *)((char *)b->bounds + files[i].at),
			      line + strlen(b->device));
	}
}

static void add_io_v2(void *ctx, const char *folder)
{
	static const struct {
		const char *word;
		size_t at;
	} words[] = {
		{ " rbps=", offsetof(struct throttle_io, read_bytes) },
		{ " wbps=", offsetof(struct throttle_io, write_bytes) },
		{ " riops=", offsetof(struct throttle_io, read_ios) },
		{ " wiops=", offsetof(struct throttle_io, write_ios) },
	};
	struct bounds_of *b = ctx;
	char line[256];

	line_of(b, folder, "io.max", line, sizeof(line));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const char *at = strstr(line, words[i].word);

		if (at)
			lower((uint64_t *)((char *)b->bounds + words[i].at),
			      at + strlen(words[i].word));
	}
}

void throttle_io(const char *root, dev_t disk, struct throttle_io *bounds)
{
	struct bounds_of b = { .bounds = bounds };

	memset(bounds, 0xff, sizeof(*bounds));
	snprintf(b.device, sizeof(b.device), "%u:%u ", major(disk), minor(disk));
	each_group(root, "blkio", add_io_v1, &b);
	each_group(root, NULL, add_io_v2, &b);
}

bool throttle_io_any(const struct throttle_io *b)
{
	return fl_min(fl_min(b->read_bytes, b->write_bytes), fl_min(b->read_ios, b->write_ios)) !=
	       UINT64_MAX;
}
