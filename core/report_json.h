/* SPDX-License-Identifier: MIT */
/* The JSON document: one object for the run, in fio's keys, order and number types, and ours. */
#ifndef CORE_REPORT_JSON_H
#define CORE_REPORT_JSON_H

#include "core/reporter.h"
#include "lib/json.h"

extern const struct reporter reporter_json;
extern const struct reporter reporter_json_plus;	/* the same document, with bins */

/*
 * report_json_lat - the member of a latency: extremes, mean, N, and its percentiles and bins where
 * they are wanted.
 */
void report_json_lat(struct json *doc, const char *key, const struct result_job *j,
		     const struct result_lat *l);

/* report_json_sync - the member "sync". */
void report_json_sync(struct json *doc, const struct result_job *j);

/* report_json_job - all members that json+ has for a job, into the object that is open. */
void report_json_job(struct json *doc, const struct result *r, const struct result_job *j);

#endif
