/* SPDX-License-Identifier: MIT */
/*
 * A job as it was run: every option with the value that came of the user's words, the defaults, and
 * what options make of each other. Enough to run it again.
 */
#ifndef CORE_RESOLVED_H
#define CORE_RESOLVED_H

#include "core/job.h"
#include "lib/facts.h"

/*
 * resolved_facts - "options": one fact for each option that has a value, by its canonical name.
 * Paths are FACT_ID. flags: for all of them.
 */
void resolved_facts(const struct jobs *jobs, const struct job *job, unsigned int flags,
		    struct facts *f);

#endif
