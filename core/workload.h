/* SPDX-License-Identifier: MIT */
/*
 * The workload: which operation on which block of which file comes next.
 *
 * A job is a number of passes over its files. A pass ends when it has issued as many bytes as the
 * files hold (or io_size, or number_ios, asks for), or when no block is left. Who decides about
 * time, and who does the I/O, is elsewhere: the same settings and the same job number give the same
 * requests, whatever engine serves them and however fast.
 *
 * Random order without repeats is a keyed permutation of the blocks (O(1) memory) when all blocks
 * have one size; one for each direction when these differ in size but each has only one, so that
 * every block is whole and aligned to its size; and a block map when sizes vary.
 */
#ifndef CORE_WORKLOAD_H
#define CORE_WORKLOAD_H

#include "core/opt.h"
#include "lib/blockmap.h"
#include "lib/permute.h"
#include "lib/rand.h"

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
	uint64_t run;			/* random `rw=X:N`: consecutive I/Os per new offset; 0 and 1: one */
};

struct workload_conf {
	struct rw_conf rw;
	struct per_dir bs;
	struct range_dirs bsrange;	/* lo 0: not set, bs counts */
	uint32_t mix_read, mix_write;	/* percent */
	struct amount io_size;		/* 0: as much as size */
	uint64_t number_ios;		/* 0: no limit */
	uint64_t loops;
	uint32_t norandommap;
	uint32_t randrepeat;
	uint64_t randseed;
	uint64_t fsync_every;		/* writes between two fsyncs, 0: never */
	uint64_t fdatasync_every;
};

extern const struct opt_table workload_options;

/* workload_check - bounds that need more than one row. 0, or -EINVAL with a sentence in why. */
int workload_check(struct workload_conf *c, char *why, size_t why_bytes);

/* workload_rw_name - "randread", without the postfix. */
const char *workload_rw_name(uint32_t bits);

/* workload_block_range - smallest and largest block of a direction, bytes. */
struct range workload_block_range(const struct workload_conf *c, int dir);
/* workload_block_min, _max - over all directions the job uses. */
uint64_t workload_block_min(const struct workload_conf *c);
uint64_t workload_block_max(const struct workload_conf *c);

/* Random order of one direction, where the directions have blocks of different sizes. */
struct workload_order {
	uint64_t blocks;		/* of this direction */
	uint64_t drawn;
	struct permute perm;		/* n 0: norandommap */
};

/* The part of one file that a worker works on, and how far it is. */
struct workload_file {
	uint64_t start;			/* bytes */
	uint64_t bytes;
	uint64_t size;			/* of the whole file; at least start + bytes */
	uint64_t blocks;		/* whole smallest blocks in bytes */
	uint64_t pos[DIRS];		/* sequential: next offset, from start */
	uint64_t run_end;		/* random runs: where the last I/O ended, from start */
	uint64_t drawn;			/* blocks drawn from the permutation */
	struct permute perm;		/* n 0: not set up yet */
	struct blockmap *map;		/* NULL: not in use */
	struct workload_order *each;	/* DIRS of them; NULL: not in use */
	bool done;			/* no block left in this pass */
};

/* What comes next. */
struct workload_io {
	uint32_t op;			/* enum fl_op */
	uint32_t file;			/* index */
	uint64_t offset;		/* from the start of the file */
	uint64_t len;
};

struct workload {
	const struct workload_conf *conf;
	struct workload_file *files;
	uint32_t nr_files;
	uint32_t file;			/* the one whose turn it is */
	uint32_t files_done;
	/* decided once */
	struct range block[DIRS];
	uint64_t block_min;
	bool fixed;			/* all blocks have one size */
	bool fixed_each;		/* all blocks of a direction have one size, directions differ */
	bool random;
	bool simple;			/* one file, one direction, fixed blocks, no steps, no syncs */
	uint32_t one_dir;		/* the direction of simple workloads */
	uint64_t run;			/* random: I/Os per new offset */
	/* the pass */
	uint64_t pass_limit;		/* bytes this pass may issue */
	uint64_t pass_bytes;		/* issued in this pass */
	uint64_t pass;			/* passes begun */
	uint64_t loop_bytes;		/* issued in the earlier passes of this loop */
	uint64_t issued_ios;
	uint64_t ios_limit;		/* number_ios, or UINT64_MAX */
	uint64_t total_limit;		/* io_size in bytes; 0: not set */
	uint64_t total_bytes;		/* all files together */
	uint64_t loops_left;
	uint64_t writes;		/* issued, for fsync= */
	bool sync_due;			/* the next is an fsync or fdatasync of sync_file */
	uint32_t sync_op;
	uint32_t sync_file;
	uint64_t run_left;
	bool write_due;			/* trimwrite: the write half comes next */
	struct workload_io trimmed;
	uint64_t key;			/* of the permutations */
	struct rand rand_offset, rand_mix, rand_size;
};

/*
 * workload_init - set up for files of these ranges. The array is taken over (workload_free() frees it).
 * total_limit: io_size in bytes, 0 for none. job_number: which stream of the seed.
 * Returns 0, -ENOMEM, or -EINVAL when no block fits any file.
 */
int workload_init(struct workload *w, const struct workload_conf *c, struct workload_file *files,
		  uint32_t nr_files, uint64_t total_limit, uint64_t seed, uint32_t job_number);
void workload_free(struct workload *w);

/*
 * workload_next_pass - begin a pass. Returns 1, or 0 when the job has done all it was asked to.
 * time_based jobs go on for ever: the caller ends them.
 */
int workload_next_pass(struct workload *w, bool time_based);

/* workload_general - workload_next() for all that is not simple. */
bool workload_general(struct workload *w, struct workload_io *io);

/*
 * workload_simple_offset - next offset of a simple workload, from the file's start; UINT64_MAX at the end
 * of the pass.
 */
fl_inline uint64_t workload_simple_offset(struct workload *w, struct workload_file *f)
{
	uint64_t block;

	if (!w->random) {
		uint64_t at = f->pos[0];

		if (unlikely(at + w->block_min > f->bytes))
			return UINT64_MAX;
		f->pos[0] = at + w->block_min;
		return at;
	}
	if (w->conf->norandommap) {
		block = rand_below(&w->rand_offset, f->blocks);
	} else {
		if (unlikely(f->drawn >= f->blocks))
			return UINT64_MAX;
		block = permute_at(&f->perm, f->drawn++);
	}
	return block * w->block_min;
}

/* workload_simple - workload_next() where w->simple is known to be true. */
fl_inline bool workload_simple(struct workload *w, struct workload_io *io)
{
	uint64_t at;

	if (unlikely(w->pass_bytes >= w->pass_limit || w->issued_ios >= w->ios_limit))
		return false;
	at = workload_simple_offset(w, &w->files[0]);
	if (unlikely(at == UINT64_MAX))
		return false;
	io->op = w->one_dir;
	io->file = 0;
	io->offset = w->files[0].start + at;
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
