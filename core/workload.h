/* SPDX-License-Identifier: MIT */
/*
 * The workload: which operation on which block of which file comes next.
 *
 * A job is a number of passes over its files. A pass ends when it has issued as many bytes as the
 * files hold (or io_size, or number_ios, asks for), or when no block is left. Who decides about
 * time, and who does the I/O, is elsewhere: the same settings and the same job number give the same
 * requests, whatever engine serves them and however fast.
 *
 * Sizes (sizes.h), random order (order.h) and the choice of files (turns.h) are parts of their own.
 */
#ifndef CORE_WORKLOAD_H
#define CORE_WORKLOAD_H

#include "core/opt.h"
#include "core/order.h"
#include "core/sizes.h"
#include "core/turns.h"
#include "core/zbd_conf.h"

/* What rw= said. */
#define RW_READ		(1u << DIR_READ)
#define RW_WRITE	(1u << DIR_WRITE)
#define RW_TRIM		(1u << DIR_TRIM)
#define RW_DIRS		(RW_READ | RW_WRITE | RW_TRIM)
#define RW_RANDOM	(1u << 4)
#define RW_TRIM_WRITE	(1u << 5)	/* trim, then write of the same block, in turns */

struct rw_conf {
	uint32_t bits;			/* RW_* */
	int64_t step;			/* sequential `rw=X:STEP`: bytes skipped after each I/O */
	uint64_t run;			/* random `rw=X:N`: I/Os per new offset; 0 and 1: one */
};

struct range_sync_conf {
	uint64_t every;			/* writes between two; 0: never */
	uint32_t flags;			/* SYNC_FILE_RANGE_* */
};

struct workload_conf {
	struct rw_conf rw;
	uint32_t identical;		/* rw_sequencer: the N I/Os of a run have one offset */
	uint32_t mix_read, mix_write;	/* percent */
	struct amount io_size;		/* 0: as much as size */
	uint64_t part_bytes;		/* size beside filesize: per loop, of what files hold */
	uint64_t number_ios;		/* 0: no limit */
	uint64_t loops;
	uint32_t randrepeat;
	uint64_t randseed;
	uint64_t fsync_every;		/* writes between two fsyncs, 0: never */
	uint64_t fdatasync_every;
	struct range_sync_conf range_sync;
	struct sizes_conf sizes;
	struct order_conf order;
	struct turns_conf turns;
	struct zones_conf zones;
	struct zbd_conf zbd;
};

extern const struct opt_table workload_options;

/*
 * workload_check - bounds that need more than one row. 0, or -EINVAL with a sentence in why, or 1
 * with a note.
 */
int workload_check(struct workload_conf *c, char *why, size_t why_bytes);

/* workload_rw_name - "randread", without the postfix. */
const char *workload_rw_name(uint32_t bits);

/* workload_block_range - smallest and largest block of a direction, bytes. */
struct range workload_block_range(const struct workload_conf *c, int dir);
/* workload_block_min, _max - over all directions the job uses. */
uint64_t workload_block_min(const struct workload_conf *c);
uint64_t workload_block_max(const struct workload_conf *c);

/*
 * workload_limit - what a loop is to move where that is not what the files hold, else 0. Bytes of
 * all files, and of a zone (zonemode=zbd).
 */
uint64_t workload_limit(const struct workload_conf *c, uint64_t files_bytes, uint64_t zone_bytes);

/* workload_map_bytes - memory that random order needs for a file of so many bytes; mostly 0. */
uint64_t workload_map_bytes(const struct workload_conf *c, uint64_t bytes);

/*
 * workload_order_fits - does random_distribution name only blocks that a file of so many bytes has?
 * 0, -ERANGE or -ENOMEM.
 */
int workload_order_fits(const struct workload_conf *c, uint64_t bytes);

/* The part of one file that a worker works on, and how far it is. */
struct workload_file {
	uint64_t start;			/* bytes */
	uint64_t bytes;
	uint64_t size;			/* of the whole file; at least start + bytes */
	struct window window;		/* where I/O is now, from start; mostly all bytes */
	uint64_t pos[DIRS];		/* sequential: next offset, from start */
	uint64_t last;			/* random: where the last I/O began ... */
	uint64_t run_end;		/* ... and where it ended, from start */
	struct order_file order;	/* of the blocks of a window */
	uint64_t written_lo, written_hi;	/* since the last sync_file_range */
};

