/* SPDX-License-Identifier: MIT */
/*
 * merge_blktrace_file: several block traces become one, in the order of their times.
 *
 * Times of a trace are scaled from its first I/O on, and each further turn through it begins where
 * the one before has ended. Traces of one recording have one clock, so they keep their places
 * beside each other. What is no I/O is left out.
 */
#ifndef CORE_REPLAY_MERGE_H
#define CORE_REPLAY_MERGE_H

#include "core/replay.h"

/*
 * replay_merge - write the file, and open it as the only log of the job. Nothing to do where there
 * is nothing to merge. Returns 0, or -errno with a sentence in why.
 */
int replay_merge(struct replay_logs *logs, char *why, size_t why_bytes);

#endif
