/* SPDX-License-Identifier: MIT */
/*
 * One run from parsed words to written results: parse the jobs, plan, lay out, run, report.
 */
#ifndef CORE_SESSION_H
#define CORE_SESSION_H

#include "core/cli.h"

/*
 * session_run - do what the command line asked for. Complaints that went to diag are printed to
 * stderr. Returns the exit status: 0, 1 (something failed or was refused), 128 + signal (stopped).
 */
int session_run(const struct cli *cli, struct diag *diag);

/*
 * session_check - look at the jobs of a command line that is wrong already, so that all complaints
 * come out together.
 */
void session_check(const struct cli *cli, struct diag *diag);

#endif
