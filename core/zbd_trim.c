/* SPDX-License-Identifier: MIT */
#include "core/zbd_trim.h"

#include <errno.h>
#include <stdlib.h>

struct zbd_trim {
	struct fl_engine ops;		/* what the queue points to */
	const struct fl_engine *real;
	struct gate_part *part;
	int (*fn)(struct gate_part *part, struct fl_req *req);
};

static int on_queue(struct fl_queue *q, struct fl_req *req)
{
	struct zbd_trim *t = ((struct host_queue *)q)->trims;

	if (req->op == FL_OP_TRIM && t->fn)
		return t->fn(t->part, req);
	return t->real->queue(q, req);
}

int zbd_trim_begin(struct host_queue *hq, bool zones)
{
	struct zbd_trim *t = zones ? calloc(1, sizeof(*t)) : NULL;

	if (!t)
		return zones ? -ENOMEM : 0;
	t->ops = *hq->q.engine;
	t->real = hq->q.engine;
	t->ops.queue = on_queue;
	hq->trims = t;
	hq->q.engine = &t->ops;
	return 0;
}

void zbd_trim_end(struct host_queue *hq)
{
	if (!hq->trims)
		return;
	hq->q.engine = hq->trims->real;
	free(hq->trims);
	hq->trims = NULL;
}

void zbd_trim_by(struct host_queue *hq, struct gate_part *part,
		 int (*fn)(struct gate_part *part, struct fl_req *req))
{
	if (!hq->trims)
		return;
	hq->trims->part = part;
	hq->trims->fn = fn;
}
