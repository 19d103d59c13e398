/* SPDX-License-Identifier: MIT */
/*
 * Telling of each request (--debug=io). The hooks of a queue's engine are exchanged for ones that
 * tell and call the real ones, so that a run that tells nothing does not even ask.
 */
#ifndef CORE_DEBUG_IO_H
#define CORE_DEBUG_IO_H

#include "core/host.h"

/*
 * debug_io_watch - from now on tell of the requests of an open queue, if that topic was chosen.
 * job: name for the lines; outlives the queue.
 */
void debug_io_watch(struct host_queue *hq, const char *job);

/* debug_io_unwatch - the real hooks are back, as is due before the queue is closed. */
void debug_io_unwatch(struct host_queue *hq);

#endif
