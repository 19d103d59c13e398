/* SPDX-License-Identifier: MIT */
/* Crashes in close(), after it has used its queue. */
#include "honest.h"

static void crashes_close(struct fl_queue *q)
{
	honest_close(q);
	abort();
}

BROKEN("crashes", "crashes in close()", crashes_close, honest_queue, honest_complete);
