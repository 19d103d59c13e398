/* SPDX-License-Identifier: MIT */
/* What a worker does for read_iolog and write_iolog beyond its loop; for life.c. */
#ifndef CORE_WORKER_LOG_H
#define CORE_WORKER_LOG_H

#include "core/worker.h"

/*
 * worker_replay_make - read_iolog: all that comes is in the log. Returns 0, or -errno with a
 * sentence in why. worker_replay_free() in any case.
 */
int worker_replay_make(struct worker *w, char *why, size_t why_bytes);
void worker_replay_free(struct worker *w);

/*
 * worker_record_make - write_iolog, if there is any: from here on. What is open has been opened at
 * the beginning. worker_record_begin - times of the log begin now.
 */
void worker_record_make(struct worker *w);
void worker_record_begin(struct worker *w);

#endif
