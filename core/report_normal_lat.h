/* SPDX-License-Identifier: MIT */
/* Latencies in the text for people: the line of extremes, the percentiles, the distribution. */
#ifndef CORE_REPORT_NORMAL_LAT_H
#define CORE_REPORT_NORMAL_LAT_H

#include "core/reporter.h"

/* normal_lat_line - "    clat (usec): min=..."; name is padded to four. Nothing without samples. */
void normal_lat_line(const char *name, const struct result_lat *l, FILE *out);

/*
 * normal_lat_percentiles - "    clat percentiles (usec):" and the table. Nothing where
 * reporter_percentiles() has none.
 */
void normal_lat_percentiles(const char *name, const struct result_job *j,
			    const struct result_lat *l, FILE *out);

/* normal_lat_distribution - "  lat (usec)   : 100=41.99%", five a line, empty ones left out. */
void normal_lat_distribution(const struct result_job *j, FILE *out);

#endif
