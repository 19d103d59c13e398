/* SPDX-License-Identifier: MIT */
/*
 * All formats a result can be written in, and the one place that puts them on a stream.
 *
 * Whatever order the formats were asked for in, the stream has the header lines of normal, the
 * lines of jsonl, those of terse, the JSON document, a blank line, the results of normal: existing
 * readers cut it there. JSON asked for alone is the document and nothing else.
 *
 * Every write is checked. The program must ignore SIGPIPE, so that a reader that left is -EPIPE.
 */
#ifndef CORE_REPORT_H
#define CORE_REPORT_H

#include "core/periods.h"
#include "core/reporter.h"

/* A set of formats: bit i is report_at(i). */
typedef unsigned report_formats;

/* report_bit - the set of this format alone; one of those that report_at() knows. */
report_formats report_bit(const struct reporter *format);

/* report_at - the formats there are, in the order they are written; NULL behind the last. */
const struct reporter *report_at(size_t i);

/* report_by_name - the format of this name, or NULL. */
const struct reporter *report_by_name(const char *name);

/*
 * report_parse - read the list of --output-format: names parted by commas, in any order. json+
 * takes the place of json where both are named, and minimal means terse.
 * Returns 0 with *formats set; or -EINVAL with a sentence in why that says which word is wrong and
 * what there is, and *formats untouched.
 */
int report_parse(const char *text, report_formats *formats, char *why, size_t why_bytes);

/*
 * report_header - write what stands before the results: one line per section, in the order of the
 * plan. Call it before the workers start, also for JSON alone, which writes nothing.
 * Returns 0, or -errno of the write.
 */
int report_header(const struct result_section *sections, size_t count, report_formats formats,
		  FILE *out);

/*
 * report_layout - announce that `files` files of together `bytes` bytes are being made for a job;
 * between report_header() and report_write(). Returns 0, or -errno of the write.
 */
int report_layout(const char *job, uint64_t files, uint64_t bytes, report_formats formats,
		  FILE *out);

/* report_has_intervals - does a format of the set tell of the run in intervals? */
bool report_has_intervals(report_formats formats);

/*
 * report_intervals - write the period that was taken last, in the format that has intervals, and
 * flush; between report_header() and report_write(). Returns 0, or -errno of the write.
 */
int report_intervals(const struct periods *p, FILE *out);

/*
 * report_write - write the result in every format of the set, as `how` says, and flush.
 * Returns 0, or -errno of the first write that failed; then the stream holds a part of it.
 */
int report_write(const struct result *r, report_formats formats, const struct reporter_how *how,
		 FILE *out);

#endif
