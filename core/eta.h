/* SPDX-License-Identifier: MIT */
/* How far a job has come, and how long it still takes, from what it has done so far. */
#ifndef CORE_ETA_H
#define CORE_ETA_H

#include "core/crew.h"

/* eta_job - the share that is done, 0 to 1. left_s: seconds left; below 0: not known. */
double eta_job(const struct crew_job *j, double *left_s);

#endif
