/* SPDX-License-Identifier: MIT */
/*
 * Watching for steady state. The parent looks at the workers' counters; the jobs know nothing of it
 * and pay nothing for it.
 *
 * Jobs that are reported together are judged together, by what they do in all: with group_reporting
 * a group, else each job by itself. Samples are taken while all of them that have not ended are at
 * work and counted; when one begins later, the window begins anew.
 */
#ifndef CORE_STEADY_WATCH_H
#define CORE_STEADY_WATCH_H

#include "core/observer.h"

extern const struct observer steady_observer;

#endif
