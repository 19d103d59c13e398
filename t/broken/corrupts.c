/* SPDX-License-Identifier: MIT */
/* Changes one bit of one byte of each read that is large enough. */
#include "honest.h"

static int corrupts_queue(struct fl_queue *q, struct fl_req *req)
{
	int answer = honest_queue(q, req);

	if (req->op == FL_OP_READ && req->res == 4096)
		((char *)req->buf)[1234] ^= 4;
	return answer;
}

BROKEN("corrupts", "corrupts a byte", honest_close, corrupts_queue, honest_complete);
