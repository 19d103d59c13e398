/* SPDX-License-Identifier: MIT */
/*
 * What the engines of jobs that are put together counted: each engine for itself, those that lie
 * below others too.
 */
#ifndef CORE_MERGE_ENGINES_H
#define CORE_MERGE_ENGINES_H

#include "core/crew.h"
#include "core/result.h"

/* merge_engines - set engine and others of *j from these `count` jobs. merge_engines_free() it. */
void merge_engines(struct result_job *j, const struct crew_job *const *jobs, size_t count);
void merge_engines_free(struct result_job *j);

#endif
