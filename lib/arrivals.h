/* SPDX-License-Identifier: MIT */
/*
 * When I/Os are to arrive: at a steady pace, or by chance as from many users who know nothing of
 * each other (a Poisson process: the gaps are exponentially distributed).
 *
 * The schedule runs on from the moment it begins, whatever becomes of the I/Os: who falls behind
 * finds the next one due in the past, and so catches up. A pace is one of bytes: an I/O of twice
 * the size is followed by twice the gap.
 */
#ifndef LIB_ARRIVALS_H
#define LIB_ARRIVALS_H

#include "lib/rand.h"

#include <stdbool.h>

#define ARRIVALS_BITS	32		/* of fractions of a nanosecond */

struct arrivals {
	unsigned __int128 at;		/* of the next, ns since the beginning << ARRIVALS_BITS */
	uint64_t step;			/* ns per byte << ARRIVALS_BITS */
	bool poisson;
	struct rand rand;
};

/*
 * arrivals_init - of so many bytes per second, at least 1, in I/Os of `first` bytes to begin with.
 * The first one of a steady pace is due at once, the first by chance after a gap like all others.
 * seed, stream: as in rand_seed(); of poisson alone.
 */
void arrivals_init(struct arrivals *a, uint64_t bytes_per_second, uint64_t first, bool poisson,
		   uint64_t seed, uint64_t stream);

/* arrivals_take - an I/O of so many bytes has taken its turn: on to the next. */
void arrivals_take(struct arrivals *a, uint64_t bytes);

/* arrivals_next_ns - when the next one is due, ns since the beginning. */
fl_inline uint64_t arrivals_next_ns(const struct arrivals *a)
{
	return (uint64_t)(a->at >> ARRIVALS_BITS);
}

#endif
