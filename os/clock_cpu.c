/* SPDX-License-Identifier: MIT */
/* The process that tells the time. */
#define _GNU_SOURCE 1
#include "os/clock_cpu.h"
#include "os/clock.h"
#include "os/cpu.h"
#include "os/sys.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define STALE_NS	2000000000u
#define LINE		64

static struct {
	struct told {
		uint64_t now;
		uint32_t end;		/* enough is told */
	} *told;			/* shared, alone in its cache line */
	pid_t pid;			/* 0: there is none */
	int cpu;
	uint64_t seen, seen_ns;		/* what clock_cpu_check() saw change last, and when */
} teller = { .cpu = -1 };

static void tell(unsigned cpu, pid_t parent, struct told *told)
{
	struct cpus one;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	cpu_name("fio-like-clock");
	memset(&one, 0, sizeof(one));
	cpus_add(&one, cpu);
	if (getppid() != parent || cpus_apply(&one))
		_exit(1);
	while (!__atomic_load_n(&told->end, __ATOMIC_RELAXED)) {
		__atomic_store_n(&told->now, clock_gettime_ns(), __ATOMIC_RELEASE);
		cpu_relax();
	}
	_exit(0);
}

/* Wait until it has told the time, or has gone. Returns 0 or -EINVAL. */
static int wait_for_it(void)
{
	while (!__atomic_load_n(&teller.told->now, __ATOMIC_ACQUIRE)) {
		if (waitpid(teller.pid, NULL, WNOHANG) == teller.pid) {
			teller.pid = 0;
			return -EINVAL;
		}
		clock_sleep_ns(100000);
	}
	return 0;
}

int clock_cpu_start(unsigned cpu, const uint64_t **now)
{
	pid_t parent = getpid();
	struct cpus mine;
	int err = cpus_allowed(&mine);

	if (err < 0)
		return err;
	if (cpu < CPUS_MAX)
		cpus_drop(&mine, cpu);
	if (!cpus_count(&mine))
		return -EBUSY;
	teller.told = mmap(NULL, LINE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (teller.told == MAP_FAILED)
		return -errno;
	teller.pid = fork();
	if (!teller.pid)
		tell(cpu, parent, teller.told);
	if (teller.pid < 0) {
		teller.pid = 0;
		return -errno;
	}
	err = wait_for_it();
	if (!err)
		err = cpus_apply(&mine);
	if (err) {
		clock_cpu_stop();
		return err;
	}
	teller.cpu = (int)cpu;
	teller.seen = 0;
	*now = &teller.told->now;
	return 0;
}

void clock_cpu_check(void)
{
	uint64_t now, real;

	if (!teller.pid)
		return;
	now = __atomic_load_n(&teller.told->now, __ATOMIC_ACQUIRE);
	real = clock_gettime_ns();
	if (now != teller.seen) {
		teller.seen = now;
		teller.seen_ns = real;
	} else if (now && real - teller.seen_ns > STALE_NS) {
		/* Should it have told the time just now, the next time it does comes at once. */
		__atomic_store_n(&teller.told->now, 0, __ATOMIC_RELEASE);
	}
}

int clock_cpu_number(void)
{
	return teller.cpu;
}

void clock_cpu_stop(void)
{
	if (!teller.pid)
		return;
	__atomic_store_n(&teller.told->end, 1, __ATOMIC_RELAXED);
	sys_reap(teller.pid);
	__atomic_store_n(&teller.told->now, 0, __ATOMIC_RELEASE);
	teller.pid = 0;
	teller.cpu = -1;
}
