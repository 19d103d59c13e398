/* SPDX-License-Identifier: MIT */
/*
 * Finding the largest queue depth at which some condition holds, by trying: a depth is held for a
 * while, somebody judges it, and the next one follows. Doubled as long as it holds; between one
 * that held and one that did not, halved. What held may no longer hold later: then the search goes
 * on from there.
 */
#ifndef LIB_DEPTHSEARCH_H
#define LIB_DEPTHSEARCH_H

#include "lib/base.h"

struct depth_search {
	uint32_t depth;			/* to be tried now, 1 to max */
	uint32_t max;
	uint32_t good;			/* the largest that held; 0: none yet */
	uint32_t bad;			/* the smallest that did not; above max: none yet */
	uint32_t settled;		/* how often in a row the largest possible one has held */
};

/* depth_search_begin - at depth 1; max is 1 or more. */
void depth_search_begin(struct depth_search *s, uint32_t max);

/*
 * depth_search_held, depth_search_failed - the verdict on s->depth; s->depth becomes the next one.
 * The first returns whether this was the largest possible: the one above has failed, or it is max;
 * s->depth stays then.
 */
bool depth_search_held(struct depth_search *s);
void depth_search_failed(struct depth_search *s);

/*
 * depth_search_again - for those who go on for ever: after three times in a row that the largest
 * possible one held, the next one gets another try.
 */
void depth_search_again(struct depth_search *s);

#endif
