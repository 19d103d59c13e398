/* SPDX-License-Identifier: MIT */
/*
 * The verifier of one worker: it fills what is written, knows at every moment which write each
 * block must be of, chooses what is read back, and judges it.
 *
 * It stands between the workload and the loop: the loop asks it for the next I/O, and it passes on
 * what the workload chooses, with reads of its own in between (verify_backlog) or behind (the phase
 * at the end of a loop over the files). A block belongs to the last write that was handed out;
 * writes that could overlap in flight are serialized (overlap.h), so that there is just one answer.
 */
#ifndef CORE_VERIFIER_H
#define CORE_VERIFIER_H

#include "core/backlog.h"
#include "core/checker.h"
#include "core/frontier.h"
#include "core/stats.h"
#include "lib/writemap.h"

/* What a verifier is told. All pointers outlive it. */
struct verifier_setup {
	const struct verify_conf *conf;
	const struct file_set *files;
	struct worker_block *block;	/* counts */
	struct frontier *frontier;	/* how far the writes have come, for the parent; or NULL */
	const struct vstate *state;	/* that has been loaded: how far they had come; or NULL */
	/* called when an fsync has promised more than before; or NULL */
	void (*promised)(void *ctx);
	void *ctx;
	bool synchronous;		/* each write is on the medium when it has completed */
	uint64_t seed;
	uint32_t job;			/* number of the job in the run */
	uint64_t block_max;		/* bytes of the largest I/O */
	bool trims_read_zero;		/* so the engine says; else those of regular files do */
};

struct verifier {
	struct verifier_setup s;
	struct checker checker;		/* of the worker's own thread */
	uint32_t *marks;		/* of one I/O */
	struct writemap map;		/* of units, those of all files in a row: their marks */
	void *map_memory;
	uint64_t map_bytes;
	uint64_t *first;		/* unit at which each file begins; nr + 1 of them */
	uint64_t number;		/* of the last write handed out */
	uint64_t writes;		/* that were remembered */
	uint32_t more;			/* MARK_UNSURE: there were writes that the state lacks */
	bool stopped;			/* the state has no writes beyond that */
	uint64_t loop_number;		/* ... when the loop over the files began */
	/* the check at the end of a loop */
	bool checking;
	uint64_t cursor;		/* unit it has come to */
	uint32_t file;			/* that one is in */
	struct backlog to_check;	/* verify_backlog */
	struct backlog to_trim;		/* trim_percentage */
	struct rand rand;		/* which of the writes */
};

/*
 * verifier_init - Returns 0, or -errno with a sentence in why. verifier_free() in both cases; a
 * zeroed one is fine, too.
 */
int verifier_init(struct verifier *v, const struct verifier_setup *s, char *why, size_t why_bytes);
void verifier_free(struct verifier *v);

/*
 * verifier_next - the next I/O: as workload_next(), with next->verify set where it is to be checked
 * when it has been read. Returns false when the pass, or the check behind it, is over.
 */
bool verifier_next(struct verifier *v, struct workload *wl, struct workload_io *next);

/* verifier_arrived - the workload has chosen this one elsewhere: as if by verifier_next(). */
void verifier_arrived(const struct verifier *v, struct workload_io *io);

/* verifier_put_back - what verifier_next() chose last has not been done: checks come again. */
void verifier_put_back(struct verifier *v, const struct workload_io *io);

/* verifier_fill - a write is handed out in this slot: fill buf, and remember. Or a trim. */
void verifier_fill(struct verifier *v, void *buf, const struct workload_io *io, uint32_t slot);

/* verifier_written - it is back, with this error or 0. */
void verifier_written(struct verifier *v, uint32_t slot, uint32_t file, int err);

/*
 * verifier_sync - an fsync of a file is handed out: what it promises when it succeeds, for
 * verifier_synced().
 */
uint64_t verifier_sync(const struct verifier *v, uint32_t file);
void verifier_synced(struct verifier *v, uint32_t file, uint64_t promises);

/* verifier_lost - a write or trim of them failed: nobody knows what is there now. */
void verifier_lost(struct verifier *v, uint32_t file, uint64_t offset, uint64_t len);

/* verifier_trims_to_zero - must trimmed blocks of this file read as zeroes? */
bool verifier_trims_to_zero(const struct verifier *v, uint32_t file);

/*
 * verifier_check - judge what was read: buf, file, offset, len of r. Returns 0; or -EILSEQ, with a
 * sentence about the first wrong block in v->checker.why. All of them are counted.
 */
int verifier_check(struct verifier *v, struct checker_read *r);

/*
 * The same in two steps, with a checker of somebody else's in between. verifier_read() says what
 * must be in what was read: marks has room for those of the largest I/O. verifier_judged() counts.
 */
void verifier_read(const struct verifier *v, struct checker_read *r, uint32_t *marks);
void verifier_judged(struct verifier *v, uint64_t blocks, uint64_t wrong);

/*
 * verifier_begin_check - all writes of the loop have ended: verifier_next() goes through what is to
 * be read back. Returns false when there is nothing. verifier_end_check() when it is through.
 */
bool verifier_begin_check(struct verifier *v);
void verifier_end_check(struct verifier *v);

#endif
