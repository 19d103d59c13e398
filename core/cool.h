/* SPDX-License-Identifier: MIT */
/*
 * invalidate: what is cached of a job's files is dropped before its clock starts, so that no I/O
 * pays for it and none is answered from what an earlier job left. How long that took is kept apart.
 */
#ifndef CORE_COOL_H
#define CORE_COOL_H

#include "core/openset.h"
#include "core/stats.h"

/*
 * cool_files - drop the job's part of every file: of those that are open by their engine's own way
 * if it has one, of the others by a descriptor for the moment. Dirty pages are written first. A
 * file that could not be dropped is noted in b, whose invalidate_ns is set; b->stop ends it early.
 */
void cool_files(struct openset *files, struct worker_block *b);

#endif
