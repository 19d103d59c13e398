/* SPDX-License-Identifier: MIT */
/* The table: a line per job, its columns parted by semicolons, in one of four versions. */
#ifndef CORE_REPORT_TERSE_H
#define CORE_REPORT_TERSE_H

#include "core/reporter.h"

extern const struct reporter reporter_terse;

#endif
