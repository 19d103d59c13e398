/* SPDX-License-Identifier: MIT */
/* Helping threads: a thread inherits the signal mask of the one that starts it. */
#include "os/thread.h"

#include "gen/config.h"
#include "os/sig.h"

#ifdef CONFIG_TSAN
#include <sys/mman.h>

/*
 * Workers are forked while the writer of the logs runs, and have threads of their own: a generator
 * of arrivals, those of thread=1. ThreadSanitizer would end such a process; this way it looks at
 * all of its threads but the first.
 */
const char *__tsan_default_options(void);

__attribute__((visibility("default")))
const char *__tsan_default_options(void)
{
	return "die_after_fork=0";
}

/*
 * A forked process makes its threads on the stacks of those that it does not have, which to the
 * sanitizer would be the same threads twice. So a stack is memory that nobody gives back. Half of
 * it is for what the sanitizer keeps about a thread.
 */
static void keep_stack(pthread_attr_t *attr)
{
	size_t bytes = 2 << 20;
	void *stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (stack != MAP_FAILED)
		pthread_attr_setstack(attr, stack, bytes);
}
#else
static void keep_stack(pthread_attr_t *attr)
{
	(void)attr;
}
#endif

int thread_start_helper(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	pthread_attr_t attr;
	sigset_t before;
	int err;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, THREAD_STACK_BYTES);
	keep_stack(&attr);
	sig_block(&before);
	err = pthread_create(thread, &attr, run, arg);
	sig_restore(&before);
	pthread_attr_destroy(&attr);
	return -err;
}
