/* SPDX-License-Identifier: MIT */
/* rename(2) is what makes it whole for readers. */
#include "os/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/output.h"

#define NAME_TRIES	100u

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

/*
 * A new file beside the target, under a name that nobody has, whatever somebody has put there to
 * be written to. Returns a descriptor or -errno.
 */
static int open_beside(const char *target, char *beside, size_t bytes)
{
	static _Atomic unsigned int count;
	int fd;

	for (unsigned int i = 0; i < NAME_TRIES; i++) {
		if (snprintf(beside, bytes, "%s.%ld-%u.tmp", target, (long)getpid(),
			     atomic_fetch_add(&count, 1)) >= (int)bytes)
			return -ENAMETOOLONG;
		fd = output_open(beside, O_CREAT | O_EXCL | O_NOFOLLOW);
		if (fd != -EEXIST && fd != -EMEDIUMTYPE)
			return fd;
	}
	return -EEXIST;
}

int replace_name(const char *path, const void *data, size_t bytes, bool sync)
{
	char beside[PATH_MAX + 32];
	int err, fd = open_beside(path, beside, sizeof(beside));

	if (fd < 0)
		return fd;
	err = output_write(fd, data, bytes);
	if (!err && sync && fdatasync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	if (!err && rename(beside, path))
		err = -errno;
	if (err)
		unlink(beside);
	return err;
}

int replace_file(const char *path, const char *text, size_t bytes)
{
	char target[PATH_MAX];
	int err = find_target(path, target);

	return err ? err : replace_name(target, text, bytes, false);
}
