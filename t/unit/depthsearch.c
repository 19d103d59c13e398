/* SPDX-License-Identifier: MIT */
/* The search for a depth: it finds the right one, from wherever it is, and follows what changes. */
#include "lib/depthsearch.h"
#include "t/test.h"

/* Tries until it has settled. Returns how many tries that took. */
static int settle(struct depth_search *s, uint32_t right)
{
	for (int tries = 1; tries < 1000; tries++) {
		T_TRUE(s->depth >= 1 && s->depth <= s->max);
		if (s->depth > right)
			depth_search_failed(s);
		else if (depth_search_held(s))
			return tries;
	}
	T_FAIL("not settled at %u of %u", right, s->max);
	return 0;
}

TEST(every_depth_is_found)
{
	struct depth_search s;

	for (uint32_t max = 1; max <= 70; max++)
		for (uint32_t right = 1; right <= max; right++) {
			depth_search_begin(&s, max);
			T_TRUE(settle(&s, right) <= 16);	/* up and down: 2 log2 + 2 */
			T_EQ(s.depth, right);
		}
	depth_search_begin(&s, 65536);
	T_TRUE(settle(&s, 12345) <= 32);
	T_EQ(s.depth, 12345);
}

/* As fio goes: 1 2 4 8 16, then between 8 and 16. */
TEST(the_way)
{
	static const uint32_t way[] = { 1, 2, 4, 8, 16, 12, 10, 11 };
	struct depth_search s;

	depth_search_begin(&s, 32);
	for (size_t i = 0; i < ARRAY_SIZE(way); i++) {
		T_EQ(s.depth, way[i]);
		if (s.depth > 11)
			depth_search_failed(&s);
		else
			T_EQ(depth_search_held(&s), i == 7);
	}
	T_EQ(s.depth, 11);
}

TEST(nothing_holds)
{
	struct depth_search s;

	depth_search_begin(&s, 8);
	for (int i = 0; i < 5; i++) {
		depth_search_failed(&s);
		T_EQ(s.depth, 1);
	}
	T_TRUE(!depth_search_held(&s) || s.depth == 1);
}

TEST(it_follows)
{
	struct depth_search s;

	depth_search_begin(&s, 64);
	settle(&s, 40);
	T_EQ(s.depth, 40);
	depth_search_failed(&s);		/* the device has become slower */
	settle(&s, 5);
	T_EQ(s.depth, 5);
	for (int i = 0; i < 200; i++) {		/* and faster again */
		if (s.depth > 30)
			depth_search_failed(&s);
		else
			depth_search_held(&s);
		depth_search_again(&s);
	}
	T_TRUE(s.depth >= 28 && s.depth <= 31);
}

TEST(patience)
{
	struct depth_search s;

	depth_search_begin(&s, 64);
	settle(&s, 3);
	T_EQ(s.settled, 1);
	depth_search_again(&s);
	T_EQ(s.depth, 3);
	T_TRUE(depth_search_held(&s));
	depth_search_again(&s);
	T_EQ(s.depth, 3);
	T_TRUE(depth_search_held(&s));
	depth_search_again(&s);
	T_EQ(s.depth, 4);
	depth_search_failed(&s);
	settle(&s, 3);
	T_EQ(s.depth, 3);
	depth_search_begin(&s, 2);
	settle(&s, 2);
	for (int i = 0; i < 5; i++) {
		T_TRUE(depth_search_held(&s));
		depth_search_again(&s);
		T_EQ(s.depth, 2);		/* there is nothing above */
	}
}
