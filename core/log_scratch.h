/* SPDX-License-Identifier: MIT */
/* Where the writer of the logs puts pieces of text together: one of these serves all logs. */
#ifndef CORE_LOG_SCRATCH_H
#define CORE_LOG_SCRATCH_H

#include "core/files.h"
#include "core/log_file.h"
#include "lib/logfmt.h"

#define LOG_SCRATCH_BYTES	(256u << 10)

struct log_scratch {
	struct log_files files;
	char text[LOG_SCRATCH_BYTES];	/* or records */
	char name[FILES_NAME_BYTES];	/* of a file */
	uint64_t bins[HIST_BINS];
};

_Static_assert(LOG_SCRATCH_BYTES >= LOGFMT_HIST_LINE_MAX, "a histogram fits");

#endif
