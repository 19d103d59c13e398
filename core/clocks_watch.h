/* SPDX-License-Identifier: MIT */
/*
 * Starting the clock of the run and, with gtod_cpu=, watching whoever tells the time: he may be
 * killed, and then time must not stand still.
 */
#ifndef CORE_CLOCKS_WATCH_H
#define CORE_CLOCKS_WATCH_H

#include "core/observer.h"

/*
 * clocks_start - choose and calibrate the clock that the jobs ask for, before any other process is
 * started. Returns 0, or -EINVAL with a complaint in diag. clocks_end() in both cases.
 */
int clocks_start(const struct jobs *jobs, struct diag *diag);
void clocks_end(void);

extern const struct observer clocks_observer;

#endif
