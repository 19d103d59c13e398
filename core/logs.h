/* SPDX-License-Identifier: MIT */
/*
 * The writer of all logs: one thread of the parent. It empties the workers' rings, samples their
 * counters where a log is by windows, makes text of it all and writes that. Memory depends on the
 * number of jobs, not on the length of the run.
 *
 * The thread never forks, takes no signal, and uses no stdio, so that the parent may fork at any
 * time. What cannot be written costs that log, not the run.
 */
#ifndef CORE_LOGS_H
#define CORE_LOGS_H

#include "core/crew.h"

struct logs;

/*
 * logs_start - create the files of all logs, give workers their rings, start the writer. Before any
 * fork. bandwidth: --bandwidth-log. Returns 0 with NULL in *logs where nothing is logged; or -errno
 * with a sentence in why. A file that can't be written is no such error: logs_tell() tells it.
 */
int logs_start(struct logs **logs, struct crew *crew, bool bandwidth, char *why, size_t why_bytes);

/* logs_look - workers have news: maybe one has begun. logs may be NULL. */
void logs_look(struct logs *logs);

/* logs_ended - this job has ended, or died: what it has left behind is all there will be. */
void logs_ended(struct logs *logs, const struct crew_job *j);

/* logs_tell - tell on stderr which logs have failed since the last call. logs may be NULL. */
void logs_tell(struct logs *logs);

/*
 * logs_finish - wait until all is written; all jobs have ended. Leaves notes in the blocks of the
 * jobs concerned. Gives up at the second signal to stop. logs may be NULL; it is freed. Returns
 * whether any log is incomplete.
 */
bool logs_finish(struct logs *logs);

#endif
