/* SPDX-License-Identifier: MIT */
/* Signals and the SIGBUS guard. */
#define _GNU_SOURCE 1
#include "t/test.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>

#include "os/clock.h"
#include "os/mapguard.h"
#include "os/sig.h"

enum { PAGE = 4096 };

TEST(stops_are_counted)
{
	sig_install();
	T_EQ(sig_stops(), 0);
	T_EQ(sig_stop_signal(), 0);
	raise(SIGINT);
	raise(SIGTERM);
	T_EQ(sig_stops(), 2);
	T_EQ(sig_stop_signal(), SIGTERM);
	T_TRUE(!sig_report_take());
	raise(SIGUSR1);
	T_TRUE(sig_report_take());
	T_TRUE(!sig_report_take());
	raise(SIGPIPE);
}

TEST(a_stop_interrupts_a_sleep)
{
	struct timespec start, end;
	pid_t parent = getpid(), pid;

	sig_install();
	pid = fork();
	if (pid == 0) {
		usleep(50000);
		kill(parent, SIGINT);
		_exit(0);
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	T_TRUE(clock_sleep_ns(5000000000) > 1000000000);
	clock_gettime(CLOCK_MONOTONIC, &end);
	T_TRUE(end.tv_sec - start.tv_sec < 4);
	T_EQ(sig_stops(), 1);
	waitpid(pid, NULL, 0);
}

TEST(workers_ignore_and_can_be_woken)
{
	int status, ready[2];
	char c;
	pid_t pid;

	sig_install();
	T_EQ(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		sig_worker();
		raise(SIGINT);
		raise(SIGTERM);
		raise(SIGUSR1);
		if (sig_stops())
			_exit(1);
		T_EQ(write(ready[1], "x", 1), 1);
		_exit(clock_sleep_ns(8000000000) > 0 ? 0 : 2);
	}
	T_EQ(read(ready[0], &c, 1), 1);
	do {
		usleep(10000);
		T_EQ(sig_wake(pid, pid), 0);
	} while (waitpid(pid, &status, WNOHANG) == 0);
	T_EQ(status, 0);
	T_EQ(sig_wake(pid, pid), -ESRCH);
}

TEST(defaults_for_exec)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		sigset_t before;

		sig_worker();
		sig_block(&before);
		sig_defaults();
		raise(SIGTERM);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	T_TRUE(WIFSIGNALED(status));
	T_EQ(WTERMSIG(status), SIGTERM);
}

TEST(dies_with_its_parent)
{
	int up[2];
	pid_t middle, leaf;
	char c;

	T_EQ(pipe(up), 0);
	middle = fork();
	if (middle == 0) {
		pid_t me = getpid();

		leaf = fork();
		if (leaf == 0) {
			if (sig_die_with_parent(me))
				_exit(1);
			T_EQ(write(up[1], "x", 1), 1);
			for (;;)
				pause();
		}
		for (;;)
			pause();
	}
	close(up[1]);
	T_EQ(read(up[0], &c, 1), 1);
	kill(middle, SIGKILL);
	waitpid(middle, NULL, 0);
	T_EQ(read(up[0], &c, 1), 0);	/* end of file: the leaf, the last writer, is gone */
}

TEST(a_parent_that_died_before)
{
	T_EQ(sig_die_with_parent(getppid()), 0);
	T_EQ(sig_die_with_parent(getppid() + 100000), -ESRCH);
}

TEST(block_and_restore)
{
	sigset_t before, now;

	sig_install();
	sig_block(&before);
	raise(SIGINT);
	T_EQ(sig_stops(), 0);
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	T_TRUE(sigismember(&now, SIGBUS) == 0 && sigismember(&now, SIGUSR1) == 1);
	sig_restore(&before);
	T_EQ(sig_stops(), 1);
}

