/* SPDX-License-Identifier: MIT */
/* Keys are whole beginnings of lines, and what separates them from their value is told. */
#include "lib/keyline.h"
#include "t/test.h"

TEST(the_text_behind_a_key)
{
	T_STR(keyline_find("a: 1\nab\t:  two\nc: 3", "ab", ':'), "two\nc: 3");
	T_STR(keyline_find("a 1\nab 2", "ab", ' '), "2");
	T_STR(keyline_find("a:\n", "a", ':'), "\n");
	T_TRUE(!keyline_find("abc: 1\n", "ab", ':'));
	T_TRUE(!keyline_find("model name : x\n", "model", ':'));
	T_TRUE(!keyline_find("x_bytes: 1\n", "bytes", ':'));
	T_TRUE(!keyline_find("a: 1", "a", ' '));
	T_TRUE(!keyline_find("a", "a", ':'));
	T_TRUE(!keyline_find("", "a", ':'));
}

TEST(the_number_behind_a_key)
{
	uint64_t v = 7;

	T_TRUE(!keyline_u64("a: 1\n", "b", ':', &v));
	T_EQ(v, 7);
	T_TRUE(keyline_u64("cancelled_write_bytes: 1\nwrite_bytes: 18446744073709551615\n",
			   "write_bytes", ':', &v));
	T_EQ(v, UINT64_MAX);
	T_TRUE(keyline_u64("nr 1\nnr_throttled 12\n", "nr_throttled", ' ', &v));
	T_EQ(v, 12);
	T_TRUE(keyline_u64("a: none\n", "a", ':', &v));
	T_EQ(v, 0);
}
