/* SPDX-License-Identifier: MIT */
/* Reading files into the page cache. */
#include "core/warm.h"
#include "fio-like/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE_BYTES	(1u << 20)

static int read_part(int fd, const struct file_plan *p, char *buf, const _Atomic uint32_t *stop)
{
	uint64_t at = p->start, end = p->start + p->bytes;

	while (at < end && !atomic_load(stop)) {
		size_t piece = (size_t)fl_min(end - at, (uint64_t)PIECE_BYTES);
		ssize_t n = pread(fd, buf, piece, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;		/* shorter than the job will make it */
		at += (uint64_t)n;
	}
	return 0;
}

int warm_files(const struct file_set *set, const _Atomic uint32_t *stop, char *why,
	       size_t why_bytes)
{
	char *buf = malloc(PIECE_BYTES), name[FILES_NAME_BYTES];
	int err = buf ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < set->nr && !atomic_load(stop); i++) {
		const struct file_plan *p = &set->plan[i];
		int fd;

		if (p->type != FL_FILE_REGULAR && p->type != FL_FILE_BLOCK)
			continue;
		fd = open(files_name(set, i, name), O_RDONLY | O_CLOEXEC);
		if (fd < 0 && errno == ENOENT)
			continue;
		err = fd < 0 ? -errno : read_part(fd, p, buf, stop);
		if (fd >= 0)
			close(fd);
		if (err)
			snprintf(why, why_bytes, "pre_read of %s: %s", name, strerror(-err));
	}
	if (!buf)
		snprintf(why, why_bytes, "pre_read: no memory for its buffer");
	free(buf);
	return err;
}
