/* SPDX-License-Identifier: MIT */
/*
 * What is remembered of each block of a verifying job, in 32 bits: the write that it must be of, by
 * the low bits of its number; or that it was trimmed; or 0: nobody knows what is there.
 */
#ifndef CORE_MARKS_H
#define CORE_MARKS_H

#include "lib/base.h"

#define MARK_NUMBER	0x7fffffffu	/* these bits of a write's number, neither none nor all */
#define MARK_TRIMMED	MARK_NUMBER	/* in their place: it must read as zeroes */
/* a later write may be there instead, as the state of a run that ended in the middle says */
#define MARK_UNSURE	0x80000000u

/* mark_of - the mark of a write. */
fl_inline uint32_t mark_of(uint64_t number)
{
	return (uint32_t)number & MARK_NUMBER;
}

/* mark_next - the number that follows: one whose bits are no mark of another kind is left out. */
fl_inline uint64_t mark_next(uint64_t number)
{
	do
		number++;
	while (!mark_of(number) || mark_of(number) == MARK_TRIMMED);
	return number;
}

/* mark_is_write, mark_is_trim - is there anything that it must be of? */
fl_inline bool mark_is_write(uint32_t mark)
{
	return mark & MARK_NUMBER && (mark & MARK_NUMBER) != MARK_TRIMMED;
}

fl_inline bool mark_is_trim(uint32_t mark)
{
	return (mark & MARK_NUMBER) == MARK_TRIMMED;
}

/*
 * mark_number - the last number up to `last` with the bits of this mark. There are never two of
 * them 2^31 writes apart in one map.
 */
fl_inline uint64_t mark_number(uint32_t mark, uint64_t last)
{
	uint64_t number = (last & ~(uint64_t)MARK_NUMBER) | (mark & MARK_NUMBER);

	return number > last ? number - MARK_NUMBER - 1 : number;
}

#endif
