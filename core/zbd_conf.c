/* SPDX-License-Identifier: MIT */
#include "core/zbd_conf.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

typedef unsigned long long ull;

#define AT(member)	.offset = offsetof(struct zbd_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "max_open_zones", .type = FL_OPT_U32, AT(max_open), .max = ZBD_OPEN_MAX,
	  .help = "zones that all jobs together write to at a time; 0: what the device allows" },
	{ .name = "job_max_open_zones", .type = FL_OPT_U32, AT(job_max_open), .max = ZBD_OPEN_MAX,
	  .help = "zones that each job writes to at a time; 0 is no limit" },
	{ .name = "ignore_zone_limits", .type = FL_OPT_BOOL, AT(ignore_limits),
	  .help = "max_open_zones may be more than the device says it can have" },
	{ .name = "read_beyond_wp", .type = FL_OPT_BOOL, AT(read_beyond),
	  .help = "read zones as a whole, not only what has been written",
	  .more = "No device fetches what was never written, so such reads are fast and say "
		  "nothing about it." },
	{ .name = "zone_reset_threshold", .type = FL_OPT_DOUBLE, AT(reset_above), .max = 1,
	  .unit = "0 to 1", .help = "share of bytes with data from which on zones are reset",
	  .more = "With zone_reset_frequency. A full zone that is to be written is reset in any "
		  "case." },
	{ .name = "zone_reset_frequency", .type = FL_OPT_DOUBLE, AT(reset_often), .max = 1,
	  .unit = "0 to 1", .help = "resets per write, once there is so much data",
	  .more = "0.1: before every tenth write its zone is reset." },
	{ .name = "recover_zbd_write_error", .type = FL_OPT_BOOL, AT(recover),
	  .help = "after a failed write, ask the device where its zone is to be written next",
	  .more = "With continue_on_error. Otherwise the zone is written as if nothing had "
		  "happened, and such writes fail, too. A zone that fails twice at one place is "
		  "finished and left." },
	{ .name = "write_zone_remainder", .type = FL_OPT_BOOL, AT(remainder),
	  .help = "fill what is left of a zone with a shorter write",
	  .more = "Where the capacity is no multiple of the block size. Otherwise the zone is "
		  "finished by command." },
};

const struct opt_table zbd_options = OPT_TABLE("Zoned block devices", rows, 0);

static int refuse(char *why, size_t why_bytes, const char *sentence)
{
	snprintf(why, why_bytes, "%s", sentence);
	return -EINVAL;
}

/* The first of the options that was given; NULL. */
static const char *given(const struct zbd_conf *c)
{
	return c->max_open ? "max_open_zones" : c->job_max_open ? "job_max_open_zones" :
	       c->ignore_limits ? "ignore_zone_limits" : c->read_beyond ? "read_beyond_wp" :
	       c->reset_above > 0 ? "zone_reset_threshold" :
	       c->reset_often > 0 ? "zone_reset_frequency" :
	       c->recover ? "recover_zbd_write_error" :
	       c->remainder ? "write_zone_remainder" : NULL;
}

int zbd_check(const struct zbd_conf *c, const struct zones_conf *z, const struct zbd_need *need,
	      char *why, size_t why_bytes)
{
	if (z->mode != ZONES_ZBD) {
		if (!given(c))
			return 0;
		snprintf(why, why_bytes, "%s has no effect without zonemode=zbd", given(c));
		return 1;
	}
	if (need->trims_first)
		return refuse(why, why_bytes, "rw=trimwrite: with zonemode=zbd a trim resets a "
			      "whole zone; use rw=write, which resets full zones by itself");
	if (need->steps)
		return refuse(why, why_bytes, "rw= with a step: with zonemode=zbd zones are "
			      "written without gaps; use zoneskip=");
	if (z->capacity && z->size && z->capacity > z->size) {
		snprintf(why, why_bytes, "zonecapacity=%llu is more than zonesize=%llu",
			 (ull)z->capacity, (ull)z->size);
		return -EINVAL;
	}
	if (c->max_open && c->job_max_open > c->max_open) {
		snprintf(why, why_bytes, "job_max_open_zones=%u is more than max_open_zones=%u",
			 c->job_max_open, c->max_open);
		return -EINVAL;
	}
	if ((c->reset_above > 0) != (c->reset_often > 0))
		return refuse(why, why_bytes, "zone_reset_threshold and zone_reset_frequency work "
			      "together; give both, each more than 0");
	if (z->size && z->skip.bytes % z->size) {
		snprintf(why, why_bytes, "zoneskip=%llu is no multiple of zonesize=%llu",
			 (ull)z->skip.bytes, (ull)z->size);
		return -EINVAL;
	}
	if (need->random && (z->skip.bytes || z->skip.zones)) {
		snprintf(why, why_bytes, "zoneskip has no effect on random I/O");
		return 1;
	}
	return 0;
}
