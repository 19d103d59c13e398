/* SPDX-License-Identifier: MIT */
/*
 * Lines of JSON, each a document of its own: what each job did in each interval while it runs, and
 * at the end a line per job with all of it.
 */
#ifndef CORE_REPORT_JSONL_H
#define CORE_REPORT_JSONL_H

#include "core/periods.h"
#include "core/reporter.h"

extern const struct reporter reporter_jsonl;

/* report_jsonl_interval - a line for every job that ran in the period that was taken last. */
void report_jsonl_interval(const struct periods *p, FILE *out);

#endif
