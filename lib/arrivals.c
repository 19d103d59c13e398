/* SPDX-License-Identifier: MIT */
/* Schedules of arrivals. */
#include "lib/arrivals.h"

#include <math.h>

#define NS_PER_SECOND	1000000000ull

void arrivals_init(struct arrivals *a, uint64_t bytes_per_second, uint64_t first, bool poisson,
		   uint64_t seed, uint64_t stream)
{
	fl_assert(bytes_per_second > 0);
	a->at = 0;
	a->step = (NS_PER_SECOND << ARRIVALS_BITS) / bytes_per_second;
	a->poisson = poisson;
	rand_seed(&a->rand, seed, stream);
	if (poisson)
		arrivals_take(a, first);
}

/* Exponential with mean 1, by inversion: 1 - u is never 0. */
static double exponential(struct rand *r)
{
	return -log(1 - rand_double(r));
}

void arrivals_take(struct arrivals *a, uint64_t bytes)
{
	unsigned __int128 gap = (unsigned __int128)a->step * bytes;

	if (a->poisson)
		gap = (unsigned __int128)((double)gap * exponential(&a->rand));
	a->at += gap;
}
