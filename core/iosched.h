/* SPDX-License-Identifier: MIT */
/*
 * ioscheduler: the disks of a job's files get this I/O scheduler before the job begins, and keep
 * it. Whether they can is found out before anything of the run has happened.
 */
#ifndef CORE_IOSCHED_H
#define CORE_IOSCHED_H

#include "core/opt.h"

struct iosched_conf {
	const char *name;		/* NULL: leave it as it is */
};

extern const struct opt_table iosched_options;

#endif
