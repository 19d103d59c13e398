/* SPDX-License-Identifier: MIT */
/*
 * Which clock the run goes by, and which one a job's start is told by. The first is one for the
 * whole run, because stamps of different workers are compared.
 */
#ifndef CORE_CLOCKS_H
#define CORE_CLOCKS_H

#include "core/opt.h"

struct clocks_conf {
	uint32_t source;		/* enum clock_source; CLOCK_USE_AUTO: not given */
	int64_t gtod_cpu;		/* that tells the time; below 0: none */
	uint32_t start_clock;		/* clockid_t of job_start in JSON */
};

extern const struct opt_table clocks_options;

/* clocks_check - 0, -EINVAL with a sentence in why, or 1 with a note in why. */
int clocks_check(const struct clocks_conf *c, char *why, size_t why_bytes);

#endif
