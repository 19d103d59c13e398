#include "fio-like/engine.h"

static int tiny_queue(struct fl_queue *q, struct fl_req *req)
{
	(void)q;
	req->res = (int64_t)req->len;
	return FL_DONE;
}


static const struct fl_engine tiny = { FL_ENGINE_HEAD, .name = "tiny", .queue = tiny_queue };

FL_ENGINE_EXPORT(&tiny);
