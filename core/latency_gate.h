/* SPDX-License-Identifier: MIT */
/*
 * The part of a gate that searches for the depth of latency_target.
 *
 * Each depth runs for a window, and is judged by the I/Os that began and came back in it. After a
 * depth that was too large nothing is started until all that is in flight is back: it would spoil
 * the next window. While a job searches, nothing of it counts, as in a ramp; block->latency_phase
 * tells the worker's life when the depth is found, and when the window that counts is over.
 */
#ifndef CORE_LATENCY_GATE_H
#define CORE_LATENCY_GATE_H

#include "core/worker.h"

/* latency_gate_new - for a job with latency_target; NULL otherwise, or with *err = -ENOMEM. */
struct gate_part *latency_gate_new(struct worker *w, int *err);

#endif
