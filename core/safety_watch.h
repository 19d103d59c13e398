/* SPDX-License-Identifier: MIT */
/* The guard of block devices and mount points: refuses what core/safety.h refuses. */
#ifndef CORE_SAFETY_WATCH_H
#define CORE_SAFETY_WATCH_H

#include "core/observer.h"

extern const struct observer safety_observer;

#endif
