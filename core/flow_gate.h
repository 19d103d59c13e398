/* SPDX-License-Identifier: MIT */
/* The part of a gate that keeps a job in step with others. */
#ifndef CORE_FLOW_GATE_H
#define CORE_FLOW_GATE_H

#include "core/worker.h"

/* flow_gate_new - for a job with flow; NULL otherwise, or with *err = -ENOMEM. */
struct gate_part *flow_gate_new(struct worker *w, int *err);

/*
 * flow_gate_rest - the worker's job does no I/O of its own from now on (it reads back, syncs,
 * closes), or goes on. The parent takes it out of its flow or in again. Fine without a flow, too.
 */
void flow_gate_rest(const struct worker *w, bool rest);

#endif
