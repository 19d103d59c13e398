/* SPDX-License-Identifier: MIT */
/* What jobs with zones did to them, in the result. */
#ifndef CORE_ZBD_WATCH_H
#define CORE_ZBD_WATCH_H

#include "core/observer.h"

extern const struct observer zbd_observer;

#endif
