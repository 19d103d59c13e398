/* SPDX-License-Identifier: MIT */
/* Clears the buffer of a request that it has handed back already. */
#include "honest.h"

static int touches_queue(struct fl_queue *q, struct fl_req *req)
{
	struct ring *r = q->priv;

	if (r->last && r->last != req)
		((char *)r->last->buf)[0] = 0;
	return honest_queue(q, req);
}

BROKEN("touches", "touches a returned buffer", honest_close, touches_queue, honest_complete);
