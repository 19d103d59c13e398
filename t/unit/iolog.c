/* SPDX-License-Identifier: MIT */
/* Lines of iologs: what is taken, what is refused and where, and that what is written is read. */
#include "t/test.h"

#include "lib/iolog.h"

#include <inttypes.h>

/* The line as one text, "read NAME 4096 512 @7". */
static const char *parsed(const char *text, int version)
{
	static char shown[512];
	struct iolog_line l;
	struct parse_err err;
	int ret = iolog_parse(span_of(text), version, &l, &err);

	if (!ret)
		return "nothing";
	if (ret < 0)
		snprintf(shown, sizeof(shown), "%d: %s", err.col, err.text);
	else
		snprintf(shown, sizeof(shown), "%s '%.*s' %" PRIu64 " %" PRIu64 " @%" PRIu64,
			 iolog_action_name(l.action), (int)l.name.len, l.name.at, l.offset, l.len,
			 l.time_us);
	return shown;
}

TEST(versions)
{
	T_EQ(iolog_version(span_of("fio version 2 iolog")), 2);
	T_EQ(iolog_version(span_of("fio version 3 iolog\r")), 3);
	T_EQ(iolog_version(span_of("fio version 4 iolog")), 0);
	T_EQ(iolog_version(span_of("0,0,4096")), 0);
	T_EQ(iolog_version(span_of("")), 0);
}

TEST(lines_of_version_3)
{
	T_STR(parsed("36 a.0.0 add", 3), "add 'a.0.0' 0 0 @36");
	T_STR(parsed("187 a.0.0 open", 3), "open 'a.0.0' 0 0 @187");
	T_STR(parsed("192 /dev/sda read 8192 4096", 3), "read '/dev/sda' 8192 4096 @192");
	T_STR(parsed(" 1 f  write\t0 512 \r", 3), "write 'f' 0 512 @1");
	T_STR(parsed("1 f trim 0 1", 3), "trim 'f' 0 1 @1");
	T_STR(parsed("1 f sync 0 0", 3), "sync 'f' 0 0 @1");
	T_STR(parsed("1 f datasync 4096 0", 3), "datasync 'f' 4096 0 @1");
	T_STR(parsed("1 f sync_file_range 4096 8192", 3), "sync_file_range 'f' 4096 8192 @1");
	T_STR(parsed("2 f close", 3), "close 'f' 0 0 @2");
	T_STR(parsed("", 3), "nothing");
	T_STR(parsed(" \t\r", 3), "nothing");
	T_STR(parsed("fio version 3 iolog", 3), "nothing");
}

TEST(lines_of_version_2)
{
	T_STR(parsed("f add", 2), "add 'f' 0 0 @0");
	T_STR(parsed("f wait 1500 0", 2), "wait 'f' 1500 0 @0");
	T_STR(parsed("7 read 0 4096", 2), "read '7' 0 4096 @0");
}

TEST(names_may_hold_blanks)
{
	T_STR(parsed("5 my own file read 0 1", 3), "read 'my own file' 0 1 @5");
	T_STR(parsed("5 7 add add", 3), "add '7 add' 0 0 @5");
	T_STR(parsed("a read 0 4 write 8 2", 2), "write 'a read 0 4' 8 2 @0");
}

TEST(bounds)
{
	T_STR(parsed("9223372036854775807 f read 0 9223372036854775807", 3),
	      "read 'f' 0 9223372036854775807 @9223372036854775807");
	T_STR(parsed("0 f read 1 9223372036854775807", 3),
	      "0: offset and length end beyond the largest file");
	T_TRUE(strstr(parsed("9223372036854775808 f add", 3), "0: '9223372036854775808' is no"));
	T_TRUE(strstr(parsed("0 f read 0 99999999999999999999", 3), "11: '9999"));
}

TEST(refusals_say_what_was_expected)
{
	T_TRUE(strstr(parsed("f read 0 4096", 3), "0: 'f' is no time stamp"));
	T_TRUE(strstr(parsed("0 f raed 0 4096", 3), "4: 'raed' is no action"));
	T_TRUE(strstr(parsed("0 f raed 0 4096", 3), "did you mean read?"));
	T_TRUE(strstr(parsed("0 f opne", 3), "expected is TIME FILE add|open|close"));
	T_TRUE(strstr(parsed("0 long name opne", 3), "12: 'opne' is no action"));
	T_TRUE(strstr(parsed("0 f read 4k 4096", 3), "9: '4k' is no offset"));
	T_TRUE(strstr(parsed("0 f read 0 -1", 3), "'-1' is no"));
	T_TRUE(strstr(parsed("0 f read 0 0", 3), "length of 0"));
	T_TRUE(strstr(parsed("0 f wait 100 0", 3), "version 2"));
	T_TRUE(strstr(parsed("0 read 0 4096", 3), "file name is expected before 'read'"));
	T_TRUE(strstr(parsed("0 add", 3), "file name is expected"));
	T_TRUE(strstr(parsed("0", 3), "expected is TIME FILE"));
}

TEST(what_is_written_is_read)
{
	char text[256];

	for (unsigned a = 0; a < IOLOG_ACTIONS; a++) {
		struct iolog_line l = {
			.action = a, .name = span_of("dir/name 1"), .time_us = 123456789,
			.offset = a < IOLOG_ADD ? 1ull << 40 : 0, .len = a < IOLOG_ADD ? 4096 : 0,
		}, back;
		char *end = iolog_put(text, &l);
		struct span line = { text, (size_t)(end - text) - 1 };

		T_EQ(end[-1], '\n');
		if (a == IOLOG_WAIT)
			continue;
		T_EQ(iolog_parse(line, 3, &back, NULL), 1);
		T_EQ(back.action, l.action);
		T_EQ(back.time_us, l.time_us);
		T_EQ(back.offset, l.offset);
		T_EQ(back.len, l.len);
		T_EQ(back.name.len, l.name.len);
	}
}
