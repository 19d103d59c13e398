/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as an iolog. What a line is taken for can be written and read again; and the whole file,
 * if a job would take it, holds only what its facts say.
 */
#define _GNU_SOURCE
#include "t/fuzz/log_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void one(struct span line, int version)
{
	char text[IOLOG_LINE_MAX + 128];
	struct iolog_line l, again;
	struct parse_err err;
	struct span written;

	if (line.len > IOLOG_LINE_MAX || iolog_parse(line, version, &l, &err) != 1)
		return;
	fl_assert(l.name.len && l.name.at >= line.at &&
		  l.name.at + l.name.len <= line.at + line.len);
	fl_assert(!iolog_is_io(l.action) || l.offset + l.len <= INT64_MAX);
	if (l.action == IOLOG_WAIT)
		return;
	written = (struct span){ text, (size_t)(iolog_put(text, &l) - text) - 1 };
	fl_assert(iolog_parse(written, 3, &again, &err) == 1);
	fl_assert(again.action == l.action && again.time_us == l.time_us);
	fl_assert(again.offset == l.offset && again.len == l.len && again.name.len == l.name.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span rest = { (const char *)data, size };

	while (rest.len) {
		const char *end = memchr(rest.at, '\n', rest.len);
		size_t len = end ? (size_t)(end - rest.at) : rest.len;

		one((struct span){ rest.at, len }, 2);
		one((struct span){ rest.at, len }, 3);
		rest = span_from(rest, len + (end != NULL));
	}
	look_through(data, size);
	return 0;
}
