/* SPDX-License-Identifier: MIT */
/* What lies behind a name is asked of the open file: the name could lead elsewhere by then. */
#define _GNU_SOURCE 1
#include "os/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/sig.h"

#define READER_WAIT_NS	10000000u

/* A reader that comes later is waited for, but not by a sleep in open(2) that nothing ends. */
static int open_waiting(const char *path, int flags, bool waits)
{
	int fd;

	for (;;) {
		fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | flags, 0644);
		if (fd < 0 && errno == ENXIO && waits && !sig_stops())
			clock_sleep_ns(READER_WAIT_NS);
		else if (fd >= 0 || errno != EINTR)
			return fd < 0 ? -errno : fd;
	}
}

int output_open(const char *path, int flags)
{
	struct stat st;
	bool there = !stat(path, &st);
	int fd, mode;

	/* Not even opened: udev looks at a device anew after each writer. */
	if (there && S_ISBLK(st.st_mode))
		return -EMEDIUMTYPE;
	fd = open_waiting(path, flags, there && S_ISFIFO(st.st_mode) && !(flags & O_NONBLOCK));
	if (fd < 0)
		return fd;
	mode = fcntl(fd, F_GETFL);
	if (!fstat(fd, &st) && !S_ISBLK(st.st_mode) && mode >= 0 &&
	    !fcntl(fd, F_SETFL, mode & ~O_NONBLOCK))
		return fd;
	close(fd);
	return -EMEDIUMTYPE;
}

FILE *output_stream(const char *path, int *err)
{
	int fd = output_open(path, O_CREAT | O_TRUNC);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	*err = out ? 0 : fd < 0 ? fd : -errno;
	if (!out && fd >= 0)
		close(fd);
	return out;
}

int output_write(int fd, const void *data, size_t bytes)
{
	const char *at = data;

	while (bytes) {
		ssize_t n = write(fd, at, bytes);

		if (n < 0 && errno != EINTR)
			return -errno;
		at += n > 0 ? n : 0;
		bytes -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

const char *output_error(int err)
{
	return err == -EMEDIUMTYPE ? "it is a block device, and results go to files only: they "
				     "would destroy what lies there" :
	       err == -ENXIO ? "nobody reads from that pipe" : strerror(-err);
}
