/* SPDX-License-Identifier: MIT */
/*
 * A file whose readers always see all of it: the new text is written beside it and takes its name.
 */
#ifndef OS_REPLACE_H
#define OS_REPLACE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * replace_file - let the file at path hold this text and nothing else. A link is followed; another
 * file beside it, PATH.PID-N.tmp, is there for a moment. Its mode is what umask leaves of 0644.
 * Returns 0; -EINVAL where something that is no regular file has that name; or another -errno, and
 * the file is as it was.
 */
int replace_file(const char *path, const char *text, size_t bytes);

/*
 * replace_name - the same for a name that was not the user's choice, and that somebody else may
 * have foreseen: whatever has it loses it, and a link is not followed. sync: the data are on
 * stable storage before they get the name. Any thread. Returns 0 or -errno.
 */
int replace_name(const char *path, const void *data, size_t bytes, bool sync);

#endif
