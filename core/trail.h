/* SPDX-License-Identifier: MIT */
/*
 * Advice as a job goes along its files: fadvise_hint=dontneed-behind and willneed-ahead.
 *
 * A program that streams once and knows it can keep its pages from pushing out those of others: it
 * drops from the page cache what it read or wrote a while ago. Dirty pages cannot be dropped, so
 * of what was written the writing back is begun at once and waited for at the moment of dropping.
 * The other way round, a program that knows where it will read can have the kernel fetch it.
 *
 * Both happen between I/Os and in no latency; how long they took is counted. Jobs without such
 * advice have no trail and pay nothing.
 */
#ifndef CORE_TRAIL_H
#define CORE_TRAIL_H

#include "core/files.h"
#include "core/stats.h"

struct trail;

/*
 * trail_new - for a job whose advice is one of the two. b: counts trail_bytes and trail_ns, and
 * gets a note where advice cannot work. Both pointers outlive it. NULL: no memory.
 */
struct trail *trail_new(const struct file_set *set, struct worker_block *b);
/* trail_free - NULL is fine. */
void trail_free(struct trail *t);

/* trail_done - a read or write (op: enum fl_op) of [offset, offset + len) of this file is over. */
void trail_done(struct trail *t, const struct fl_file *f, uint32_t op, uint64_t offset,
		uint64_t len);

#endif
