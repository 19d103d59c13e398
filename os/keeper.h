/* SPDX-License-Identifier: MIT */
/*
 * Something is put back in order when this process ends, however it ends.
 *
 * A child waits, deaf to the signals of the terminal, until it is told or its parent has died, be
 * it by SIGKILL; then it calls a function and leaves. One way for the good end and the bad one, so
 * that the bad one is known to work.
 */
#ifndef OS_KEEPER_H
#define OS_KEEPER_H

#include <sys/types.h>

struct keeper {
	pid_t pid;			/* of the child; 0: there is none */
};

/*
 * keeper_start - fork the child. To be called on the main thread, while there is no other, and
 * before anything large is allocated. clean() runs in the child: it has ctx as of now, its standard
 * streams are /dev/null, no other descriptor is open. Returns 0 or -errno.
 */
int keeper_start(struct keeper *k, int (*clean)(void *ctx), void *ctx);

/*
 * keeper_finish - let it clean up, and wait for it. Returns what clean() returned (0 or -errno, at
 * least -255), or -ESRCH if the child was gone before: then nobody has cleaned up.
 */
int keeper_finish(struct keeper *k);

#endif
