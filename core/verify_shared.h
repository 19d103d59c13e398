/* SPDX-License-Identifier: MIT */
/*
 * verify_shared: a job that verifies knows what it wrote itself, not what another job writes to the
 * same bytes meanwhile. Such runs are refused before anything is written: each wrong block that
 * they report could be a false alarm.
 */
#ifndef CORE_VERIFY_SHARED_H
#define CORE_VERIFY_SHARED_H

#include "core/observer.h"

extern const struct observer verify_shared;

#endif
