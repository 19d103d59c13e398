/* SPDX-License-Identifier: MIT */
/* A whole file in memory, for the few small files that people write by hand. */
#ifndef OS_SLURP_H
#define OS_SLURP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * slurp_upto - read from a descriptor, in as many pieces as it comes in, until text has max bytes
 * or there are no more. Returns how many it has, or -errno; no NUL is put behind them.
 */
ssize_t slurp_upto(int fd, char *text, size_t max);

/*
 * slurp_file - read a file, a pipe or a device to its end, at most max bytes.
 * Returns 0 with *text (bytes and a NUL behind them) the caller's to free() and *len without that
 * NUL; -EISDIR for a directory, -EFBIG beyond max, -ENOMEM, or what open(2) or read(2) gave.
 */
int slurp_file(const char *path, uint64_t max, char **text, size_t *len);

/* slurp_fd - the same for an open descriptor, which stays open; 0 is standard input. */
int slurp_fd(int fd, uint64_t max, char **text, size_t *len);

/*
 * slurp_head - the first bytes of a file, at most max, of however long a file.
 * Returns as slurp_file(), never -EFBIG, and 1 instead of 0 when there was more.
 */
int slurp_head(const char *path, size_t max, char **text, size_t *len);

#endif
