/* SPDX-License-Identifier: MIT */
/* What is proposed for a mistyped name, and that nothing is proposed for a strange one. */
#include "t/test.h"

#include "lib/nearest.h"

static const char *const known[] = {
	"rw", "bs", "iodepth", "numjobs", "runtime", "size", "direct", "blocksize_unaligned",
	"write_bw_log", "write_lat_log", "ioengine", "randrepeat", NULL, "rate", "rate_iops",
};

static const char *get(void *ctx, size_t i)
{
	return ((const char *const *)ctx)[i];
}

static const char *near(const char *given)
{
	return nearest_name(given, get, sizeof(known) / sizeof(known[0]), (void *)known);
}

TEST(typing_errors)
{
	T_STR(near("iodpeth"), "iodepth");
	T_STR(near("iodept"), "iodepth");
	T_STR(near("iodepthh"), "iodepth");
	T_STR(near("iodeptj"), "iodepth");
	T_STR(near("dierct"), "direct");
	T_STR(near("nmjbs"), "numjobs");
	T_STR(near("siez"), "size");
	T_STR(near("ratee"), "rate");
}

TEST(case_and_dashes)
{
	T_STR(near("BS"), "bs");
	T_STR(near("write-bw-log"), "write_bw_log");
	T_STR(near("Write-Lat-Log"), "write_lat_log");
	T_STR(near("rate-iops"), "rate_iops");
}

TEST(nothing_near)
{
	char longer[200];

	T_STR(near(""), NULL);
	T_STR(near("x"), NULL);
	T_STR(near("qq"), NULL);
	T_STR(near("foo"), NULL);
	T_STR(near("banana"), NULL);
	T_STR(near("completely_different"), NULL);
	memset(longer, 'b', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	T_STR(near(longer), NULL);
	T_STR(nearest_name("bs", get, 0, NULL), NULL);
}

TEST(first_of_equals_wins)
{
	static const char *const two[] = { "abce", "abcf" };
	static const char *const longest[] = {
		"abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabc",
	};

	T_STR(nearest_name("abcd", get, 2, (void *)two), "abce");
	T_STR(nearest_name("abcf", get, 2, (void *)two), "abcf");
	T_STR(nearest_name("abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijacb", get,
			   1, (void *)longest), longest[0]);
}
