/* SPDX-License-Identifier: MIT */
/*
 * Engines that break one promise each, for the suite that is to find them out. All are asynchronous
 * and keep their requests in a ring of the queue's depth.
 */
#include <errno.h>
#include <fio-like/engine.h>
#include <stdlib.h>

struct ring {
	uint32_t first, count;
	struct fl_req *req[];
};

static int liar_open(struct fl_queue *q)
{
	q->priv = q->host->alloc(sizeof(struct ring) + q->depth * sizeof(struct fl_req *), 0);
	return q->priv ? 0 : -ENOMEM;
}

static void liar_close(struct fl_queue *q)
{
	q->host->free(q->priv);
}

static void forgetful_close(struct fl_queue *q)
{
	(void)q;
}

static int liar_queue(struct fl_queue *q, struct fl_req *req)
{
	struct ring *r = q->priv;

	req->res = (int64_t)(req->op <= FL_OP_TRIM ? req->len : 0);
	r->req[(r->first + r->count++) % q->depth] = req;
	return FL_PENDING;
}

static int generous_queue(struct fl_queue *q, struct fl_req *req)
{
	int answer = liar_queue(q, req);

	req->res++;
	return answer;
}

static int positive_queue(struct fl_queue *q, struct fl_req *req)
{
	(void)q;
	(void)req;
	return EIO;
}

static int give(struct fl_queue *q, uint32_t n, struct fl_req **done)
{
	struct ring *r = q->priv;
	uint32_t i;

	for (i = 0; i < n && r->count; i++, r->count--, r->first++)
		done[i] = r->req[r->first % q->depth];
	return (int)i;
}

static int honest_complete(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
			   struct fl_req **done)
{
	(void)min;
	(void)timeout_ns;
	return give(q, max, done);
}

static int too_many_complete(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
			     struct fl_req **done)
{
	(void)min;
	(void)timeout_ns;
	return give(q, max, done) + (max == 1);
}

static int too_few_complete(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
			    struct fl_req **done)
{
	(void)min;
	(void)timeout_ns;
	return give(q, max > 1 ? 1 : max, done);
}

static int twice_complete(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
			  struct fl_req **done)
{
	int n = honest_complete(q, min, max, timeout_ns, done);

	if (n && (uint32_t)n < max) {
		done[n] = done[0];
		n++;
	}
	return n;
}

#define LIAR(name_, help_, close_, queue_, complete_)				\
	static const struct fl_engine name_ = {					\
		FL_ENGINE_HEAD, .name = #name_, .help = help_, .caps = FL_CAP_NO_FILES, \
		.open = liar_open, .close = close_, .queue = queue_, .complete = complete_, \
	}

LIAR(honest, "breaks no promise", liar_close, liar_queue, honest_complete);
LIAR(forgetful, "leaks", forgetful_close, liar_queue, honest_complete);
LIAR(generous, "moves more than it was asked to", liar_close, generous_queue, honest_complete);
LIAR(positive, "says errors the wrong way round", liar_close, positive_queue, honest_complete);
LIAR(too_many, "counts above max", liar_close, liar_queue, too_many_complete);
LIAR(too_few, "does not wait for min", liar_close, liar_queue, too_few_complete);
LIAR(twice, "hands back requests twice", liar_close, liar_queue, twice_complete);

FL_ENGINE_EXPORT(&honest, &forgetful, &generous, &positive, &too_many, &too_few, &twice);
