/* SPDX-License-Identifier: MIT */
/* The observer that grades a run. */
#ifndef CORE_TRUST_WATCH_H
#define CORE_TRUST_WATCH_H

#include "core/observer.h"

extern const struct observer trust_observer;

#endif
