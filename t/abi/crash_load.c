/* SPDX-License-Identifier: MIT */
/* An engine whose library crashes as soon as it is loaded. */
#include <fio-like/engine.h>
#include <stdlib.h>

__attribute__((constructor)) static void crash(void)
{
	abort();
}

static int crash_queue(struct fl_queue *q, struct fl_req *req)
{
	(void)q;
	(void)req;
	return FL_DONE;
}

static const struct fl_engine crash_load = {
	FL_ENGINE_HEAD, .name = "crash_load", .help = "never seen alive", .queue = crash_queue,
};

FL_ENGINE_EXPORT(&crash_load);
