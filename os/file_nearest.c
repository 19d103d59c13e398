/* SPDX-License-Identifier: MIT */
/* "frist.ini: no such file" is true, and of little help where first.ini lies beside it. */
#include "os/file.h"
#include "lib/nearest.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(void *ctx, size_t i)
{
	struct dirent **list = ctx;

	return list[i]->d_name[0] == '.' ? NULL : list[i]->d_name;
}

const char *file_nearest(const char *path, char *near, size_t size)
{
	const char *slash = strrchr(path, '/'), *name = NULL;
	int front = slash ? (int)(slash + 1 - path) : 0, n;
	struct dirent **list;

	if (snprintf(near, size, "%.*s", front ? front : 1, front ? path : ".") >= (int)size)
		return NULL;
	n = scandir(near, &list, NULL, alphasort);
	if (n < 0)
		return NULL;
	name = nearest_name(path + front, name_of, (size_t)n, list);
	if (name && snprintf(near, size, "%.*s%s", front, path, name) >= (int)size)
		name = NULL;
	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
	return name ? near : NULL;
}
