/* SPDX-License-Identifier: MIT */
/* What help, manual and completion say of flags beyond their rows: by subject, and their words. */
#ifndef CORE_CLI_FLAGS_HELP_H
#define CORE_CLI_FLAGS_HELP_H

#include "core/cli_flags.h"

/* cli_flag_group - the i-th subject: "Results"; NULL behind the last. */
const char *cli_flag_group(size_t i);

/*
 * cli_flag_in_group - the k-th flag of the i-th subject that has a line in --help; NULL behind the
 * last. Each such flag is in one; those that no subject names are in the last.
 */
const struct cli_flag *cli_flag_in_group(size_t i, size_t k);

/* cli_flag_words - what its value can be, words with a blank between them; NULL: anything. */
const char *cli_flag_words(const struct cli_flag *flag);

#endif
