/* SPDX-License-Identifier: MIT */
/*
 * Making the control groups of jobs before the run, and taking away afterwards those that were
 * made. A keeper does that also when the parent was killed.
 */
#ifndef CORE_CGROUPS_RUN_H
#define CORE_CGROUPS_RUN_H

#include "core/observer.h"

extern const struct observer cgroups_observer;

#endif
