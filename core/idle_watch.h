/* SPDX-License-Identifier: MIT */
/* --idle-prof: how much of the CPUs the run leaves to others. */
#ifndef CORE_IDLE_WATCH_H
#define CORE_IDLE_WATCH_H

#include "core/observer.h"

extern const struct observer idle_observer;

/*
 * idle_calibrate - --idle-prof=calibrate: only measure the unit of work, and tell. Returns an exit
 * status.
 */
int idle_calibrate(FILE *out);

#endif
