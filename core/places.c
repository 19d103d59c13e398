/* SPDX-License-Identifier: MIT */
/* Going through the files, and remembering folders and file systems. */
#include "core/places.h"
#include "fio-like/engine.h"
#include "os/file.h"

#include <stdio.h>
#include <string.h>

struct places {
	dev_t seen[PLACES_MAX];
	size_t count;
	char folder[FILES_NAME_BYTES];	/* of the last file: the next one may lie there, too */
};

/* generated: names of our own making, of which none is a link to somewhere else. */
static bool is_known(struct places *p, const char *name, bool generated)
{
	const char *slash = strrchr(name, '/');
	size_t len = slash ? (size_t)(slash - name) + 1 : 0;
	struct file_place place;

	if (generated && p->count && strlen(p->folder) == len && !strncmp(p->folder, name, len))
		return true;
	snprintf(p->folder, sizeof(p->folder), "%.*s", (int)len, name);
	if (file_place(name, &place))
		return false;
	for (size_t i = 0; i < p->count; i++)
		if (p->seen[i] == place.device)
			return true;
	if (p->count < ARRAY_SIZE(p->seen))
		p->seen[p->count++] = place.device;
	return false;
}

int places_each(const struct file_set *set,
		int (*fn)(void *ctx, uint32_t file, const char *name), void *ctx)
{
	struct places p = { .count = 0 };
	char name[FILES_NAME_BYTES];
	int ret = 0;

	for (uint32_t i = 0; i < set->nr && !ret; i++) {
		files_name(set, i, name);
		if (set->plan[i].type != FL_FILE_REGULAR ||
		    !is_known(&p, name, !set->names.list))
			ret = fn(ctx, i, name);
	}
	return ret;
}
