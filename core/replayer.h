/* SPDX-License-Identifier: MIT */
/*
 * The replay of one worker: it reads the log, says what comes next and when, and opens and closes
 * files where the log did.
 *
 * Where an I/O has a time in the log, it is not before that time after the beginning of the pass
 * that it starts: a part of the gate (gate.h) sees to it, and remembers when it was to start. So an
 * I/O that is late is not later because of those before it, unless they are.
 */
#ifndef CORE_REPLAYER_H
#define CORE_REPLAYER_H

#include "core/gate.h"
#include "core/openset.h"
#include "core/replay.h"

#define REPLAYER_CLOSING_MAX	64
#define REPLAYER_TEXT_BYTES	(REPLAY_PATH_BYTES + 256)

/* What it is told. All pointers outlive it. */
struct replayer_setup {
	const struct replay_logs *logs;
	uint32_t clone;
	struct openset *files;		/* they are those of the log; all may be open */
	uint64_t loops;
	uint64_t ios_max;		/* number_ios; 0: no limit */
	uint32_t range_flags;		/* SYNC_FILE_RANGE_*: logs do not tell */
	bool time_based;
	bool beside;			/* on another thread than the queue's: opens nothing */
};

struct replayer {
	struct replayer_setup s;
	struct replay_facts facts;	/* a view: who finds files remembers the last one */
	struct replay_log log;
	uint64_t loops_left;
	uint64_t ios_left;
	uint64_t begun;			/* clock_ticks() of the pass's beginning */
	uint64_t due;			/* clock_ticks(): not before that the last one starts */
	uint32_t closing[REPLAYER_CLOSING_MAX];	/* files to be closed when they are idle */
	uint32_t nr_closing;
	int err;			/* why no more comes, -errno ... */
	char why[REPLAYER_TEXT_BYTES];	/* ... in a sentence */
};

/*
 * replayer_init - read what is to be read before the clock starts. Closes the files that the log
 * opens. Returns 0, or -errno with a sentence in r->why. replayer_free() in both cases.
 */
int replayer_init(struct replayer *r, const struct replayer_setup *s);
void replayer_free(struct replayer *r);

/* replayer_pass - begin a pass. Returns false when the job has done all it was asked to. */
bool replayer_pass(struct replayer *r);

/*
 * replayer_next - the next I/O of the log. Returns false when the pass is over, or when r->err says
 * why it can't go on.
 */
bool replayer_next(struct replayer *r, struct workload_io *next);

/*
 * replayer_part - the part of a gate that keeps to the times of the log; the gate owns it. NULL
 * with *err as it is: there are none to keep to. *err: -ENOMEM.
 */
struct gate_part *replayer_part(struct replayer *r, int *err);

#endif
