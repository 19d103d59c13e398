/* SPDX-License-Identifier: MIT */
/*
 * Where the files of a set lie: each file system and each device once, however many files there
 * are. A million files in one folder cost one question to the kernel, if their names are generated.
 */
#ifndef CORE_PLACES_H
#define CORE_PLACES_H

#include "core/files.h"

#define PLACES_MAX	64	/* file systems told apart; beyond it some may come again */

/*
 * places_each - call fn for the first file of each file system, and for every file that is none
 * (a device), until it returns other than 0. Returns what it returned last; 0 without files.
 */
int places_each(const struct file_set *set,
		int (*fn)(void *ctx, uint32_t file, const char *name), void *ctx);

#endif
