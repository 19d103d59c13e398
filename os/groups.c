/* SPDX-License-Identifier: MIT */
/* From /proc/self/cgroup and the table of mounts to folders. */
#define _GNU_SOURCE 1
#include "os/groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

bool groups_find(const char *root, const char *controller, struct groups *g)
{
	struct hierarchy h = { .root = root, .controller = controller };
	char table[PATH_MAX];
	struct stat st;
	size_t within;

	snprintf(table, sizeof(table), "%.4000s" MOUNTS_SELF, root);
	if (!own_group(&h, g->name) || mounts_each(table, is_mounted, &h) != 1)
		return false;
	/* In a container without a name space of its own the top shows the container's group. */
	within = strcmp(h.within, "/") ? strlen(h.within) : 0;
	if (within && (strncmp(g->name, h.within, within) ||
		       (g->name[within] && g->name[within] != '/')))
		within = strlen(g->name);
	g->version = controller ? 1 : 2;
	snprintf(g->folder, sizeof(g->folder), "%s%s%s", root, h.point, g->name + within);
	g->top = strlen(root) + strlen(h.point);
	if (stat(g->folder, &st) || !S_ISDIR(st.st_mode))
		g->folder[g->top] = '\0';
	for (size_t len = strlen(g->folder); len > g->top && g->folder[len - 1] == '/'; len--)
		g->folder[len - 1] = '\0';
	return true;
}

bool groups_of(const char *root, const char *controller, struct groups *g)
{
	return groups_find(root, controller, g) || groups_find(root, NULL, g);
}

void groups_up(const struct groups *g, void (*fn)(void *ctx, const char *folder), void *ctx)
{
	char folder[sizeof(g->folder)];

	memcpy(folder, g->folder, sizeof(folder));
	for (int level = 0; level < LEVELS_MAX; level++) {
		char *slash;

		while (strlen(folder) > g->top && folder[strlen(folder) - 1] == '/')
			folder[strlen(folder) - 1] = '\0';
		fn(ctx, folder);
		slash = strrchr(folder, '/');
		if (strlen(folder) <= g->top || !slash)
			return;
		*slash = '\0';
	}
}

void groups_each(const char *root, const char *controller,
		 void (*fn)(void *ctx, const char *folder), void *ctx)
{
	struct groups g;

	if (groups_find(root, controller, &g))
		groups_up(&g, fn, ctx);
}
