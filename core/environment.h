/* SPDX-License-Identifier: MIT */
/*
 * The environment of a run in its result: machine, limits, targets and what is below them, engines,
 * libraries, jobs as resolved; and what changed of it before the run was over.
 *
 * It is looked at twice, before the first worker and after the last; nothing while they work.
 * --env says how much of it goes into the result, --env-redact leaves out what tells one machine
 * from another.
 */
#ifndef CORE_ENVIRONMENT_H
#define CORE_ENVIRONMENT_H

#include "core/observer.h"

extern const struct observer environment_observer;

#endif
