/* SPDX-License-Identifier: MIT */
/* From /proc/self/cgroup and the table of mounts to folders. */
#define _GNU_SOURCE 1
#include "os/groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/mounts.h"
#include "os/slurp.h"

#define LIST_BYTES	(64u << 10)	/* of /proc/self/cgroup */
#define LEVELS_MAX	64

/* One hierarchy: version 2, or the one of version 1 that has the controller. */
struct hierarchy {
	const char *root;
	const char *controller;		/* NULL: version 2 */
	char point[PATH_MAX];		/* where it is mounted */
	char within[PATH_MAX];		/* which group that shows at its top */
};

/* Is it one of the words of a list with commas between? */
static bool lists(const char *list, size_t list_len, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; at < list + list_len;) {
		const char *comma = memchr(at, ',', list_len - (size_t)(at - list));
		size_t n = comma ? (size_t)(comma - at) : list_len - (size_t)(at - list);

		if (n == len && !memcmp(at, word, len))
			return true;
		at += n + 1;
	}
	return false;
}

static int is_mounted(void *ctx, const struct mount *m)
{
	struct hierarchy *h = ctx;

	if (h->controller ? strcmp(m->type, "cgroup") ||
			    !lists(m->fs_options, strlen(m->fs_options), h->controller)
			  : strcmp(m->type, "cgroup2"))
		return 0;
	snprintf(h->point, sizeof(h->point), "%s", m->point);
	snprintf(h->within, sizeof(h->within), "%s", m->within);
	return 1;
}

/* The group of this process in the hierarchy, of lines ID:CONTROLLERS:PATH. */
static bool own_group(const struct hierarchy *h, char path[PATH_MAX])
{
	char name[PATH_MAX], *text, *save = NULL;
	bool found = false;
	size_t len;

	snprintf(name, sizeof(name), "%s/proc/self/cgroup", h->root);
	if (slurp_head(name, LIST_BYTES, &text, &len) < 0)
		return false;
	for (char *line = strtok_r(text, "\n", &save); line && !found;
	     line = strtok_r(NULL, "\n", &save)) {
		char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;

		if (!group)
			continue;
		list++;
		found = h->controller ? lists(list, (size_t)(group - list), h->controller)
				      : group == list;
		if (found)
			snprintf(path, PATH_MAX, "%s", group + 1);
	}
	free(text);
	return found;
}

bool groups_own(const char *root, const char *controller, char path[PATH_MAX])
{
	struct hierarchy h = { .root = root, .controller = controller };
	char table[PATH_MAX];

	snprintf(table, sizeof(table), "%.4000s" MOUNTS_SELF, root);
	return mounts_each(table, is_mounted, &h) == 1 && own_group(&h, path);
}

void groups_each(const char *root, const char *controller,
		 void (*fn)(void *ctx, const char *folder), void *ctx)
{
	struct hierarchy h = { .root = root, .controller = controller };
	char table[PATH_MAX], group[PATH_MAX], folder[2 * PATH_MAX + 64];
	size_t within, top;

	snprintf(table, sizeof(table), "%s" MOUNTS_SELF, root);
	if (mounts_each(table, is_mounted, &h) != 1 || !own_group(&h, group))
		return;
	/* In a container without a name space of its own the top shows the container's group. */
	within = strcmp(h.within, "/") ? strlen(h.within) : 0;
	if (within && strncmp(group, h.within, within))
		within = strlen(group);
	snprintf(folder, sizeof(folder), "%s%s%s", root, h.point, group + within);
	top = strlen(root) + strlen(h.point);
	for (int level = 0; level < LEVELS_MAX; level++) {
		char *slash;

		while (strlen(folder) > top && folder[strlen(folder) - 1] == '/')
			folder[strlen(folder) - 1] = '\0';
		fn(ctx, folder);
		slash = strrchr(folder, '/');
		if (strlen(folder) <= top || !slash)
			return;
		*slash = '\0';
	}
}
