/* SPDX-License-Identifier: MIT */
/* The options of zones, and what they must be to each other. */
#include "core/zones.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

typedef unsigned long long ull;

static const struct fl_opt_value modes[] = {
	{ "none", ZONES_NONE, "there are no zones" },
	{ "strided", ZONES_STRIDED, "windows of the file, one after the other, with gaps between" },
	{ "zbd", ZONES_ZBD, "the zones of a zoned block device, or such as if it had them" },
	{ NULL, 0, NULL },
};

#define AT(member)	.offset = offsetof(struct zones_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "zonemode", .type = FL_OPT_ENUM, AT(mode), .def = "none", .values = modes,
	  .help = "what zonesize and its like mean",
	  .more = "strided: I/O stays in a window of zonerange bytes until zonesize bytes have "
		  "moved; then the window moves on by zonerange + zoneskip, and from the end of "
		  "the file back to offset. Random order starts afresh in each. zbd: writes go to "
		  "the write pointers of zones." },
	{ .name = "zonesize", .type = FL_OPT_SIZE, AT(size), .max = INT64_MAX, .unit = "bytes",
	  .help = "strided: bytes moved in a zone; zbd: size of a zone",
	  .more = "Strided: less than zonerange touches only a part of each zone, more goes over "
		  "it several times. zbd: a zoned device knows the size of its zones, and another "
		  "one given here is refused; a file or other device is treated as if it had zones "
		  "of this size, all empty when the run begins." },
	{ .name = "zonerange", .type = FL_OPT_SIZE, AT(range), .max = INT64_MAX, .unit = "bytes",
	  .help = "strided: length of a zone; default: zonesize" },
	{ .name = "zoneskip", .type = OPT_AMOUNT, AT(skip), .unit = "bytes, or 2z for 2 zones",
	  .help = "bytes between one zone and the next",
	  .more = "Strided: from the end of a zone to the next. zbd: after a zone is full, or all "
		  "that was written of it has been read, so many bytes (whole zones) are left out; "
		  "sequential jobs only." },
	{ .name = "zonecapacity", .type = FL_OPT_SIZE, AT(capacity), .max = INT64_MAX,
	  .unit = "bytes", .help = "zbd: how much of a zone can be written (zonesize)",
	  .more = "Where zones are made up; a zoned device knows its own." },
};

const struct opt_table zones_options = OPT_TABLE("Zones", rows, 0);

int zones_settle(const struct zones_conf *c, const char *option, struct amount *a, char *why,
		 size_t why_bytes)
{
	if (!a->zones)
		return 0;
	if (c->mode == ZONES_NONE) {
		snprintf(why, why_bytes, "%s=%lluz counts zones, but there are none; add "
			 "zonemode=, or give a size", option, (ull)a->zones);
		return -EINVAL;
	}
	if (!c->size)
		return 0;
	if (__builtin_mul_overflow(a->zones, c->size, &a->bytes) || a->bytes > INT64_MAX) {
		snprintf(why, why_bytes, "%s=%lluz is more than a file can hold", option,
			 (ull)a->zones);
		return -EINVAL;
	}
	a->zones = 0;
	return 0;
}

static int check_strided(struct zones_conf *c, const struct zones_use *use, char *why,
			 size_t why_bytes)
{
	if (!c->size) {
		snprintf(why, why_bytes, "zonemode=strided needs zonesize=, the bytes to move in "
			 "each zone");
		return -EINVAL;
	}
	if (!c->range)
		c->range = c->size;
	if (use->random && c->range < use->block_min) {
		snprintf(why, why_bytes, "zonerange=%llu holds no block of bs=%llu", (ull)c->range,
			 (ull)use->block_min);
		return -EINVAL;
	}
	if (use->backwards) {
		snprintf(why, why_bytes, "rw= with a negative step goes backwards, and "
			 "zonemode=strided goes forwards; leave out one of them");
		return -EINVAL;
	}
	if (!c->capacity)
		return 0;
	snprintf(why, why_bytes, "zonecapacity has no effect with zonemode=strided");
	return 1;
}

int zones_check(struct zones_conf *c, const struct zones_use *use, char *why, size_t why_bytes)
{
	const char *idle = c->size ? "zonesize" : c->capacity ? "zonecapacity" :
			   c->range ? "zonerange" : "zoneskip";
	int err = zones_settle(c, "zoneskip", &c->skip, why, why_bytes);

	if (err)
		return err;
	if (c->skip.percent > 0 || c->skip.memory > 0) {
		snprintf(why, why_bytes, "zoneskip must be a number of bytes or of zones (2z)");
		return -EINVAL;
	}
	if (c->mode == ZONES_STRIDED)
		return check_strided(c, use, why, why_bytes);
	if (c->mode == ZONES_ZBD)
		return 0;
	if (c->size) {
		snprintf(why, why_bytes, "zonesize=%llu needs zonemode=strided or zonemode=zbd",
			 (ull)c->size);
		return -EINVAL;
	}
	if (!c->capacity && !c->range && !c->skip.bytes)
		return 0;
	snprintf(why, why_bytes, "%s has no effect without zonemode", idle);
	return 1;
}

void window_begin(struct window *win, const struct zones_conf *c, uint64_t bytes)
{
	*win = (struct window){ .hi = fl_min(c->range, bytes), .end = bytes };
}
