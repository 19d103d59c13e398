/* SPDX-License-Identifier: MIT */
/*
 * Threads that help a worker or the parent: small, and deaf to signals, which are meant for the
 * thread they help.
 */
#ifndef OS_THREAD_H
#define OS_THREAD_H

#include <pthread.h>

/* What a thread gets as its stack: with ten thousand of them, the usual 8 MiB would not do. */
#define THREAD_STACK_BYTES	(256u << 10)

/*
 * thread_start_helper - run(arg) in a new thread with a stack of THREAD_STACK_BYTES, in which
 * every signal is blocked. The caller joins it. Returns 0, or -errno (-EAGAIN: a limit on threads
 * or memory) with *thread not to be used.
 */
int thread_start_helper(pthread_t *thread, void *(*run)(void *arg), void *arg);

#endif
