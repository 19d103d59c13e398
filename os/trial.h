/* SPDX-License-Identifier: MIT */
/*
 * Trying what may crash or hang, in a child process that is thrown away.
 *
 * Code from strangers (a plugin's constructors, its probe) and code under test run here first. The
 * child answers through a piece of shared memory; whatever becomes of it, the parent goes on.
 */
#ifndef OS_TRIAL_H
#define OS_TRIAL_H

#include <stddef.h>
#include <stdint.h>

/* How a trial ended. */
struct trial_end {
	int wstatus;		/* as waitpid(2) gives it; not set after -ETIMEDOUT */
	int value;		/* what fn returned, if it did */
};

/*
 * trial_run - call fn(ctx, answer) in a child and wait for its end, at most timeout_ms.
 *
 * answer: answer_bytes of memory that both sides see, zeroed at the start; a copy goes to the
 *         caller's answer, also when the child came to a bad end. At most 64 KiB.
 * In the child signals have their default action (SIGBUS stays as it was), no core is dumped,
 * standard input and output are /dev/null, and its process group is its own: the whole group is
 * killed at the end.
 * Returns 0 (fn returned; end->value), -ECHILD (it did not: crashed or exited; end->wstatus),
 * -ETIMEDOUT (killed), or another -errno if there could be no child.
 */
int trial_run(int (*fn)(void *ctx, void *answer), void *ctx, void *answer, size_t answer_bytes,
	      unsigned int timeout_ms, struct trial_end *end);

#endif
