/* SPDX-License-Identifier: MIT */
/* Confidence intervals, and the bandwidths of a group, in every result. */
#ifndef CORE_STATISTICS_H
#define CORE_STATISTICS_H

#include "core/observer.h"

extern const struct observer statistics_observer;

#endif
