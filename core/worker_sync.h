/* SPDX-License-Identifier: MIT */
/* Bringing what a worker has written to the medium, when it has come to an end. */
#ifndef CORE_WORKER_SYNC_H
#define CORE_WORKER_SYNC_H

#include "core/worker.h"

/* worker_sync_files - fsync every file, through the engine. counted: they are part of the job. */
void worker_sync_files(struct worker *w, bool counted);

/* worker_sync_at_end - end_fsync and end_syncfs, inside the measured time. */
void worker_sync_at_end(struct worker *w);

#endif
