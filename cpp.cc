#include "fio-like/engine.h"

static int tiny_queue(struct fl_queue *q, struct fl_req *req)
{
	(void)q;
	req->res = (int64_t)req->len;
	return FL_DONE;
}

static struct fl_engine tiny_make(void)
{
	struct fl_engine e = { };

	e.abi_major = FL_ABI_MAJOR;
	e.size = sizeof(e);
	e.name = "tiny";
	e.queue = tiny_queue;
	return e;
}

static const struct fl_engine tiny = tiny_make();

FL_ENGINE_EXPORT(&tiny);
