/* SPDX-License-Identifier: MIT */
/* Signals, reduced to counters that loops look at. */
#define _GNU_SOURCE 1
#include "os/sig.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base.h"

/* Lock-free atomics are what a handler may touch besides sig_atomic_t, and they count exactly. */
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "signal handlers need lock-free counters");

static atomic_int stops;
static atomic_int stop_signal;
static atomic_int report_wanted;

static void on_stop(int sig)
{
	atomic_store(&stop_signal, sig);
	atomic_fetch_add(&stops, 1);
}

static void on_report(int sig)
{
	(void)sig;
	atomic_store(&report_wanted, 1);
}

static void on_wake(int sig)
{
	(void)sig;
}

static void handle(int sig, void (*handler)(int))
{
	struct sigaction a = { .sa_handler = handler };
	int err;

	sigemptyset(&a.sa_mask);
	err = sigaction(sig, &a, NULL);
	fl_assert(!err);
}

void sig_install(void)
{
	handle(SIGINT, on_stop);
	handle(SIGTERM, on_stop);
	handle(SIGUSR1, on_report);
	handle(SIGPIPE, SIG_IGN);
	handle(SIGXFSZ, SIG_IGN);
}

int sig_stops(void)
{
	return atomic_load(&stops);
}

int sig_stop_signal(void)
{
	return atomic_load(&stop_signal);
}

bool sig_report_take(void)
{
	return atomic_exchange(&report_wanted, 0);
}

void sig_worker(void)
{
	sigset_t none;

	handle(SIGINT, SIG_IGN);
	handle(SIGTERM, SIG_IGN);
	handle(SIGUSR1, SIG_IGN);
	handle(SIGPIPE, SIG_IGN);
	handle(SIGXFSZ, SIG_IGN);
	handle(SIGUSR2, on_wake);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

int sig_wake(pid_t pid, pid_t tid)
{
	return syscall(SYS_tgkill, pid, tid, SIGUSR2) < 0 ? -errno : 0;
}

void sig_defaults(void)
{
	static const int ours[] = { SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGPIPE, SIGXFSZ,
				    SIGBUS };
	sigset_t none;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ours); i++)
		handle(ours[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

int sig_die_with_parent(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		return -errno;
	return getppid() == parent ? 0 : -ESRCH;
}

void sig_block(sigset_t *before)
{
	static const int open[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP };
	sigset_t all;
	size_t i;

	sigfillset(&all);
	for (i = 0; i < ARRAY_SIZE(open); i++)
		sigdelset(&all, open[i]);
	pthread_sigmask(SIG_SETMASK, &all, before);
}

void sig_restore(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}
