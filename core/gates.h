/* SPDX-License-Identifier: MIT */
/*
 * Which parts the gate of a job has. A new reason to wait is a file with a struct gate_part, and a
 * row in gates.c.
 */
#ifndef CORE_GATES_H
#define CORE_GATES_H

#include "core/worker.h"

/*
 * gates_make - w->gate, and *arrivals, the gate of the generator of arrivals
 * (w->job->depth.offload only). NULL where there is nothing to wait for; gate_free() either.
 * Returns 0, or -ENOMEM. On the worker's thread, when its workload is set up.
 */
int gates_make(struct worker *w, struct gate **arrivals);

#endif
