/* SPDX-License-Identifier: MIT */
/*
 * A file whose readers always see all of it: the new text is written beside it and takes its name.
 */
#ifndef OS_REPLACE_H
#define OS_REPLACE_H

#include <stddef.h>

/*
 * replace_file - let the file at path hold this text and nothing else. A link is followed; another
 * file beside it, PATH.PID.tmp, is there for a moment. Its mode is what umask leaves of 0666.
 * Returns 0; -EINVAL where something that is no regular file has that name; or another -errno, and
 * the file is as it was.
 */
int replace_file(const char *path, const char *text, size_t bytes);

#endif
