/* SPDX-License-Identifier: MIT */
/* The text for people: in fio's order and words, with our own lines after those of a job. */
#ifndef CORE_REPORT_NORMAL_H
#define CORE_REPORT_NORMAL_H

#include "core/reporter.h"

extern const struct reporter reporter_normal;

#endif
