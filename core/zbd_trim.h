/* SPDX-License-Identifier: MIT */
/*
 * Trims of zonemode=zbd: what the engine would discard, the zone is reset for. The queue hook is
 * exchanged for one that looks for trims, so that engines know nothing of zones.
 */
#ifndef CORE_ZBD_TRIM_H
#define CORE_ZBD_TRIM_H

#include "core/gate.h"
#include "core/host.h"

/* zbd_trim_begin - from now on, if the job is one of zones. Returns 0 or -ENOMEM. */
int zbd_trim_begin(struct host_queue *hq, bool zones);
/* zbd_trim_end - the real hook is back. */
void zbd_trim_end(struct host_queue *hq);
/* zbd_trim_by - this part resets; by calling fn. */
void zbd_trim_by(struct host_queue *hq, struct gate_part *part,
		 int (*fn)(struct gate_part *part, struct fl_req *req));

#endif
