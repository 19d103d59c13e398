/* SPDX-License-Identifier: MIT */
/*
 * The loops that carry I/Os through next -> prep -> queue -> commit -> complete -> record: one for
 * queues that finish each request before queue() returns, one for those that keep them in flight.
 */
#ifndef CORE_LOOP_H
#define CORE_LOOP_H

#include "core/worker.h"

/* loop_sync, loop_async - run the current pass until it ends one way or another. */
enum loop_end loop_sync(struct worker *w);
enum loop_end loop_async(struct worker *w);

#endif
