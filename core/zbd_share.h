/* SPDX-License-Identifier: MIT */
/*
 * What one worker shares of zones: which device each of its files is, which zones of it are the
 * job's, and what it has done, for the parent to see.
 */
#ifndef CORE_ZBD_SHARE_H
#define CORE_ZBD_SHARE_H

#include "core/plan.h"
#include "core/zbd.h"

/* Of one file. */
struct zbd_part {
	struct zbd *dev;
	uint32_t first, last;		/* zones first to last - 1 */
	_Atomic uint16_t *mine;		/* writes in flight, by zone of the device */
};

/* In shared memory. */
struct zbd_share {
	size_t map_bytes;
	uint32_t me;			/* as an owner */
	uint32_t nr;			/* files */
	/* counted since the start, or the end of the ramp */
	uint64_t resets, finishes, recovered, waits, dropped;
	struct zbd_part part[];
};

/* All devices of a run. */
struct zbd_devices {
	struct zbd **list;
	size_t count;
};

/*
 * zbd_share_new - for one job of the plan: find or make its devices. number: of the worker, from 0.
 * Returns NULL with *err 0: it has no zones; or -errno with a sentence in why.
 */
struct zbd_share *zbd_share_new(struct zbd_devices *all, const struct plan_job *pj, uint32_t number,
				int *err, char *why, size_t why_bytes);
void zbd_share_free(struct zbd_share *s);	/* NULL is fine */
void zbd_devices_free(struct zbd_devices *all);

/* zbd_share_forget - its worker has gone, well or not: nothing of it is left in the zones. */
void zbd_share_forget(struct zbd_share *s);

#endif
