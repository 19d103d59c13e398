/* SPDX-License-Identifier: MIT */
/*
 * The machine under the tests: kernel, CPUs, what virtualizes it, NUMA nodes, memory. What moves a
 * number from one run to the next without a line of the job file having changed.
 */
#ifndef OS_HOSTFACTS_H
#define OS_HOSTFACTS_H

#include "lib/facts.h"

/*
 * hostfacts_add - "host", "kernel", "virtualization", "cpu", "numa", "memory". root: the folder
 * that /proc and /sys lie in, "" in earnest; then the CPU itself is asked for its hypervisor, too.
 */
void hostfacts_add(const char *root, struct facts *f);

/*
 * hostfacts_nodes - the NUMA nodes of a list of CPUs, both as in "0-3,5". Returns nodes, "" if
 * there are none.
 */
const char *hostfacts_nodes(const char *root, const char *cpus, char *nodes, size_t bytes);

#endif
