/* SPDX-License-Identifier: MIT */
/*
 * Running a command of the user's, and waiting for it.
 *
 * It goes through /bin/sh, in a process group of its own, with /dev/null as standard input and the
 * signals of a fresh program. What stops us stops it, with all that it has started; should we be
 * killed, the kernel ends it.
 */
#ifndef OS_COMMAND_H
#define OS_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * command_run - out: descriptor of its standard output and error. stop (may be NULL) is asked
 * whenever a signal interrupts the wait; from then on the command has a second to leave after a
 * SIGTERM, and is killed.
 *
 * Returns 0 with the wait status (as for waitpid(2)) in *status; -ECANCELED when it was stopped; or
 * another -errno when it could not be started. Any thread.
 */
int command_run(const char *command, int out, bool (*stop)(void *ctx), void *ctx, int *status);

/* A command that runs while we do something else. */
struct command_apart {
	pid_t pid;			/* of a child that runs it */
	struct command_told *told;	/* shared with it: what became of the command */
};

/*
 * command_apart - start it, and come back at once. Main thread; whoever waits for all children of
 * this process may do so meanwhile. Returns 0, then command_apart_end() must follow, or -errno.
 */
int command_apart(struct command_apart *c, const char *command, int out);

/*
 * command_apart_end - wait for it; stop, status and the value returned are as of command_run(); or
 * -ESRCH when it was killed together with the child that ran it.
 */
int command_apart_end(struct command_apart *c, bool (*stop)(void *ctx), void *ctx, int *status);

#endif
