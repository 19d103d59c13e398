/* SPDX-License-Identifier: MIT */
#include "core/verify_dump.h"
#include "core/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void write_image(const char *path, const void *data, size_t bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
	ssize_t n = fd < 0 ? -1 : write(fd, data, bytes);

	if (n != (ssize_t)bytes)
		diag_say(stderr, "fio-like: verify_dump: %s could not be written: %s", path,
			 n < 0 ? strerror(errno) : "the disk is full");
	if (fd >= 0)
		close(fd);
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
