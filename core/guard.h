/* SPDX-License-Identifier: MIT */
/*
 * Locks around I/O (lockfile) and what was written since the open (fsync_on_close).
 *
 * The hooks of a queue's engine are exchanged for ones that look after the files and call the real
 * ones, so that jobs without these options pay nothing. A lock is flock(2): it belongs to the open
 * file, so it holds between threads as between processes, and goes with its owner.
 */
#ifndef CORE_GUARD_H
#define CORE_GUARD_H

#include "core/files.h"
#include "core/host.h"

/*
 * guard_begin - from now on look after the files of an open queue, if the options ask for it.
 * nr: how many files the job has. Returns 0 or -ENOMEM.
 */
int guard_begin(struct host_queue *hq, const struct files_conf *conf, uint32_t nr);
/* guard_end - the real hooks are back, as is due before the queue is closed. */
void guard_end(struct host_queue *hq);

/* guard_close - f, with no I/O in flight, is to be closed: sync it if that is due. 0 or -errno. */
int guard_close(struct host_queue *hq, struct fl_file *f);

#endif
