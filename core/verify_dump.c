/* SPDX-License-Identifier: MIT */
#include "core/verify_dump.h"
#include "core/diag.h"
#include "os/replace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void write_image(const char *path, const void *data, size_t bytes)
{
	int err = replace_name(path, data, bytes, false);

	if (err)
		diag_say(stderr, "fio-like: verify_dump: %s could not be written: %s", path,
			 strerror(-err));
}

void verify_dump(const char *name, uint64_t offset, const void *received, const void *expected,
		 size_t bytes)
{
	const char *base = strrchr(name, '/');
	char path[4096];

	base = base ? base + 1 : name;
	snprintf(path, sizeof(path), "%s.%" PRIu64 ".received", base, offset);
	write_image(path, received, bytes);
	snprintf(path, sizeof(path), "%s.%" PRIu64 ".expected", base, offset);
	write_image(path, expected, bytes);
}
