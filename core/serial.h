/* SPDX-License-Identifier: MIT */
/*
 * serialize_overlap as the loop sees it: may this I/O join those in flight? Within one job by
 * comparing it with each of them, across jobs by the board they share (overlap.h).
 */
#ifndef CORE_SERIAL_H
#define CORE_SERIAL_H

#include "core/worker.h"

/*
 * serial_may_start - true: it counts as one in flight until serial_release(). False: it overlaps
 * one; *seen is then for overlap_wait() where there is a board. Only where w->ranges is there.
 */
bool serial_may_start(struct worker *w, const struct io *io, uint32_t *seen);

/* serial_release - this slot's request is the runner's again. */
void serial_release(struct worker *w, uint32_t slot);

#endif
