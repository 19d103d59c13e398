/* SPDX-License-Identifier: MIT */
/* Which errors end a job: the lists of ignore_error, continue_on_error, limits of latency. */
#include "core/faults.h"
#include "fio-like/engine.h"
#include "t/test.h"

static struct faults_conf conf;
static char why[512];

static int set(const char *name, const char *value)
{
	const struct opt_units units = { .kb_base = 1024 };
	int i = opt_find(&faults_options, name);
	struct fl_opt row;

	T_TRUE(i >= 0);
	opt_row(&faults_options, (size_t)i, &row);
	why[0] = '\0';
	return opt_set(&row, &conf, value, &units, why, sizeof(why));
}

static int only(const char *name, const char *value)
{
	opt_defaults(&faults_options, &conf, sizeof(conf));
	return set(name, value);
}

static void refuses(const char *name, const char *value, const char *word)
{
	T_TRUE(only(name, value) < 0);
	if (!strstr(why, word))
		T_FAIL("%s=%s: no '%s' in: %s", name, value, word, why);
}

TEST(the_first_error_ends_the_job)
{
	opt_defaults(&faults_options, &conf, sizeof(conf));
	T_TRUE(faults_fatal(&conf, FL_OP_READ, EIO));
	T_TRUE(faults_fatal(&conf, FL_OP_WRITE, ENOSPC));
	T_TRUE(!faults_go_on(&conf));
	T_TRUE(!faults_any_limit(&conf));
	T_EQ(conf.dump, 1);
}

TEST(continue_on_error)
{
	static const struct {
		const char *value;
		bool read, write, sync;
	} cases[] = {
		{ "none", 0, 0, 0 }, { "read", 1, 0, 0 }, { "write", 0, 1, 1 }, { "io", 1, 1, 1 },
		{ "verify", 0, 0, 0 }, { "all", 1, 1, 1 }, { "0", 0, 0, 0 }, { "1", 1, 1, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		T_TRUE(only("continue_on_error", cases[i].value) >= 0);
		T_EQ(!faults_fatal(&conf, FL_OP_READ, EIO), cases[i].read);
		T_EQ(!faults_fatal(&conf, FL_OP_WRITE, EIO), cases[i].write);
		T_EQ(!faults_fatal(&conf, FL_OP_TRIM, EIO), cases[i].write);
		T_EQ(!faults_fatal(&conf, FL_OP_SYNC, EIO), cases[i].sync);
		/* Only EIO and EILSEQ are of the device. */
		T_TRUE(faults_fatal(&conf, FL_OP_WRITE, ENOSPC));
		T_TRUE(faults_fatal(&conf, FL_OP_READ, EBADF));
	}
	refuses("continue_on_error", "raed", "read");
}

TEST(ignored_errors)
{
	T_TRUE(only("ignore_error", "EAGAIN,ENOSPC:122,EILSEQ") >= 0);
	T_TRUE(faults_go_on(&conf));
	T_TRUE(!faults_fatal(&conf, FL_OP_READ, EAGAIN));
	T_TRUE(faults_fatal(&conf, FL_OP_READ, ENOSPC));
	T_TRUE(!faults_fatal(&conf, FL_OP_WRITE, ENOSPC));
	T_TRUE(!faults_fatal(&conf, FL_OP_WRITE, EDQUOT));
	T_TRUE(faults_fatal(&conf, FL_OP_WRITE, EAGAIN));
	T_EQ(conf.ignored.count[2], 1);
	T_EQ(conf.ignored.err[2][0], EILSEQ);
}

TEST(ignored_errors_replace_those_of_continue_on_error)
{
	T_TRUE(only("continue_on_error", "all") >= 0);
	T_TRUE(set("ignore_error", ",ENOSPC") >= 0);
	T_TRUE(faults_fatal(&conf, FL_OP_WRITE, EIO));
	T_TRUE(!faults_fatal(&conf, FL_OP_WRITE, ENOSPC));
	T_TRUE(!faults_fatal(&conf, FL_OP_READ, EIO));
}

TEST(lists_of_errors)
{
	T_TRUE(only("ignore_error", "5") >= 0);
	T_EQ(conf.ignored.err[0][0], 5);
	T_TRUE(only("ignore_error", ",,EIO") >= 0);
	T_EQ(conf.ignored.count[0] + conf.ignored.count[1], 0);
	T_EQ(conf.ignored.err[2][0], EIO);
	T_TRUE(only("ignore_error", "1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16") >= 0);
	T_EQ(conf.ignored.count[0], 16);
	refuses("ignore_error", "1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17", "more than 16");
	refuses("ignore_error", "ENOSUCH", "'ENOSUCH' is no errno");
	refuses("ignore_error", "eio", "is no errno");
	refuses("ignore_error", "0", "is no errno");
	refuses("ignore_error", "-5", "is no errno");
	refuses("ignore_error", "5000", "is no errno");
	refuses("ignore_error", "EIO:", "is no errno");
	refuses("ignore_error", "EIO,EIO,EIO,EIO", "more than three");
}

TEST(limits)
{
	T_TRUE(only("max_latency", "10ms") >= 0);
	T_TRUE(faults_any_limit(&conf));
	T_EQ(conf.max_latency_ns.v[DIR_TRIM], 10000000);
	T_TRUE(only("max_latency", "500,2ms") >= 0);
	T_EQ(conf.max_latency_ns.v[DIR_READ], 500000);
	T_EQ(conf.max_latency_ns.v[DIR_WRITE], 2000000);
	T_TRUE(only("max_latency", ",,1s") >= 0);
	T_EQ(conf.max_latency_ns.v[DIR_READ], 0);
	T_EQ(conf.max_latency_ns.v[DIR_TRIM], 1000000000);
	T_TRUE(faults_any_limit(&conf));
	refuses("max_latency", "soon", "give a time");
	refuses("max_latency", "-1", "");
	refuses("max_latency", "1,2,3,4", "");
}
