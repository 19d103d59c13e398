/* SPDX-License-Identifier: MIT */
/* The option memory_limit, and sizes that are shares of it. */
#include "core/memlimit.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

/* Below it a worker itself hardly fits. */
#define LIMIT_MIN	(UINT64_C(4) << 20)
#define MIB		(UINT64_C(1) << 20)
#define BLOCK		UINT64_C(4096)

static const struct fl_opt rows[] = {
	{ .name = "memory_limit", .type = FL_OPT_SIZE,
	  .offset = offsetof(struct memlimit_conf, bytes), .min = LIMIT_MIN, .max = INT64_MAX,
	  .unit = "bytes", .help = "run all jobs in a control group with so much memory",
	  .more = "One limit for the whole run, so it belongs into [global]. It holds for what the "
		  "workers allocate and for the page cache of their files, which are dropped from "
		  "the cache first, so that their pages are charged to the group. Needs the memory "
		  "controller (version 1 or 2) and the permission to make a group; without them "
		  "nothing is run. Sizes may be shares of it, as in size=400%mem." },
};

const struct opt_table memlimit_options = OPT_TABLE("Memory", rows, 0);

int memlimit_settle(const struct memlimit_conf *c, const char *option, struct amount *a, char *why,
		    size_t why_bytes)
{
	double bytes;

	if (!(a->memory > 0))
		return 0;
	if (!c->bytes) {
		snprintf(why, why_bytes, "%s=%g%%mem: there is no memory_limit to take it of; add "
			 "memory_limit= to [global], or give a size", option, a->memory);
		return -EINVAL;
	}
	bytes = (double)c->bytes * a->memory / 100.0;
	if (bytes >= (double)INT64_MAX) {
		snprintf(why, why_bytes, "%s=%g%%mem is more than a file can hold", option,
			 a->memory);
		return -EINVAL;
	}
	a->bytes = (uint64_t)bytes;
	a->bytes -= a->bytes % (a->bytes >= MIB ? MIB : BLOCK);
	if (!a->bytes) {
		snprintf(why, why_bytes, "%s=%g%%mem of memory_limit=%llu is less than a block of "
			 "4 KiB", option, a->memory, (unsigned long long)c->bytes);
		return -EINVAL;
	}
	a->memory = 0;
	return 0;
}
