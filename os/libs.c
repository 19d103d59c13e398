/* SPDX-License-Identifier: MIT */
/* What the loader has loaded. A library's file is a link that ends at one with the full version. */
#define _GNU_SOURCE 1
#include "os/libs.h"

#include <gnu/libc-version.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBS_MAX	64

struct names {
	char *list[LIBS_MAX];
	size_t count;
};

/* Only what is shared: the engines are told of elsewhere, libc has a better way. */
static int see(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct names *n = ctx;
	char real[PATH_MAX];
	const char *base;

	(void)size;
	if (!info->dlpi_name || !strstr(info->dlpi_name, ".so.") || n->count == LIBS_MAX ||
	    !realpath(info->dlpi_name, real))
		return 0;
	base = strrchr(real, '/') + 1;
	if (!strncmp(base, "libc.so", 7) || !strncmp(base, "ld-", 3))
		return 0;
	n->list[n->count] = strdup(base);
	n->count += n->list[n->count] != NULL;
	return 0;
}

static int in_order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void libs_facts(unsigned int flags, struct facts *f)
{
	size_t mark = facts_enter(f, "libraries");
	struct names n = { .count = 0 };
	char name[64];

	snprintf(name, sizeof(name), "glibc %s", gnu_get_libc_version());
	facts_text(f, "0", name, flags);
	dl_iterate_phdr(see, &n);
	qsort(n.list, n.count, sizeof(n.list[0]), in_order);
	for (size_t i = 0; i < n.count; i++) {
		snprintf(name, sizeof(name), "%zu", i + 1);
		facts_text(f, name, n.list[i], flags);
		free(n.list[i]);
	}
	facts_leave(f, mark);
}
