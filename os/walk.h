/* SPDX-License-Identifier: MIT */
/*
 * All regular files below a folder. Symbolic links are not followed, so a walk ends and never
 * leaves the folder.
 */
#ifndef OS_WALK_H
#define OS_WALK_H

#include <stddef.h>
#include <stdint.h>

struct walk_file {
	char *path;		/* the folder as given, '/', and the way from there; owned */
	uint64_t size_bytes;
};

struct walk {
	struct walk_file *files;	/* sorted by path, byte by byte */
	size_t count;
};

/*
 * walk_below - find them. Returns 0, or -errno with the name that could not be read in where. *w is
 * to be given to walk_free() in both cases. Files that vanish meanwhile are left out.
 */
int walk_below(struct walk *w, const char *folder, char *where, size_t where_bytes);
void walk_free(struct walk *w);

#endif
