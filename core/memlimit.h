/* SPDX-License-Identifier: MIT */
/*
 * memory_limit=: a run on a machine with less memory. All processes of the run live in a control
 * group with that limit, and so does the page cache of the files they read and write; sizes may be
 * given as shares of it. This is the option; memlimit_run.h makes the group.
 */
#ifndef CORE_MEMLIMIT_H
#define CORE_MEMLIMIT_H

#include "core/opt.h"

struct memlimit_conf {
	uint64_t bytes;			/* 0: none */
};

extern const struct opt_table memlimit_options;

/*
 * memlimit_settle - an amount given as a share of the limit becomes bytes: whole MiB, or below one
 * MiB whole blocks of 4 KiB, rounded down. Other amounts stay. option: its name, for the sentence.
 * Returns 0, or -EINVAL with a sentence in why when there is no limit, or nothing is left of it.
 */
int memlimit_settle(const struct memlimit_conf *c, const char *option, struct amount *a, char *why,
		    size_t why_bytes);

#endif
