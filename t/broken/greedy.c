/* SPDX-License-Identifier: MIT */
/* Hands back all that is done, however few were asked for. */
#include "honest.h"

static int greedy_complete(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
			   struct fl_req **done)
{
	(void)max;
	return honest_complete(q, min, q->depth, timeout_ns, done);
}

BROKEN("greedy", "ignores max", honest_close, honest_queue, greedy_complete);
