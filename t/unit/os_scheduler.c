/* SPDX-License-Identifier: MIT */
/* Schedulers of a disk, as sysfs words them. */
#include "t/test.h"

#include "os/scheduler.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define ROOT	"./root"

static void put(const char *text)
{
	FILE *f;

	T_EQ(system("mkdir -p " ROOT "/sys/dev/block/8:16/queue"), 0);
	f = fopen(ROOT "/sys/dev/block/8:16/queue/scheduler", "w");
	T_TRUE(f != NULL);
	fputs(text, f);
	fclose(f);
}

TEST(which_and_all)
{
	struct scheduler s;

	put("none [mq-deadline] kyber bfq \n");
	T_EQ(scheduler_look(ROOT, makedev(8, 16), &s), 0);
	T_STR(s.now, "mq-deadline");
	T_STR(s.all, "none, mq-deadline, kyber, bfq");
	put("[none]\n");
	T_EQ(scheduler_look(ROOT, makedev(8, 16), &s), 0);
	T_STR(s.now, "none");
	T_STR(s.all, "none");
}

TEST(nothing_to_choose)
{
	struct scheduler s;

	put("none\n");		/* of devices without a queue of requests */
	T_EQ(scheduler_look(ROOT, makedev(8, 16), &s), -ENOENT);
	T_EQ(scheduler_look(ROOT, makedev(8, 32), &s), -ENOENT);
}

TEST(what_was_not_taken)
{
	/* a plain file keeps what is written, without brackets: no scheduler of that name works */
	put("[none] bfq\n");
	T_TRUE(scheduler_set(ROOT, makedev(8, 16), "bfq") < 0);
	T_EQ(scheduler_set(ROOT, makedev(8, 32), "bfq"), -ENOENT);
}
