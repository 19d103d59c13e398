/* SPDX-License-Identifier: MIT */
/* Taking the lines of mountinfo apart. */
#define _GNU_SOURCE 1
#include "os/mounts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

void mounts_unescape(char *s)
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
 * id, parent, major:minor, root, mount point, options, optional fields, "-", type, source, options
 * of the file system (proc(5)).
 */
static bool take_apart(char *line, struct mount *m)
{
	enum { WITHIN = 3, POINT, OPTIONS, FIRST };
	char *field[FIRST] = { NULL }, *behind[3] = { NULL }, *save = NULL;
	char *dash = strstr(line, " - ");
	unsigned int maj, min;

	if (!dash)
		return false;
	*dash = '\0';
	for (size_t i = 0; i < FIRST; i++) {
		field[i] = strtok_r(i ? NULL : line, " ", &save);
		if (!field[i])
			return false;
	}
	for (size_t i = 0; i < 3; i++) {
		behind[i] = strtok_r(i ? NULL : dash + 3, " \n", &save);
		if (!behind[i])
			return false;
	}
	if (sscanf(field[2], "%u:%u", &maj, &min) != 2)
		return false;
	mounts_unescape(field[WITHIN]);
	mounts_unescape(field[POINT]);
	mounts_unescape(behind[1]);
	*m = (struct mount){
		.id = strtoull(field[0], NULL, 10), .device = makedev(maj, min),
		.within = field[WITHIN], .point = field[POINT], .options = field[OPTIONS],
		.type = behind[0], .source = behind[1], .fs_options = behind[2],
	};
	return true;
}

int mounts_each(const char *table, int (*fn)(void *ctx, const struct mount *m), void *ctx)
{
	FILE *f = fopen(table, "re");
	char *line = NULL;
	size_t room = 0;
	struct mount m;
	int ret = 0;

	if (!f)
		return -errno;
	while (!ret && getline(&line, &room, f) > 0)
		if (take_apart(line, &m))
			ret = fn(ctx, &m);
	free(line);
	fclose(f);
	return ret;
}

static int is_at(void *ctx, const struct mount *m)
{
	return !strcmp(ctx, m->point);
}

int mounts_is_point(const char *table, const char *path)
{
	char real[PATH_MAX];

	if (!realpath(path, real))
		return -errno;
	return mounts_each(table, is_at, real);
}
