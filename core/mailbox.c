/* SPDX-License-Identifier: MIT */
/* A stack with many pushers and one owner, and the owner's sleep. */
#define _GNU_SOURCE
#include "core/mailbox.h"

#include "os/clock.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NOBODY	0u	/* end of the stack: links hold slot + 1 */

struct mailbox {
	_Atomic uint32_t head;		/* newest posted, slot + 1 */
	_Atomic uint32_t sleeping;	/* the owner waits for head to change */
	uint32_t depth;
	uint32_t ready;			/* the owner's own: oldest taken off the stack, slot + 1 */
	uint32_t ready_last;
	_Atomic(struct fl_req *) *posted;	/* by slot; NULL: not posted */
	uint32_t *next;			/* by slot: its neighbour, slot + 1 */
};

struct mailbox *mailbox_new(uint32_t depth)
{
	struct mailbox *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->depth = depth;
	m->posted = calloc(depth, sizeof(*m->posted));
	m->next = calloc(depth, sizeof(*m->next));
	if (!m->posted || !m->next) {
		mailbox_free(m);
		return NULL;
	}
	return m;
}

void mailbox_free(struct mailbox *m)
{
	if (!m)
		return;
	free(m->posted);
	free(m->next);
	free(m);
}

static void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* Returns 0 or -errno; -EAGAIN if *word was not value any more. */
static int futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t timeout_ns)
{
	struct timespec ts = { timeout_ns / 1000000000, timeout_ns % 1000000000 };

	if (syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, timeout_ns < 0 ? NULL : &ts, NULL,
		    0) < 0)
		return -errno;
	return 0;
}

/*
 * The push is sequentially consistent, as is the owner's pair of "I sleep" and "is it still
 * empty?": one of the two sees the other.
 */
void mailbox_post(struct mailbox *m, struct fl_req *req)
{
	uint32_t me = req->slot + 1, head;

	fl_assert(req->slot < m->depth);
	fl_assert(!atomic_exchange(&m->posted[req->slot], req));
	head = atomic_load(&m->head);
	do {
		m->next[req->slot] = head;
	} while (!atomic_compare_exchange_weak(&m->head, &head, me));
	if (head == NOBODY && atomic_load(&m->sleeping))
		futex_wake(&m->head);
}

/* Takes all off the stack, which is newest first, and adds it to ready, oldest first. */
static void collect(struct mailbox *m)
{
	uint32_t at = atomic_exchange(&m->head, NOBODY), last = at, first = NOBODY;

	if (at == NOBODY)
		return;
	while (at != NOBODY) {
		uint32_t older = m->next[at - 1];

		m->next[at - 1] = first;
		first = at;
		at = older;
	}
	if (m->ready == NOBODY)
		m->ready = first;
	else
		m->next[m->ready_last - 1] = first;
	m->ready_last = last;
}

static uint32_t hand_out(struct mailbox *m, uint32_t max, struct fl_req **done)
{
	uint32_t n = 0;

	while (n < max && m->ready != NOBODY) {
		uint32_t slot = m->ready - 1;

		m->ready = m->next[slot];
		done[n++] = atomic_exchange(&m->posted[slot], NULL);
	}
	return n;
}

/* Sleeps until something is posted. Returns false after the time, or a signal. */
static bool sleep_until_posted(struct mailbox *m, int64_t left_ns)
{
	int err = 0;

	atomic_store(&m->sleeping, 1);
	while (!err && atomic_load(&m->head) == NOBODY)
		err = futex_wait(&m->head, NOBODY, left_ns);
	atomic_store(&m->sleeping, 0);
	return err != -ETIMEDOUT && err != -EINTR;
}

int mailbox_take(struct mailbox *m, uint32_t min, uint32_t max, int64_t timeout_ns,
		 struct fl_req **done)
{
	uint64_t start_ns = timeout_ns > 0 ? clock_gettime_ns() : 0;
	uint32_t n = 0;

	if (min > max)
		min = max;
	for (;;) {
		int64_t left_ns = timeout_ns;

		if (m->ready == NOBODY)
			collect(m);
		n += hand_out(m, max - n, done + n);
		if (n >= min || !timeout_ns) {
			if (n == max || m->ready != NOBODY)
				return (int)n;
			collect(m);
			return (int)(n + hand_out(m, max - n, done + n));
		}
		if (timeout_ns > 0) {
			left_ns -= (int64_t)(clock_gettime_ns() - start_ns);
			if (left_ns <= 0)
				return (int)n;
		}
		if (!sleep_until_posted(m, left_ns))
			return (int)n;
	}
}
