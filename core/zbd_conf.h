/* SPDX-License-Identifier: MIT */
/* The options of zonemode=zbd that say how zones are filled and emptied. */
#ifndef CORE_ZBD_CONF_H
#define CORE_ZBD_CONF_H

#include "core/opt.h"
#include "core/zones.h"

#define ZBD_OPEN_MAX	4096u		/* zones that can be open at a time */

struct zbd_conf {
	uint32_t max_open;		/* max_open_zones; 0: what the device allows */
	uint32_t job_max_open;		/* 0: no limit of the job's own */
	uint32_t ignore_limits;
	uint32_t read_beyond;
	uint32_t recover;
	uint32_t remainder;		/* write_zone_remainder */
	double reset_above;		/* zone_reset_threshold, share of the bytes with data */
	double reset_often;		/* zone_reset_frequency, resets per write */
};

extern const struct opt_table zbd_options;

/* What of the rest of a job matters. */
struct zbd_need {
	uint32_t dirs;			/* bit per direction */
	bool random, trims_first;	/* rw=trimwrite */
	bool steps;			/* rw=write:8k */
};

/*
 * zbd_check - bounds that need more than one row. 0, or -EINVAL with a sentence in why, or 1 with a
 * note.
 */
int zbd_check(const struct zbd_conf *c, const struct zones_conf *z, const struct zbd_need *need,
	      char *why, size_t why_bytes);

#endif
