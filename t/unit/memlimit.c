/* SPDX-License-Identifier: MIT */
/* Shares of memory_limit, and the child that cleans up behind its parent. */
#define _GNU_SOURCE 1
#include "t/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "core/memlimit.h"
#include "os/keeper.h"

#define MIB	(UINT64_C(1) << 20)

static char why[256];

static uint64_t settled(uint64_t limit, double percent)
{
	const struct memlimit_conf c = { .bytes = limit };
	struct amount a = { .memory = percent };

	why[0] = '\0';
	if (memlimit_settle(&c, "size", &a, why, sizeof(why)))
		return 0;
	T_NEAR(a.memory, 0, 0);
	T_NEAR(a.percent, 0, 0);
	return a.bytes;
}

TEST(shares)
{
	const struct memlimit_conf none = { 0 };
	struct amount a = { .bytes = 77 };

	T_EQ(settled(256 * MIB, 400), 1024 * MIB);
	T_EQ(settled(256 * MIB, 33), 84 * MIB);
	T_EQ(settled(256 * MIB, 100), 256 * MIB);
	T_EQ(settled(16 * MIB, 1), 163840 - 163840 % 4096);
	T_EQ(settled(4 * MIB, 0.01), 0);
	T_TRUE(strstr(why, "size=0.01%mem of memory_limit=4194304 is less than a block") != NULL);
	T_EQ(settled(256 * MIB, 1e17), 0);
	T_TRUE(strstr(why, "more than a file can hold") != NULL);
	T_EQ(settled(0, 33), 0);
	T_TRUE(strstr(why, "there is no memory_limit to take it of") != NULL);
	T_EQ(memlimit_settle(&none, "size", &a, why, sizeof(why)), 0);
	T_EQ(a.bytes, 77);
}

/* Shared with the keeper: how often it has cleaned. */
static int *cleaned;

static int clean(void *ctx)
{
	++*cleaned;
	/* Nothing of the parent's is open, and standard output leads nowhere. */
	if (fcntl(*(int *)ctx, F_GETFD) >= 0 || write(1, "x", 1) != 1)
		*cleaned = 1000;
	return -EBUSY;
}

static void prepare(void)
{
	cleaned = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	T_TRUE(cleaned != MAP_FAILED);
}

TEST(a_keeper_that_is_told)
{
	int fd = open("/dev/null", O_RDONLY);
	struct keeper k;

	prepare();
	T_EQ(keeper_start(&k, clean, &fd), 0);
	T_TRUE(k.pid > 0);
	T_EQ(kill(k.pid, SIGINT), 0);
	T_EQ(kill(k.pid, SIGTERM), 0);
	T_EQ(kill(k.pid, SIGHUP), 0);
	T_EQ(*cleaned, 0);
	T_EQ(keeper_finish(&k), -EBUSY);
	T_EQ(*cleaned, 1);
	T_EQ(keeper_finish(&k), -ESRCH);
	T_EQ(fcntl(fd, F_GETFD), 0);
	close(fd);
}

TEST(a_keeper_whose_parent_is_killed)
{
	pid_t pid;
	int fd = open("/dev/null", O_RDONLY), status;

	prepare();
	pid = fork();
	if (!pid) {
		struct keeper k;

		if (keeper_start(&k, clean, &fd))
			_exit(1);
		kill(getpid(), SIGKILL);
		_exit(1);
	}
	T_EQ(waitpid(pid, &status, 0), pid);
	T_TRUE(WIFSIGNALED(status));
	for (int i = 0; i < 500 && !*(volatile int *)cleaned; i++)
		usleep(10000);
	T_EQ(*cleaned, 1);
	close(fd);
}

TEST(a_keeper_that_was_killed)
{
	struct keeper k;
	int fd = -1;

	prepare();
	T_EQ(keeper_start(&k, clean, &fd), 0);
	T_EQ(kill(k.pid, SIGKILL), 0);
	usleep(50000);
	T_EQ(keeper_finish(&k), -ESRCH);
	T_EQ(*cleaned, 0);
}