/* A mapping of a file that has fewer bytes than the mapping has. */
static char *mapped(size_t map_bytes, size_t file_bytes)
{
	char name[] = "/tmp/os_sig.XXXXXX";
	int fd = mkstemp(name);
	char *p;

	T_TRUE(fd >= 0);
	unlink(name);
	T_EQ(ftruncate(fd, (off_t)map_bytes), 0);
	p = mmap(NULL, map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	T_TRUE(p != MAP_FAILED);
	memset(p, 'd', map_bytes);
	T_EQ(ftruncate(fd, (off_t)file_bytes), 0);
	close(fd);
	return p;
}

TEST(guard_counts_and_goes_on)
{
	static char copy[8 * PAGE];
	volatile uint32_t *faults = mapguard_faults();
	char *p = mapped(8 * PAGE, 3 * PAGE);
	int i;

	T_EQ(mapguard_install(), 0);
	T_EQ(mapguard_install(), 0);
	T_EQ(mapguard_add(p, 8 * PAGE), 0);
	T_EQ(*(volatile char *)p, 'd');
	T_EQ(*faults, 0);
	T_EQ(*(volatile char *)(p + 5 * PAGE + 7), 0);
	T_EQ(*faults, 1);

	/* A copy over the end of the file: pages 3, 4, 6, 7; page 5 is replaced already. */
	memcpy(copy, p, sizeof(copy));
	T_EQ(*faults, 5);
	for (i = 0; i < 8 * PAGE; i++)
		T_TRUE(copy[i] == (i < 3 * PAGE ? 'd' : 0));
	memset(p, 'w', 8 * PAGE);
	T_EQ(*faults, 5);
	mapguard_remove(p, 8 * PAGE);
}

TEST(guard_takes_writes)
{
	char *p = mapped(2 * PAGE, 0);

	mapguard_install();
	mapguard_add(p, 2 * PAGE);
	memset(p, 'w', 2 * PAGE);
	T_EQ(*mapguard_faults(), 2);
	mapguard_remove(p, 2 * PAGE);
}

static char *victim;

static void *other_thread(void *arg)
{
	(void)arg;
	*(volatile char *)victim;
	return NULL;
}

/* Run f in a child that dumps no core, and return the signal that ended it, or 0. */
static int signal_of(void (*f)(void))
{
	struct rlimit none = { 0, 0 };
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &none);
		signal(SIGBUS, SIG_DFL);	/* a sanitizer's handler would exit instead */
		mapguard_install();
		f();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void touch_unguarded(void)
{
	*(volatile char *)victim;
}

static void touch_removed(void)
{
	mapguard_add(victim, PAGE);
	mapguard_remove(victim, PAGE);
	*(volatile char *)victim;
}

static void touch_behind(void)
{
	mapguard_add(victim, PAGE);
	*(volatile char *)(victim + PAGE);
}

static void touch_from_other_thread(void)
{
	pthread_t t;

	mapguard_add(victim, PAGE);
	pthread_create(&t, NULL, other_thread, NULL);
	pthread_join(t, NULL);
}

static void sent_by_somebody(void)
{
	mapguard_add(victim, PAGE);
	raise(SIGBUS);
}

static void touch_guarded(void)
{
	mapguard_add(victim, PAGE);
	*(volatile char *)victim;
}

TEST(everything_else_still_kills)
{
	victim = mapped(2 * PAGE, 0);
	T_EQ(signal_of(touch_guarded), 0);
	T_EQ(signal_of(touch_unguarded), SIGBUS);
	T_EQ(signal_of(touch_removed), SIGBUS);
	T_EQ(signal_of(touch_behind), SIGBUS);
	if (!t_emulated())	/* valgrind loses faults of a forked process's second thread */
		T_EQ(signal_of(touch_from_other_thread), SIGBUS);
	T_EQ(signal_of(sent_by_somebody), SIGBUS);
}

TEST(many_ranges)
{
	enum { N = 1000 };
	char *p = mapped((size_t)N * PAGE, 0);
	int i;

	mapguard_install();
	for (i = 0; i < N; i++)
		T_EQ(mapguard_add(p + i * PAGE, PAGE), 0);
	for (i = 0; i < N; i += 3)
		mapguard_remove(p + i * PAGE, PAGE);
	for (i = 0; i < N; i += 3)
		T_EQ(mapguard_add(p + i * PAGE, PAGE), 0);
	for (i = N - 1; i >= 0; i--)
		*(volatile char *)(p + i * PAGE);
	T_EQ(*mapguard_faults(), N);
	for (i = 0; i < N; i++)
		mapguard_remove(p + i * PAGE, PAGE);
	mapguard_thread_end();
	T_EQ(mapguard_add(p, PAGE), 0);
	mapguard_remove(p, PAGE);
}

TEST(guard_is_cheap)
{
	char *p = mapped(PAGE, PAGE);
	uint64_t begin = clock_gettime_ns();
	int i;

	for (i = 0; i < 1000000; i++) {
		mapguard_add(p, PAGE);
		mapguard_remove(p, PAGE);
	}
	printf("# add and remove: %.1f ns\n", (double)(clock_gettime_ns() - begin) / 1e6);
}
