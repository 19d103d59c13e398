/* SPDX-License-Identifier: MIT */
/* What lies in the folders of the groups that this process is in. */
#define _GNU_SOURCE 1
#include "os/throttle.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "lib/base.h"
#include "lib/keyline.h"
#include "os/groups.h"
#include "os/slurp.h"
#include "os/sys.h"

#define LIST_BYTES	(64u << 10)	/* of a file of a group */

/* The number behind a word at the beginning of a line; 0. */
static uint64_t field(const char *text, const char *word)
{
	uint64_t v = 0;

	keyline_u64(text, word, ' ', &v);
	return v;
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
	groups_each(root, "cpu", add_cpu, now);
	groups_each(root, NULL, add_cpu, now);
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
	for (at = text; at && strncmp(at, b->device, strlen(b->device));) {
		at = strchr(at, '\n');
		if (at)
			at++;
	}
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
	groups_each(root, "blkio", add_io_v1, &b);
	groups_each(root, NULL, add_io_v2, &b);
}

bool throttle_io_any(const struct throttle_io *b)
{
	return fl_min(fl_min(b->read_bytes, b->write_bytes), fl_min(b->read_ios, b->write_ios)) !=
	       UINT64_MAX;
}
