/* SPDX-License-Identifier: MIT */
/*
 * exec_prerun, exec_postrun: commands of the user's around each clone of a job, run by its worker,
 * as its user and on its CPUs. What they print is in JOB.prerun.txt and JOB.postrun.txt, that of
 * all clones one behind the other.
 */
#ifndef CORE_EXEC_H
#define CORE_EXEC_H

#include "core/opt.h"

#include <stdatomic.h>

struct exec_conf {
	const char *prerun, *postrun;	/* for the shell; NULL: none */
};

extern const struct opt_table exec_options;

enum exec_when { EXEC_PRERUN, EXEC_POSTRUN };

/* exec_command - the command of that time, or NULL. */
const char *exec_command(const struct exec_conf *c, enum exec_when when);

/* exec_file - the name of the file for what it prints, of the job of that name, into buf. */
const char *exec_file(const char *job, enum exec_when when, char *buf, size_t n);

/*
 * exec_run - run the command, if there is one, and wait for it; it is killed as soon as *stop is
 * more than it was. Returns 0 if all went well; -ECANCELED when it was killed for *stop; or another
 * -errno with a sentence in why: it could not be run, or its status is not 0 (-ECHILD).
 */
int exec_run(const struct exec_conf *c, enum exec_when when, const char *job,
	     const _Atomic uint32_t *stop, char *why, size_t why_bytes);

#endif
