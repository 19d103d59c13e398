/* SPDX-License-Identifier: MIT */
/* Takes milliseconds for microseconds: waits far longer than the runner allows. */
#include "honest.h"

static int sleeper_complete(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
			    struct fl_req **done)
{
	int n = honest_give(q, max, done);

	if ((uint32_t)n < min)
		honest_wait(timeout_ns * 1000);
	return n;
}

BROKEN("sleeper", "sleeps past the timeout", honest_close, honest_queue, sleeper_complete);
