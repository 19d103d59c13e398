/* SPDX-License-Identifier: MIT */
/*
 * An engine of an older minor version: its table ends behind queue(). What lies behind the end is
 * no part of it, and here it is poison: a host that reads further crashes.
 */
#include <fio-like/engine.h>

static int old_queue(struct fl_queue *q, struct fl_req *req)
{
	(void)q;
	req->res = (int64_t)(req->op <= FL_OP_TRIM ? req->len : 0);
	return FL_DONE;
}

static const struct fl_engine old = {
	.abi_major = FL_ABI_MAJOR, .size = FL_ENGINE_SIZE_MIN, .name = "old_minor",
	.help = "a table that ends behind queue()", .caps = FL_CAP_NO_FILES, .queue = old_queue,
	.commit = (int (*)(struct fl_queue *))16, .counters = (void (*)(struct fl_queue *))16,
	.cancel = (int (*)(struct fl_queue *, struct fl_req *))16,
};

FL_ENGINE_EXPORT(&old);
