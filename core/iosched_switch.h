/* SPDX-License-Identifier: MIT */
/* Switching the schedulers that ioscheduler asks for: before the first I/O of each job. */
#ifndef CORE_IOSCHED_SWITCH_H
#define CORE_IOSCHED_SWITCH_H

#include "core/observer.h"

extern const struct observer iosched_observer;

#endif
