/* SPDX-License-Identifier: MIT */
/* The JSON document: one object for the run, in fio's keys, order and number types, and ours. */
#ifndef CORE_REPORT_JSON_H
#define CORE_REPORT_JSON_H

#include "core/reporter.h"

extern const struct reporter reporter_json;
extern const struct reporter reporter_json_plus;	/* the same document, with bins */

#endif
