/* SPDX-License-Identifier: MIT */
/* Counts sectors of 512 bytes, as some interfaces do, and forgets what is left over. */
#include "honest.h"

static int miscounts_queue(struct fl_queue *q, struct fl_req *req)
{
	int answer = honest_queue(q, req);

	if (req->res > 0)
		req->res &= ~(int64_t)511;
	return answer;
}

BROKEN("miscounts", "tells a wrong byte count", honest_close, miscounts_queue, honest_complete);
