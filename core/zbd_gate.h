/* SPDX-License-Identifier: MIT */
/*
 * zonemode=zbd as a part of the gate, the last one: it moves each I/O to where the zones let it be.
 *
 * The workload chooses as if there were no zones. A write then goes to the write pointer of the
 * zone it fell into, or of another one where too many are open; a read to what has been written; a
 * trim becomes the reset of a whole zone. When the part lets an I/O pass it owns that write's zone
 * until the next question, by which time the I/O has been handed to the kernel.
 */
#ifndef CORE_ZBD_GATE_H
#define CORE_ZBD_GATE_H

#include "core/worker.h"

/*

 * zbd_gate_new - the part of a worker whose setup has zones; it takes its share of the worker along
 * and counts there. NULL with *err as it is: it has none; or with *err -errno, the job has failed.
 */
struct gate_part *zbd_gate_new(struct worker *w, int *err);

#endif
