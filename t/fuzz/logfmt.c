/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the records of a compressed log. What is taken from them has a line of text that
 * fits, and packs to the same bytes, but for those that mean nothing.
 */
#include "lib/logfmt.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void one(const struct logfmt_line *line, uint32_t columns, size_t bytes)
{
	char text[LOGFMT_LINE_MAX], record[LOGFMT_RECORD_MAX];
	struct logfmt_text t = { .columns = columns };
	struct logfmt_line again;
	uint32_t columns_again;
	char *end;

	end = logfmt_put(&t, text, line);
	fl_assert(end > text && end <= text + sizeof(text) && end[-1] == '\n');
	fl_assert(logfmt_put(&t, text, line) == end);
	fl_assert(logfmt_pack(record, line, columns) == bytes);
	fl_assert(logfmt_unpack(record, bytes, &again, &columns_again) == bytes);
	fl_assert(columns_again == columns && again.time == line->time);
	fl_assert(again.value == line->value && again.largest == line->largest);
	fl_assert(again.bytes == line->bytes && again.offset == line->offset);
	fl_assert(again.issue == line->issue && again.dir == line->dir);
	fl_assert(again.prio == line->prio);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *at = (const char *)data;
	struct logfmt_line line;
	uint32_t columns;
	size_t bytes;

	while ((bytes = logfmt_unpack(at, size, &line, &columns))) {
		fl_assert(bytes <= size && bytes <= LOGFMT_RECORD_MAX);
		one(&line, columns, bytes);
		at += bytes;
		size -= bytes;
	}
	return 0;
}
