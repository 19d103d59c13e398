/* SPDX-License-Identifier: MIT */
/*
 * The share of a disk that a control group has beside others, by the I/O controller of either
 * version. Who obeys it differs: the scheduler bfq, or a cost model of the kernel (io.cost).
 */
#ifndef OS_IOGROUP_H
#define OS_IOGROUP_H

#include "os/cgroup.h"

#define IOGROUP_CONTROLLER	"blkio"	/* io, in version 2 */

/*
 * iogroup_weight - set it. All files that the kernel has for it are written: blkio.weight or
 * blkio.bfq.weight, io.weight, io.bfq.weight. Returns 0, or -errno with a sentence in why: -ENOENT
 * where the kernel knows no weights, -ERANGE or -EINVAL where this is none.
 */
int iogroup_weight(const struct cgroup *g, unsigned weight, char *why, size_t why_bytes);

#endif
