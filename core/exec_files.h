/* SPDX-License-Identifier: MIT */
/*
 * The files of what exec_prerun and exec_postrun print are begun anew for each job, by the parent,
 * because its clones then add to them whenever they like.
 */
#ifndef CORE_EXEC_FILES_H
#define CORE_EXEC_FILES_H

#include "core/observer.h"

extern const struct observer exec_files;

#endif
