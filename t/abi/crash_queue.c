/* SPDX-License-Identifier: MIT */
/* An engine that loads well and crashes at its first I/O. */
#include <fio-like/engine.h>
#include <stdlib.h>

static int crash_queue_queue(struct fl_queue *q, struct fl_req *req)
{
	(void)q;
	(void)req;
	abort();
}

static const struct fl_engine crash_queue = {
	FL_ENGINE_HEAD, .name = "crash_queue", .help = "crashes in queue()",
	.caps = FL_CAP_NO_FILES, .queue = crash_queue_queue,
};

FL_ENGINE_EXPORT(&crash_queue);
