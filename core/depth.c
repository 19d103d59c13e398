/* SPDX-License-Identifier: MIT */
/* The options of depth and batching. */
#include "core/depth.h"
#include "core/host.h"
#include "lib/units.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int parse_batch(void *member, const char *text, char *why, size_t why_bytes)
{
	uint32_t *batch = member;
	struct parse_err err;
	uint64_t n;

	if (!strcmp(text, "all")) {
		*batch = DEPTH_BATCH_ALL;
		return 0;
	}
	if (units_uint(span_of(text), 1024, 0, HOST_DEPTH_MAX, &n, NULL, &err)) {
		snprintf(why, why_bytes, "'%s' must be 0 to %d, or 'all' for every free slot", text,
			 HOST_DEPTH_MAX);
		return -EINVAL;
	}
	*batch = (uint32_t)n;
	return 0;
}

static const struct fl_opt_value submit_modes[] = {
	{ "inline", 0, "an I/O arrives when there is room for it" },
	{ "offload", 1, "a thread of its own has them arrive, whether there is room or not" },
	{ NULL, 0, NULL },
};

#define AT(member)	.offset = offsetof(struct depth_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "iodepth", .type = FL_OPT_U32, AT(depth), .min = 1, .max = HOST_DEPTH_MAX,
	  .def = "1", .help = "I/Os kept in flight",
	  .more = "Synchronous engines have one in flight, whatever is asked for; a note says "
		  "so." },
	{ .name = "iodepth_batch", .alias = "iodepth_batch_submit", .type = OPT_CUSTOM, AT(batch),
	  .parse = parse_batch, .def = "1", .unit = "0 to 65536, or all",
	  .help = "I/Os handed to the kernel at once; 0: iodepth; all: every free slot",
	  .more = "With the default of 1 each I/O is a submission of its own. With all, all "
		  "completions that are there are taken, their slots filled, and all of "
		  "that handed over." },
	{ .name = "iodepth_batch_complete_min", .alias = "iodepth_batch_complete",
	  .type = FL_OPT_U32, AT(batch_complete_min), .max = HOST_DEPTH_MAX, .def = "1",
	  .help = "wait for at least so many completions when the queue is full",
	  .more = "0: never wait. What is done is asked for after each submission, and over and "
		  "over while the queue is full." },
	{ .name = "iodepth_batch_complete_max", .type = FL_OPT_U32, AT(batch_complete_max),
	  .max = HOST_DEPTH_MAX,
	  .help = "take at most so many at once; 0: as many as the minimum" },
	{ .name = "iodepth_low", .type = FL_OPT_U32, AT(low), .max = HOST_DEPTH_MAX,
	  .help = "once full, drain down to this depth before filling again; 0: iodepth" },
	{ .name = "io_submit_mode", .type = FL_OPT_ENUM, AT(offload), .values = submit_modes,
	  .def = "inline", .help = "whether I/Os arrive without regard to completions",
	  .more = "With offload, what an I/O waits between its arrival and its start counts in "
		  "slat and lat, of synchronous engines too. Pauses of thinktime lie between "
		  "arrivals, whatever thinktime_blocks_type says. As many arrivals as iodepth, and "
		  "64 at least, can wait; with thinktime it is 16384. What has not been started "
		  "when the time is up is dropped." },
	{ .name = "serialize_overlap", .type = FL_OPT_FLAG, AT(serialize),
	  .help = "start no I/O that overlaps one in flight, if either of them changes data",
	  .more = "It waits for the other one. Looks at the job's own I/Os; with "
		  "io_submit_mode=offload, at those of all jobs that set both." },
};

const struct opt_table depth_options = OPT_TABLE("Depth", rows, 0);

int depth_check(struct depth_conf *c, char *why, size_t why_bytes)
{
	int note = 0;

	if (c->low > c->depth) {
		snprintf(why, why_bytes, "iodepth_low=%u is more than iodepth=%u, which is taken",
			 c->low, c->depth);
		note = 1;
	}
	if (!c->low || c->low > c->depth)
		c->low = c->depth;
	if (!c->batch || (c->batch != DEPTH_BATCH_ALL && c->batch > c->depth))
		c->batch = c->depth;
	if (c->batch_complete_min > c->depth)
		c->batch_complete_min = c->depth;
	/* Slots that come free one by one would be filled one by one. */
	if (c->batch == DEPTH_BATCH_ALL && !c->batch_complete_max)
		c->batch_complete_max = c->depth;
	if (c->batch_complete_max && c->batch_complete_max < c->batch_complete_min) {
		snprintf(why, why_bytes, "iodepth_batch_complete_max=%u is less than "
			 "iodepth_batch_complete_min=%u, which is taken", c->batch_complete_max,
			 c->batch_complete_min);
		c->batch_complete_max = c->batch_complete_min;
		note = 1;
	}
	return note;
}
