/* SPDX-License-Identifier: MIT */
/*
 * The end of a job whose device does not answer.
 *
 * A job that is to stop waits for what is in flight, since a result that comes late is a result.
 * When nothing has come back for a while, or the user has no patience left, the engine is asked to
 * cancel what it can. Cancelled I/Os were none: they count nowhere, and a note says how many there
 * were.
 */
#ifndef CORE_CANCEL_H
#define CORE_CANCEL_H

#include "core/worker.h"

struct cancel {
	uint64_t quiet_since;		/* clock_ticks() of the last answer; 0: not known yet */
	uint64_t asked;			/* clock_ticks() when all were cancelled; 0: never */
	uint32_t coming;		/* requests that the engine said will come soon */
	uint64_t ios;			/* came back cancelled */
};

/*
 * cancel_look - something may have come back, or not, since the last look. Cancels what is in
 * flight when it is time for that. held: requests that the queue has not taken, a list.
 * Returns whether it makes sense to wait on. At the end of the worker's loop, on its thread.
 */
bool cancel_look(struct cancel *c, struct worker *w, const struct io *held, bool progress);

/* cancel_note - leave a note of what was cancelled and of what has never come back. */
void cancel_note(const struct cancel *c, const struct worker *w);

#endif
