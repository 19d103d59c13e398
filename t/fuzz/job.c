/* SPDX-License-Identifier: MIT */
/*
 * Any text as a job file, down to the values of its options: every parser that an option has.
 */
#define _GNU_SOURCE
#include "t/fuzz/job_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct jobs_forbidden forbidden = { .change = size & 1, .exec = size & 2 };
	FILE *out = nowhere();
	struct diag *diag = diag_new(false);
	struct spec *spec = spec_new();

	if (!spec_read_text(spec, "fuzz", (const char *)data, size, diag))
		parse_jobs(spec, &forbidden, diag);
	diag_print(diag, out);
	spec_free(spec);
	diag_free(diag);
	return 0;
}
