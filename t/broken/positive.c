/* SPDX-License-Identifier: MIT */
/* Says errno where -errno is meant: to the runner that is a number of bytes. */
#include "honest.h"

static int positive_queue(struct fl_queue *q, struct fl_req *req)
{
	int answer = honest_queue(q, req);

	if (req->res < 0)
		req->res = -req->res;
	return answer;
}

BROKEN("positive", "says errno for -errno", honest_close, positive_queue, honest_complete);
