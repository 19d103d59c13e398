/* SPDX-License-Identifier: MIT */
/* Is somebody else living on this block device? */
#define _GNU_SOURCE 1
#include "os/inuse.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* A device node is the whole disk of a partition when the partition's folder lies in the disk's. */
static bool is_same_or_part(dev_t dev, dev_t whole)
{
	char link[64], part[PATH_MAX], disk[PATH_MAX];
	size_t len;

	if (dev == whole)
		return true;
	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(dev), minor(dev));
	if (!realpath(link, part))
		return false;
	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(whole), minor(whole));
	if (!realpath(link, disk))
		return false;
	len = strlen(disk);
	return !strncmp(part, disk, len) && part[len] == '/';
}

/* The kernel writes blanks and backslashes in names of /proc/self/mountinfo as \ooo. */
static void unescape(char *s)
{
	char *to = s;

	while (*s) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' &&
		    s[3] >= '0' && s[3] <= '7') {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

/*
 * One line: id, parent, major:minor, root, mount point, options, optional fields, "-", type,
 * source. Btrfs shows a device number of its own there, hence the second look, at the source.
 */
static bool line_is_of(char *line, dev_t dev, char **mount_point)
{
	unsigned int maj, min;
	char *field[10] = { NULL }, *save = NULL, *word, *dash;
	int n = 0;
	struct stat st;

	dash = strstr(line, " - ");
	if (dash)
		*dash = '\0';
	for (word = strtok_r(line, " ", &save); word && n < 5; word = strtok_r(NULL, " ", &save))
		field[n++] = word;
	if (n < 5 || sscanf(field[2], "%u:%u", &maj, &min) != 2)
		return false;
	unescape(field[4]);
	*mount_point = field[4];
	if (maj)
		return is_same_or_part(makedev(maj, min), dev);
	if (!dash || !strtok_r(dash + 3, " \n", &save))
		return false;
	word = strtok_r(NULL, " \n", &save);
	if (!word || word[0] != '/')
		return false;
	unescape(word);
	return stat(word, &st) == 0 && S_ISBLK(st.st_mode) && is_same_or_part(st.st_rdev, dev);
}

static bool mounted(dev_t dev, char *why, size_t size)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char *line = NULL, *where = NULL;
	size_t room = 0;
	bool found = false;

	if (!f)
		return false;
	while (!found && getline(&line, &room, f) > 0)
		found = line_is_of(line, dev, &where);
	if (found)
		snprintf(why, size, "mounted on %s", where);
	free(line);
	fclose(f);
	return found;
}

/* Volumes built on this device are links in its holders folder. */
static bool held(dev_t dev, char *why, size_t size)
{
	char path[64];
	struct dirent *e;
	bool found = false;
	DIR *d;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/holders", major(dev), minor(dev));
	d = opendir(path);
	if (!d)
		return false;
	while (!found && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(why, size, "part of volume %s", e->d_name);
		found = true;
	}
	closedir(d);
	return found;
}

int inuse_check(const char *path, char *why, size_t why_size)
{
	struct stat st;
	int fd;

	if (stat(path, &st) < 0)
		return -errno;
	if (!S_ISBLK(st.st_mode))
		return -ENOTBLK;
	if (mounted(st.st_rdev, why, why_size) || held(st.st_rdev, why, why_size))
		return 1;
	fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (errno == EBUSY) {
		snprintf(why, why_size, "claimed by the kernel or another program");
		return 1;
	}
	return errno == EACCES || errno == EPERM ? 0 : -errno;
}
