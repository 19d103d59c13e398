/* SPDX-License-Identifier: MIT */
/*
 * Files that results go to: logs, reports, states, what commands print. Their names are the user's,
 * and like with any other tool a link is followed. But no result is worth a file system: a block
 * device is never written to in that way, whatever name leads to it.
 */
#ifndef OS_OUTPUT_H
#define OS_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

/*
 * output_open - open(2) for writing; flags adds to O_WRONLY | O_CLOEXEC. The mode of a new file
 * (O_CREAT) is what umask leaves of 0644. A pipe that nobody reads from is waited for, until the
 * run is to stop; not with O_NONBLOCK, which means no more than that here.
 * Returns a descriptor, or -errno: -EMEDIUMTYPE for a block device, of which nothing has changed.
 */
int output_open(const char *path, int flags);

/* output_stream - the same as fopen(3) has it with "w". Returns NULL with *err -errno. */
FILE *output_stream(const char *path, int *err);

/* output_write - all of it, in as many pieces as it takes. Returns 0 or -errno. */
int output_write(int fd, const void *data, size_t bytes);

/* output_error - strerror(3) of -errno from any of these; it lives as long as that. */
const char *output_error(int err);

#endif
