/* SPDX-License-Identifier: MIT */
/* Its close() does not free what its open() allocated. */
#include "honest.h"

static void leaks_close(struct fl_queue *q)
{
	q->priv = NULL;
}

BROKEN("leaks", "leaks memory", leaks_close, honest_queue, honest_complete);
