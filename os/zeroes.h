/* SPDX-License-Identifier: MIT */
/*
 * How much of a device holds nothing but zeroes. A block that was trimmed or never written reads as
 * zeroes on most devices, and they answer from memory without a look at the medium; no device
 * tells which blocks those are, so a sample is read.
 */
#ifndef OS_ZEROES_H
#define OS_ZEROES_H

#include <stdint.h>

#define ZEROES_PARTS	32u

/* By equal parts of the range, ascending. */
struct zeroes {
	uint32_t seen[ZEROES_PARTS];	/* blocks read */
	uint32_t zero[ZEROES_PARTS];	/* of them nothing but zeroes */
};

/*
 * zeroes_sample - read `per_part` blocks of 4 KiB at random places of each part, around the page
 * cache, until time_ns have passed. seed: of the places. Adds to *z.
 * Returns 0, or -errno when the device could not be opened or no block could be read.
 */
int zeroes_sample(const char *device, uint64_t offset, uint64_t bytes, uint32_t per_part,
		  uint64_t time_ns, uint64_t seed, struct zeroes *z);

#endif
