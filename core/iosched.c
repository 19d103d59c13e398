/* SPDX-License-Identifier: MIT */
/* The option ioscheduler. */
#include "core/iosched.h"

#include <stddef.h>

static const struct fl_opt rows[] = {
	{ .name = "ioscheduler", .type = FL_OPT_STR, .offset = offsetof(struct iosched_conf, name),
	  .help = "I/O scheduler of the disks that the files are on",
	  .more = "Set when the job begins, for the whole disk, and left so; needs root. One that "
		  "the kernel does not have is refused before anything is run. Files that are on "
		  "no disk (tmpfs, pipes, character devices) are passed over with a note." },
};

const struct opt_table iosched_options = OPT_TABLE("I/O scheduler", rows, 0);
