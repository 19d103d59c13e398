/* SPDX-License-Identifier: MIT */
/*
 * Signals, reduced to counters that loops look at.
 *
 * Only the parent hears the user: the first SIGINT or SIGTERM asks it to end the run and report,
 * SIGUSR1 asks for an interim report. A ctrl-C at the terminal reaches the workers as well, so
 * they ignore these signals and are told by the parent through shared memory; a worker whose
 * parent dies is killed by the kernel. SIGUSR2 means nothing but "look up": it interrupts
 * whatever system call a worker sleeps in.
 */
#ifndef OS_SIG_H
#define OS_SIG_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * sig_install - handlers for the parent: SIGINT and SIGTERM are counted, SIGUSR1 is remembered,
 * SIGPIPE and SIGXFSZ are ignored (writes then fail with EPIPE and EFBIG). System calls are
 * interrupted (-EINTR), not restarted, so that a waiting loop notices. Call it once, before any
 * fork or thread.
 */
void sig_install(void);

/* sig_stops - how many SIGINT and SIGTERM came so far. The second usually means: now. */
int sig_stops(void);

/* sig_stop_signal - which of the two came last; 0 for none. */
int sig_stop_signal(void);

/* sig_report_take - whether a SIGUSR1 came since the last call. */
bool sig_report_take(void);

/*
 * sig_worker - a worker's signals, called first thing after the fork: SIGINT, SIGTERM, SIGUSR1,
 * SIGPIPE and SIGXFSZ are ignored, SIGUSR2 interrupts system calls, and nothing is blocked. Holds
 * for all its threads.
 */
void sig_worker(void);

/*
 * sig_wake - interrupt the system call that a worker's thread is in. Returns 0 or -errno (-ESRCH:
 * gone).
 */
int sig_wake(pid_t pid, pid_t tid);

/*
 * sig_defaults - everything back to how a program expects to be started: for the child between
 * fork and exec, because ignored and blocked signals would be inherited. Async-signal-safe.
 */
void sig_defaults(void);

/*
 * sig_die_with_parent - be killed by the kernel (SIGKILL) as soon as the thread that forked this
 * process is gone. parent is getpid() taken before the fork: should it have died before this
 * call, the kernel would never tell. Returns 0, or -ESRCH if the parent is dead already (leave at
 * once), or -errno.
 */
int sig_die_with_parent(pid_t parent);

/*
 * sig_block, sig_restore - keep all signals away from a thread, and back. A thread inherits the
 * mask of the one that starts it, so helper threads of the parent are started in between: signals
 * then go to the main thread, whose waiting they must interrupt. The synchronous ones (SIGSEGV,
 * SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP) stay open, or a crash would lose its handler.
 */
void sig_block(sigset_t *before);
void sig_restore(const sigset_t *before);

#endif
