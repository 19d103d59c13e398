/* SPDX-License-Identifier: MIT */
/* Hands back the first request of a batch a second time. */
#include "honest.h"

static int twice_complete(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
			  struct fl_req **done)
{
	int n = honest_complete(q, min, max, timeout_ns, done);

	if (n > 1 && (uint32_t)n < max)
		done[n++] = done[0];
	return n;
}

BROKEN("twice", "returns a request twice", honest_close, honest_queue, twice_complete);
