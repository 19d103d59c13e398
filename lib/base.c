/* SPDX-License-Identifier: MIT */
/* The end of the road for a broken invariant. */
#include "lib/base.h"

#include <stdio.h>
#include <stdlib.h>

void fl_assert_failed(const char *cond, const char *file, int line, const char *func)
{
	fprintf(stderr, "fio-like: bug: %s:%d: %s: '%s' does not hold\n", file, line, func, cond);
	abort();
}
