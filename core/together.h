/* SPDX-License-Identifier: MIT */
/*
 * The bandwidth of a group, told without the favour of a choice.
 *
 * Where jobs begin or end apart, all bytes over the longest run time is a number that the device
 * never showed: while all jobs ran it was faster, later it was half idle. So there are three: the
 * bandwidth while all jobs of the group were at work, that from the first one's start to the last
 * one's end, and the spread of the workers' own.
 *
 * A moment between two looks at the counters is told by a straight line between them; the ends of a
 * job are exact.
 */
#ifndef CORE_TOGETHER_H
#define CORE_TOGETHER_H

#include "core/crew.h"
#include "core/result.h"

/* A job's counters at a moment. */
struct together_seen {
	uint64_t ns;			/* clock_now_ns() */
	uint64_t bytes[DIRS];
};

struct together_group {
	int id;				/* group of the plan */
	size_t first, end;		/* its jobs: first .. end - 1 of the crew */
	bool open, closed;		/* all jobs have begun; one has ended, or never was there */
	uint64_t open_ns, close_ns;
	double bytes_open[DIRS], bytes_close[DIRS];	/* of all its jobs at these moments */
};

struct together {
	struct together_group *groups;
	size_t nr_groups;
	struct together_seen *seen;	/* by job: at the last look */
	uint64_t look_ns;		/* of it */
};

/* together_init - returns 0 or -ENOMEM. together_free() in both cases. */
int together_init(struct together *t, const struct plan *plan);
void together_free(struct together *t);

/* together_look - whenever there is occasion, and at last when all jobs have ended. */
void together_look(struct together *t, const struct crew *crew, uint64_t now_ns);

/*
 * together_figures - of the group with this id, and of these directions (a bit each), as of now_ns.
 * Returns false, with *out zeroed, when it has no such worker.
 */
bool together_figures(const struct together *t, const struct crew *crew, int id, uint32_t dirs,
		      uint64_t now_ns, struct result_together *out);

#endif
