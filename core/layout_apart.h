/* SPDX-License-Identifier: MIT */
/*
 * Laying files out in a process of its own, which does something to itself first (enter a control
 * group) that the parent must not do. The parent waits, passes progress on, and takes the plan over
 * as the layout has left it.
 */
#ifndef CORE_LAYOUT_APART_H
#define CORE_LAYOUT_APART_H

#include "core/files.h"

struct layout_apart {
	/* enter - first thing in the new process. 0, or -errno with a sentence in why. */
	int (*enter)(void *ctx, char *why, size_t why_bytes);
	/* progress - as files_layout() has it; in the parent, at least ten times a second. */
	int (*progress)(void *ctx, uint64_t bytes);
	void *ctx;
};

/*
 * layout_apart - files_layout() in a child. Main thread. Returns what that returned; what enter()
 * or progress() returned if they ended it; -EOWNERDEAD when the child died, with a sentence in why.
 */
int layout_apart(struct file_set *set, uint64_t seed, const struct layout_apart *how, char *note,
		 size_t note_bytes, char *why, size_t why_bytes);

#endif
