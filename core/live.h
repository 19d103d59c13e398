/* SPDX-License-Identifier: MIT */
/*
 * What the live line says about a crew at work, from one look to the next.
 */
#ifndef CORE_LIVE_H
#define CORE_LIVE_H

#include "core/crew.h"
#include "core/progress.h"

struct live {
	struct progress *progress;
	uint64_t newline_ns;		/* --eta-newline; 0: never */
	uint64_t next_newline;
	uint64_t last_ns;
	uint64_t last_bytes[DIRS], last_ios[DIRS];
	char *states;			/* a letter per job */
	struct hist *last_lat;		/* by direction; completion latencies of all jobs */
};

void live_init(struct live *l, struct progress *p, uint64_t newline_ns);
void live_free(struct live *l);

/* live_show - draw the line for the crew as it is now. */
void live_show(struct live *l, const struct crew *crew, uint64_t now_ns);

#endif
