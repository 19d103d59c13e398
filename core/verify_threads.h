/* SPDX-License-Identifier: MIT */
/*
 * verify_async: threads beside the worker's that judge what it has read.
 *
 * A read that has come back is handed over as a task, with its buffer and with the marks that said
 * at that moment what must be in it, so that the threads never look at what the worker goes on
 * changing. The slot of the I/O stays with the task until its verdict has been taken back: there
 * are some slots more than iodepth, so that the device has not to wait for the threads.
 *
 * Tasks go to the threads through a ring with one writer, verdicts come back on a list with one
 * reader; two semaphores count them, and nobody takes a lock.
 */
#ifndef CORE_VERIFY_THREADS_H
#define CORE_VERIFY_THREADS_H

#include "core/checker.h"
#include "os/usage.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

/* One for each slot of the queue. */
struct verify_task {
	struct checker_read read;
	uint32_t slot;
	uint32_t *marks;		/* room for those of the largest I/O */
	/* the verdict */
	int err;			/* of checker_check() */
	uint64_t blocks, wrong;
	char *why;			/* CHECKER_TEXT_BYTES; if err */
	struct verify_task *next;
};

struct verify_threads_setup {
	struct checker_setup checker;
	uint32_t count;			/* of threads */
	const struct cpus *cpus;	/* they may run on; NULL: those of the worker */
	uint32_t slots;
	uint64_t units_max;		/* blocks of the largest I/O */
	const _Atomic uint32_t *epoch;	/* counting begins anew when it changes */
};

struct verify_threads;

/*
 * verify_threads_start - on the worker's thread. Returns NULL with *err -errno, and a sentence in
 * why.
 */
struct verify_threads *verify_threads_start(const struct verify_threads_setup *s, int *err,
					    char *why, size_t why_bytes);

/*
 * verify_threads_stop - end them. All verdicts have been taken. cost: what they cost together since
 * counting began.
 */
void verify_threads_stop(struct verify_threads *t, struct usage *cost);

/* verify_threads_task - that of a slot, to be filled in (read, marks) and handed over. */
struct verify_task *verify_threads_task(struct verify_threads *t, uint32_t slot);

/* verify_threads_give - hand it over. Nobody touches its slot and buffer until it is taken back. */
void verify_threads_give(struct verify_threads *t, struct verify_task *task);

/*
 * verify_threads_take - a verdict. Returns NULL if there is none: none yet, or, with wait, none to
 * come.
 */
struct verify_task *verify_threads_take(struct verify_threads *t, bool wait);

#endif
