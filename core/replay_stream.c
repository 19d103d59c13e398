/* SPDX-License-Identifier: MIT */
/*
 * A log that is not a file is copied into one: it is looked through before the job begins, and
 * every clone and loop wants all of it.
 */
#define _GNU_SOURCE
#include "core/replay_stream.h"
#include "lib/blktrace.h"
#include "os/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define PIECE_BYTES	65536

static int fail(int err, const char *path, const char *what, char *why, size_t why_bytes)
{
	snprintf(why, why_bytes, "%s: %s: %s", path, what, strerror(-err));
	return err;
}

/* A file without a name, in a place that is made for files that may be large. */
static int open_nameless(char *where, size_t where_bytes)
{
	const char *dir = secure_getenv("TMPDIR");
	int fd;

	dir = dir && *dir ? dir : "/var/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	snprintf(where, where_bytes, "%s", dir);
	if (fd >= 0)
		return fd;
	snprintf(where, where_bytes, "%s/fio-like-iolog-%d", dir, getpid());
	fd = open(where, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	unlink(where);
	return fd;
}

/* What can be no log is not taken to its end, which may never come; who reads it says so. */
static bool is_log(const char *head, size_t n)
{
	uint32_t version;

	return n < 4 || !memcmp(head, "fio ", 4) ||
	       blktrace_order(head, n, &version) != BLKTRACE_NONE;
}

/* All that comes from fd. Returns the file's descriptor, or -errno. */
static int keep(int from, const char *path, char *why, size_t why_bytes)
{
	char data[PIECE_BYTES], where[4096];
	int fd = open_nameless(where, sizeof(where)), err = 0;
	bool first = true;
	ssize_t n = 1;

	if (fd < 0) {
		snprintf(why, why_bytes, "%s: no file can be made in %s to keep it in: %s", path,
			 where, strerror(-fd));
		return fd;
	}
	while (!err && n) {
		n = read(from, data, sizeof(data));
		if (n > 0)
			err = output_write(fd, data, (size_t)n);
		if (n > 0 && first && !is_log(data, (size_t)n))
			break;
		first &= n <= 0;
		if (n < 0 && errno != EINTR)
			err = -errno;
	}
	if (!err)
		return fd;
	close(fd);
	return fail(err, path, "it could not be taken to its end", why, why_bytes);
}

static int connect_to(const char *path, char *why, size_t why_bytes)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd, err;

	if (strlen(path) >= sizeof(addr.sun_path))
		return fail(-ENAMETOOLONG, path, "the socket can't be connected to", why,
			    why_bytes);
	strcpy(addr.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && !connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return fd;
	err = -errno;
	if (fd >= 0)
		close(fd);
	return fail(err, path, "the socket can't be connected to", why, why_bytes);
}

int replay_stream_open(const char *path, char *why, size_t why_bytes)
{
	struct stat st;
	int fd, kept;

	if (!strcmp(path, "-")) {
		if (isatty(STDIN_FILENO)) {
			snprintf(why, why_bytes, "-: standard input is a terminal; give it a log, "
				 "as in '< FILE'");
			return -EINVAL;
		}
		fd = dup(STDIN_FILENO);
	} else if (!stat(path, &st) && S_ISSOCK(st.st_mode)) {
		fd = connect_to(path, why, why_bytes);
		if (fd < 0)
			return fd;
	} else {
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (fd < 0 || fstat(fd, &st))
		return fail(-errno, path, "it can't be opened", why, why_bytes);
	if (S_ISREG(st.st_mode))
		return fd;
	if (S_ISDIR(st.st_mode)) {
		close(fd);
		return fail(-EISDIR, path, "it can't be read", why, why_bytes);
	}
	kept = keep(fd, path, why, why_bytes);
	close(fd);
	return kept;
}
