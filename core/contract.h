/* SPDX-License-Identifier: MIT */
/*
 * What every engine owes the runner, tried out: one suite for engines of ours and of others. A new
 * engine is done when it passes unchanged.
 *
 * Each case runs in a process of its own, with a time limit. Results are lines as in TAP: "ok 3 -
 * psync: byte counts", "not ok ...", "ok ... # SKIP why"; behind a failure "# " and which rule was
 * broken, what came instead, and what the engine said meanwhile, which is not shown otherwise.
 */
#ifndef CORE_CONTRACT_H
#define CORE_CONTRACT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct contract_setup {
	const char *engine;		/* name or path, as for ioengine= */
	const char *target;		/* WRITTEN TO: a device, file or name; NULL: own files. A
					 * path where nothing is becomes a file until the end */
	const char *dir;		/* where own files go; NULL: $TMPDIR or /tmp */
	const char *opts;		/* "name=value:name=value" for the engine, or NULL */
	const char *only;		/* cases whose name contains this; NULL: all */
	uint32_t depth;			/* of the queues; 0: 8 */
	bool direct;			/* as for direct=1: O_DIRECT, whole blocks alone */
	uint32_t timeout_ms;		/* of one case; 0: 10000 */
	FILE *out;
};

struct contract_tally {
	uint32_t number;		/* of the last line */
	uint32_t passed, failed, skipped;
};

/*
 * contract_run - all cases for one engine; adds to *tally. An engine that cannot be found, or
 * options that it does not take, are one failure; one that cannot work on this machine is skipped.
 */
void contract_run(const struct contract_setup *setup, struct contract_tally *tally);

/* contract_sum - the last lines: the plan of TAP, and "N passed, N failed, N skipped". */
void contract_sum(const struct contract_tally *tally, FILE *out);
/* contract_status - exit status for a tally: 0, 1 (failures, or nothing ran), 77 (all skipped). */
int contract_status(const struct contract_tally *tally);

#endif
