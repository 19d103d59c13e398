/* SPDX-License-Identifier: MIT */
/*
 * What this process may use of the machine: limits of its cgroups, version 1 or 2, and its own.
 */
#ifndef OS_LIMITS_H
#define OS_LIMITS_H

#include "lib/facts.h"

/*
 * limits_facts - "limits". root: as in os/mounts.h. Of a limit that is set at several levels of
 * the tree the smallest counts; what is not limited is no fact.
 */
void limits_facts(const char *root, struct facts *f);

#endif
