/* SPDX-License-Identifier: MIT */
/* flow=: the parent takes jobs into their flow when they begin, and out when they rest or end. */
#ifndef CORE_FLOW_WATCH_H
#define CORE_FLOW_WATCH_H

#include "core/observer.h"

extern const struct observer flow_observer;

#endif