/* What comes next. */
struct workload_io {
	uint32_t op;			/* enum fl_op */
	uint32_t file;			/* index */
	uint64_t offset;		/* from the start of the file */
	uint64_t len;
	uint64_t arg;			/* of FL_OP_SYNC_RANGE */
	bool verify;			/* set by verifier_next() alone: check what is read */
	bool back;			/* ... as the job wrote it: no I/O of the workload */
};

struct workload {
	/* what each I/O of a simple workload needs lies together, for the sake of the caches */
	struct workload_file *files;
	uint64_t block_min;
	uint64_t pass_limit;		/* bytes this pass may issue */
	uint64_t pass_bytes;		/* issued in this pass */
	uint64_t issued_ios;
	uint64_t ios_limit;		/* number_ios, or UINT64_MAX */
	uint32_t one_dir;		/* the direction of simple workloads */
	/* one file, one direction, fixed blocks, nothing in between */
	bool simple;
	bool random;
	struct order order;
	/* decided once */
	const struct workload_conf *conf;
	uint32_t nr_files;
	bool fixed;			/* all blocks have one size */
	bool strided;			/* windows move (zonemode=strided) */
	uint64_t run;			/* random: I/Os per new offset */
	struct sizes sizes;
	struct turns turns;
	/* the pass */
	uint64_t pass;			/* passes begun */
	uint64_t orders;		/* random orders begun: of passes, and of zones in them */
	uint64_t loop_bytes;		/* issued in the earlier passes of this loop */
	uint64_t order_bytes;		/* issued in earlier passes that went on with one order */
	bool went_on;			/* the pass began where the last one ended */
	uint64_t total_limit;		/* as workload_limit() says; 0: not set */
	uint64_t total_bytes;		/* a pass over all files moves so much */
	uint64_t loops_left;
	uint64_t writes;		/* issued, for fsync= */
	bool sync_due;			/* the next is an fsync or its like of sync_file */
	uint32_t sync_op;
	uint32_t sync_file;
	uint64_t run_left;
	uint32_t dirs_open;		/* bit each: what a mix may choose from */
	bool write_due;			/* trimwrite: the write half comes next */
	struct workload_io trimmed;
	struct rand rand_mix, rand_size;
};

/*
 * workload_init - set up for files of these ranges. The array is taken over.
 * total_limit: of workload_limit(). job_number: which stream of the seed.
 * Returns 0, -ENOMEM, -ERANGE (random_distribution names blocks beyond a file), or -EINVAL when no
 * block fits any file. workload_free() in all cases.
 */
int workload_init(struct workload *w, const struct workload_conf *c, struct workload_file *files,
		  uint32_t nr_files, uint64_t total_limit, uint64_t seed, uint32_t job_number);
void workload_free(struct workload *w);

/*
 * workload_next_pass - begin a pass. Returns 1, or 0 when the job has done all it was asked to.
 * time_based jobs go on for ever: the caller ends them.
 */
int workload_next_pass(struct workload *w, bool time_based);

/*
 * workload_loop_over - the pass is over: is the loop, too? Not where io_size wants more passes.
 * Nothing of a time_based job is over before its time.
 */
bool workload_loop_over(const struct workload *w);

/*
 * workload_chooses_dir - is it free to choose between reads and writes? Then it keeps to
 * dirs_open, which rules over the mix.
 */
bool workload_chooses_dir(const struct workload *w);

/* workload_general - workload_next() for all that is not simple. */
bool workload_general(struct workload *w, struct workload_io *io);

/* workload_simple - workload_next() where w->simple is known to be true. */
fl_inline bool workload_simple(struct workload *w, struct workload_io *io)
{
	struct workload_file *f = &w->files[0];
	uint64_t at;

	if (unlikely(w->pass_bytes >= w->pass_limit || w->issued_ios >= w->ios_limit))
		return false;
	if (w->random) {
		uint64_t block = order_draw(&w->order, &f->order, (int)w->one_dir);

		if (unlikely(block == ORDER_NONE))
			return false;
		at = block * w->block_min;
	} else {
		at = f->pos[0];
		if (unlikely(at + w->block_min > f->bytes))
			return false;
		f->pos[0] = at + w->block_min;
	}
	io->op = w->one_dir;
	io->file = 0;
	io->offset = f->start + at;
	io->len = w->block_min;
	w->pass_bytes += w->block_min;
	w->issued_ios++;
	return true;
}

/*
 * workload_next - choose the next I/O of the pass. The I/O path: no allocation, no division.
 * Returns false when the pass is over (io is untouched).
 */
fl_inline bool workload_next(struct workload *w, struct workload_io *io)
{
	return likely(w->simple) ? workload_simple(w, io) : workload_general(w, io);
}

#endif
