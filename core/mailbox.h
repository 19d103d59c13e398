/* SPDX-License-Identifier: MIT */
/*
 * Requests that come home by themselves: posted by threads of some library, taken by the one thread
 * that owns the queue.
 *
 * A stack without locks that all posters push to and the owner empties in one exchange, so that
 * posting never waits for anybody. A slot has at most one request in flight, so the links are an
 * array by slot and nothing is allocated. The owner sleeps on the head of the stack (futex(2)).
 */
#ifndef CORE_MAILBOX_H
#define CORE_MAILBOX_H

#include "fio-like/engine.h"
#include "lib/base.h"

struct mailbox;

/* mailbox_new - for requests of slots 0 .. depth - 1. NULL: out of memory. */
struct mailbox *mailbox_new(uint32_t depth);
/* mailbox_free - nobody may post any more; what was not taken is dropped. NULL is fine. */
void mailbox_free(struct mailbox *m);

/* mailbox_post - any thread. Asserts that the slot has not been posted already. */
void mailbox_post(struct mailbox *m, struct fl_req *req);

/*
 * mailbox_take - up to max posted requests, oldest first, into done. Owner's thread.
 * Waits for min of them, at most timeout_ns (0: not at all, below 0: no limit) or until a signal.
 * Returns how many.
 */
int mailbox_take(struct mailbox *m, uint32_t min, uint32_t max, int64_t timeout_ns,
		 struct fl_req **done);

#endif
