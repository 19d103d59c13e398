/* SPDX-License-Identifier: MIT */
/*
 * One shared object, from path to tables.
 *
 * The first opening happens in a child that is thrown away: a constructor that crashes or hangs, a
 * table that cannot be read, an engine that does not pass adoption all end there, with a sentence.
 */
#ifndef CORE_PLUGIN_H
#define CORE_PLUGIN_H

#include "core/adopt.h"

#define PLUGIN_ENGINES_MAX	64	/* in one file */
#define PLUGIN_TRIAL_MS		5000	/* how long its constructors may take */

/*
 * plugin_load - open the shared object and adopt all its engines.
 * path:    holds a '/', or the linker's path would be searched. Copied.
 * engines: set to an array of *count; it lives, as the object stays open, until the process ends.
 * Returns: 0, or -errno with a sentence in why.
 */
int plugin_load(const char *path, struct engine **engines, uint32_t *count, char *why,
		size_t why_bytes);

#endif
