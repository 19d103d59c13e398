/* SPDX-License-Identifier: MIT */
/* Where the bytes of a log come from: a file, standard input, a UNIX socket. */
#ifndef CORE_REPLAY_STREAM_H
#define CORE_REPLAY_STREAM_H

#include <stddef.h>

/*
 * replay_stream_open - a descriptor whose bytes can be read at any place, any number of times. "-"
 * is standard input. What comes through a pipe or a socket is taken to its end first, into a file
 * without a name in $TMPDIR or /var/tmp. Returns it, or -errno with a sentence in why.
 */
int replay_stream_open(const char *path, char *why, size_t why_bytes);

#endif
