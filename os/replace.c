/* SPDX-License-Identifier: MIT */
/* rename(2) is what makes it whole for readers. */
#include "os/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_all(int fd, const char *text, size_t bytes)
{
	while (bytes) {
		ssize_t n = write(fd, text, bytes);

		if (n < 0 && errno != EINTR)
			return -errno;
		text += n > 0 ? n : 0;
		bytes -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* The file that is to be replaced, links resolved; one that is not there yet has its own name. */
static int find_target(const char *path, char target[PATH_MAX])
{
	struct stat st;

	if (!stat(path, &st)) {
		if (!S_ISREG(st.st_mode))
			return -EINVAL;
		return realpath(path, target) ? 0 : -errno;
	}
	if (errno != ENOENT)
		return -errno;
	if (!lstat(path, &st))
		return -ENOENT;		/* a link to nowhere */
	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(target, path);
	return 0;
}

int replace_file(const char *path, const char *text, size_t bytes)
{
	char target[PATH_MAX], beside[PATH_MAX + 32];
	int err = find_target(path, target), fd;

	if (err)
		return err;
	snprintf(beside, sizeof(beside), "%s.%ld.tmp", target, (long)getpid());
	fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	err = write_all(fd, text, bytes);
	if (close(fd) && !err)
		err = -errno;
	if (!err && rename(beside, target))
		err = -errno;
	if (err)
		unlink(beside);
	return err;
}
