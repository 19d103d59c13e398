/* SPDX-License-Identifier: MIT */
/* What the parent does for read_iolog and write_iolog before a run. */
#ifndef CORE_REPLAY_WATCH_H
#define CORE_REPLAY_WATCH_H

#include "core/observer.h"

/*
 * replay_merge_all - the traces of all jobs that merge some, for --merge-blktrace-only; a run does
 * so by itself. Returns 0, or -errno with a complaint in diag.
 */
int replay_merge_all(const struct jobs *jobs, struct diag *diag);

/* Merges traces, and sees that no log is written over one that is replayed. */
extern const struct observer replay_observer;

#endif
