/* SPDX-License-Identifier: MIT */
/* Helping threads: a thread inherits the signal mask of the one that starts it. */
#include "os/thread.h"

#include "os/sig.h"

int thread_start_helper(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	pthread_attr_t attr;
	sigset_t before;
	int err;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, THREAD_STACK_BYTES);
	sig_block(&before);
	err = pthread_create(thread, &attr, run, arg);
	sig_restore(&before);
	pthread_attr_destroy(&attr);
	return -err;
}
