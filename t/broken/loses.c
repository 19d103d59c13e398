/* SPDX-License-Identifier: MIT */
/* Forgets one request of 500: it never comes back. */
#include "honest.h"

static int loses_queue(struct fl_queue *q, struct fl_req *req)
{
	struct ring *r = q->priv;

	if (r->queued % 500 == 499) {
		r->queued++;
		return FL_PENDING;
	}
	return honest_queue(q, req);
}

BROKEN("loses", "loses a request", honest_close, loses_queue, honest_complete);
