/* SPDX-License-Identifier: MIT */
/*
 * The settings of a job one by one, each with its value in force and with whose word it is: the
 * job's, [global]'s, the command line's, nobody's; and whether something else has become of it.
 */
#ifndef CORE_SOURCES_H
#define CORE_SOURCES_H

#include "core/job.h"

enum source {
	SOURCE_DEFAULT,			/* nobody said anything */
	SOURCE_DERIVED,			/* nobody did, but it follows from other settings */
	SOURCE_GLOBAL,			/* a [global] section */
	SOURCE_JOB,			/* the job's own section */
	SOURCE_COMMAND_LINE,
};

struct source_setting {
	const struct fl_opt *row;
	enum source from;
	const struct setting *said;	/* the words that count; NULL: none */
	/* in force, as text that opt_set() takes; NULL: not given, or only the words tell */
	const char *value;
	bool changed;			/* the words alone would have given another value */
};

/*
 * sources_each - call fn for every option of the job and of its engine, in the order of the manual.
 * section: that the job came from. *s is valid during the call.
 */
void sources_each(const struct job *job, const struct section *section,
		  void (*fn)(void *ctx, const struct source_setting *s), void *ctx);

/* source_name - "default", "derived", "global", "job", "command line". */
const char *source_name(enum source from);

#endif
