/* SPDX-License-Identifier: MIT */
/* The search for a depth. */
#include "lib/depthsearch.h"

#define PATIENCE	3		/* times in a row */

void depth_search_begin(struct depth_search *s, uint32_t max)
{
	fl_assert(max);
	*s = (struct depth_search){ .depth = 1, .max = max, .bad = max + 1 };
}

bool depth_search_held(struct depth_search *s)
{
	s->good = s->depth;
	s->bad = fl_max(s->bad, s->good + 1);
	if (s->good + 1 == s->bad) {
		s->settled++;
		return true;
	}
	s->settled = 0;
	if (s->bad > s->max)
		s->depth = fl_min(s->depth * 2, s->max);
	else
		s->depth = s->good + (s->bad - s->good) / 2;
	return false;
}

void depth_search_failed(struct depth_search *s)
{
	s->settled = 0;
	s->bad = s->depth;
	if (s->good >= s->depth)	/* it held once, and does not now */
		s->good = s->depth / 2;
	s->depth = fl_max(s->good + (s->bad - s->good) / 2, 1u);
}

void depth_search_again(struct depth_search *s)
{
	if (s->settled < PATIENCE || s->bad > s->max)
		return;
	s->settled = 0;
	s->bad++;
	s->depth = s->good + 1;
}
