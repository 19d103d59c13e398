/* SPDX-License-Identifier: MIT */
/* Walking a tree of folders. */
#define _GNU_SOURCE 1
#include "os/walk.h"

#include "lib/base.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The list grows by doubling: a million files cost twenty copies. */
static int add(struct walk *w, char *path, uint64_t size_bytes)
{
	bool full = w->count == 0 || (w->count >= 16 && !(w->count & (w->count - 1)));

	if (full) {
		size_t room = w->count ? w->count * 2 : 16;
		struct walk_file *more = realloc(w->files, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		w->files = more;
	}
	w->files[w->count++] = (struct walk_file){ path, size_bytes };
	return 0;
}

static int walk_folder(struct walk *w, const char *folder, char *where, size_t where_bytes);

/* Takes the path over. */
static int visit(struct walk *w, char *path, char *where, size_t where_bytes)
{
	struct stat st;
	int err = 0;

	if (lstat(path, &st)) {
		err = errno == ENOENT ? 0 : -errno;
		if (err)
			snprintf(where, where_bytes, "%s", path);
	} else if (S_ISDIR(st.st_mode)) {
		err = walk_folder(w, path, where, where_bytes);
	} else if (S_ISREG(st.st_mode)) {
		err = add(w, path, (uint64_t)st.st_size);
		if (!err)
			return 0;
	}
	free(path);
	return err;
}

static int walk_folder(struct walk *w, const char *folder, char *where, size_t where_bytes)
{
	size_t len = strlen(folder);
	const char *slash = len && folder[len - 1] == '/' ? "" : "/";
	DIR *d = opendir(folder);
	struct dirent *e;
	int err = 0;

	if (!d) {
		err = -errno;
		snprintf(where, where_bytes, "%s", folder);
		return err;
	}
	while (!err && (e = readdir(d))) {
		char *path;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (asprintf(&path, "%s%s%s", folder, slash, e->d_name) < 0)
			err = -ENOMEM;
		else
			err = visit(w, path, where, where_bytes);
	}
	closedir(d);
	return err;
}

static int by_path(const void *a, const void *b)
{
	const struct walk_file *x = a, *y = b;

	return strcmp(x->path, y->path);
}

int walk_below(struct walk *w, const char *folder, char *where, size_t where_bytes)
{
	int err;

	memset(w, 0, sizeof(*w));
	where[0] = '\0';
	err = walk_folder(w, folder, where, where_bytes);
	if (w->count)
		qsort(w->files, w->count, sizeof(*w->files), by_path);
	return err;
}

void walk_free(struct walk *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->files[i].path);
	free(w->files);
	memset(w, 0, sizeof(*w));
}
