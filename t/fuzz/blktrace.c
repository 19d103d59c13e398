/* SPDX-License-Identifier: MIT */
/* Any bytes as a block trace: what is decoded encodes to the same, and so on as for an iolog. */
#define _GNU_SOURCE
#include "t/fuzz/log_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t version;
	enum blktrace_order order = blktrace_order(data, size, &version);
	char bytes[BLKTRACE_BYTES];
	struct blktrace_event e;

	for (size_t at = 0; order != BLKTRACE_NONE && size - at >= BLKTRACE_BYTES;
	     at += BLKTRACE_BYTES) {
		if (blktrace_decode(data + at, order, &e))
			continue;
		blktrace_encode(bytes, order, &e);
		fl_assert(!memcmp(bytes, data + at, sizeof(bytes)));
		fl_assert(blktrace_kind(&e) <= BLKTRACE_OTHER);
	}
	look_through(data, size);
	return 0;
}
