/* SPDX-License-Identifier: MIT */
/* Any text as a job file: it becomes a spec or complaints, and both can be shown. */
#include "core/spec.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag *diag = diag_new(false);
	struct spec *spec = spec_new();
	FILE *out = fopen("/dev/null", "w");
	int err = spec_read_text(spec, "fuzz", (const char *)data, size, diag);

	if (!out || (err != 0) != (diag_errors(diag) != 0))
		abort();
	diag_print(diag, out);
	spec_show(spec, "fio-like", out);
	fclose(out);
	spec_free(spec);
	diag_free(diag);
	return 0;
}
