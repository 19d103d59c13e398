/* SPDX-License-Identifier: MIT */
/* The files of weights. Kernel: Documentation/block/bfq-iosched.rst, cgroup-v2.rst. */
#define _GNU_SOURCE 1
#include "os/iogroup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/base.h"

int iogroup_weight(const struct cgroup *g, unsigned weight, char *why, size_t why_bytes)
{
	static const struct {
		int version;
		const char *file;
	} files[] = {
		{ 1, "blkio.weight" }, { 1, "blkio.bfq.weight" },
		{ 2, "io.weight" }, { 2, "io.bfq.weight" },
	};
	bool any = false;
	char text[32];

	snprintf(text, sizeof(text), "%u", weight);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		int err = files[i].version == g->version ? cgroup_set(g, files[i].file, text)
							 : -ENOENT;

		any |= !err;
		if (!err || err == -ENOENT)
			continue;
		snprintf(why, why_bytes, "%.300s/%s: %s%s", g->path, files[i].file, strerror(-err),
			 err == -ERANGE || err == -EINVAL ? "; weights are 1 to 1000, in version 2 "
			 "1 to 10000" : "");
		return err;
	}
	if (any)
		return 0;
	snprintf(why, why_bytes, "this kernel has no weights for control groups (neither bfq nor "
		 "io.cost)");
	return -ENOENT;
}
