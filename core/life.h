/* SPDX-License-Identifier: MIT */
/*
 * The life of a worker: build up, wait for the start, run the passes, take down.
 */
#ifndef CORE_LIFE_H
#define CORE_LIFE_H

#include "core/worker.h"

/* life_run - all of it, on the calling thread. Never fails: errors are in the worker's block. */
void life_run(const struct worker_setup *setup);

#endif
