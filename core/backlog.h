/* SPDX-License-Identifier: MIT */
/*
 * What has been written and waits for something to be done about it: to be checked, or trimmed.
 * First come, first served, in bursts: after so many writes so many of them.
 */
#ifndef CORE_BACKLOG_H
#define CORE_BACKLOG_H

#include "lib/base.h"

struct backlog_entry {
	uint64_t offset;
	uint32_t len, file;
	uint32_t mark;			/* of the write that it is (marks.h) */
};

struct backlog {
	uint64_t every, batch;		/* I/Os; 0: no bursts; 0: all that wait */
	struct backlog_entry *ring;	/* NULL: nothing is ever kept */
	uint64_t room, head, count;	/* room is a power of two */
	uint64_t burst;			/* of them are due now */
	bool fresh;			/* there was a write since the last burst */
};

/* backlog_init - Returns 0 or -ENOMEM. backlog_free() in both cases; a zeroed one is fine, too. */
int backlog_init(struct backlog *b, uint64_t every, uint64_t batch);
void backlog_free(struct backlog *b);

/* backlog_add - behind all others. The ring grows at need: it ends the program without memory. */
void backlog_add(struct backlog *b, const struct backlog_entry *e);

/* backlog_take - the first of them. Returns false when there is none. */
bool backlog_take(struct backlog *b, struct backlog_entry *e);

/* backlog_due - is it the turn of one? so_far: what is to be a multiple of `every`. */
bool backlog_due(struct backlog *b, uint64_t so_far);

#endif
