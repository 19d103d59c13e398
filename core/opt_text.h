/* SPDX-License-Identifier: MIT */
/* The bounds of an option, as parser and help both need them. */
#ifndef CORE_OPT_TEXT_H
#define CORE_OPT_TEXT_H

#include "fio-like/engine.h"
#include "lib/base.h"

struct opt_bounds {
	uint64_t min, max;	/* inclusive */
};

/*
 * opt_bounds - the values an unsigned row allows: its own bounds, or all that its member can hold.
 * A max of 0 beside a min means that there is no upper one. Not for FL_OPT_I64.
 */
static inline struct opt_bounds opt_bounds(const struct fl_opt *row)
{
	struct opt_bounds b = { row->min, row->max };

	if (!b.max)
		b.max = row->type == FL_OPT_U32 ? UINT32_MAX : UINT64_MAX;
	return b;
}

#endif
