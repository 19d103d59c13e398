/* SPDX-License-Identifier: MIT */
/*
 * The control group of memory_limit=, from before the layout to after the last worker.
 *
 * The parent stays outside, so that a kill for want of memory takes a worker and never the report.
 * Every process that works on files enters first thing. A keeper takes the group away, also when
 * the parent was killed; should the keeper be killed too, the next run does (os/cgroup.h).
 */
#ifndef CORE_MEMLIMIT_RUN_H
#define CORE_MEMLIMIT_RUN_H

#include "core/observer.h"

extern const struct observer memlimit_observer;

#endif
