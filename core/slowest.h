/* SPDX-License-Identifier: MIT */
/*
 * The slowest I/Os of every job and direction in every result: when, where, how deep the queue was,
 * and what went on around them. An observer; the lists are kept by the workers (core/slow.h).
 */
#ifndef CORE_SLOWEST_H
#define CORE_SLOWEST_H

#include "core/observer.h"

extern const struct observer slowest_observer;

#endif
