/* SPDX-License-Identifier: MIT */
/*
 * What is to be verified, and how the blocks look: the options, and what follows from them for a
 * job before it runs. The work is done in verifier.h.
 *
 * What a job writes is cut into blocks of one size, the unit: the largest that divides every place
 * and length that its I/Os can have, and verify_interval. So a later write replaces whole blocks or
 * none, and what each must hold is known at every moment, whatever overlaps what.
 */
#ifndef CORE_VERIFY_H
#define CORE_VERIFY_H

#include "core/opt.h"
#include "core/workload.h"
#include "lib/vblock.h"

enum verify_mode {
	VERIFY_NONE = 0,
	VERIFY_SUM,			/* header, and a checksum of the payload in it */
	VERIFY_META,			/* header only */
	VERIFY_PATTERN,			/* verify_pattern, without a header */
	VERIFY_PATTERN_HDR,		/* verify_pattern behind a header */
	VERIFY_NULL,			/* nothing is checked */
};

/* verify_policy: of which writes a state that is loaded says that they must be there. */
enum verify_policy { VERIFY_COMPLETED, VERIFY_FSYNCED };

/* verify= */
struct verify_kind {
	enum verify_mode mode;
	const struct checksum_kind *sum;	/* of VERIFY_SUM */
};

struct verify_conf {
	struct verify_kind kind;
	uint32_t do_verify;
	uint64_t interval;		/* bytes; 0: the block */
	uint64_t header_at;		/* verify_offset */
	const struct pattern *pattern;
	uint64_t pattern_interval;	/* 0: it begins anew with each block */
	uint32_t fatal, dump;
	uint64_t backlog, backlog_batch;	/* I/Os; 0: at the end; 0: the backlog */
	uint32_t only;
	uint32_t state_save, state_load;
	uint32_t policy;		/* enum verify_policy */
	const char *state_file;		/* verify_state_file, or NULL */
	uint32_t async;			/* threads that judge; 0: the worker's own does */
	const struct cpus *async_cpus;	/* they may run on; NULL: those of the job */
	uint32_t trim_percentage;	/* of the writes */
	uint32_t trim_verify_zero;
	uint64_t trim_backlog, trim_backlog_batch;	/* as backlog, backlog_batch */
	uint32_t write_sequence, header_seed;
	/* what verify_check() finds out */
	uint32_t unit;			/* bytes of a block */
	bool writes, reads;		/* the job writes; it only reads */
	bool from_end;			/* I/Os lie as the end of the file does */
	bool overlaps;			/* I/Os in flight together can overlap: they must not */
	uint32_t compress;		/* percent of a block that are zeroes */
	bool trims_read_zero;		/* of devices, too, by the engine's trim_method */
};

extern const struct opt_table verify_options;

/* What verify_check() must know of the job's other settings. */
struct verify_need {
	const struct workload_conf *workload;
	bool offload;			/* io_submit_mode=offload */
	bool can_trim;			/* so the engine says */
	bool trims_read_zero;		/* it trims devices so that they do */
	const char *engine;		/* its name */
	bool time_based;
	uint32_t compress;		/* buffer_compress_percentage */
	uint32_t dedupe;		/* dedupe_percentage */
	bool replay;			/* read_iolog */
};

/*
 * verify_check - settle the unit and what depends on it. Returns 0, or -EINVAL with a sentence in
 * why, or 1 with a note.
 */
int verify_check(struct verify_conf *c, const struct verify_need *need, char *why,
		 size_t why_bytes);

/* verify_on - is anything verified? */
fl_inline bool verify_on(const struct verify_conf *c)
{
	return c->kind.mode != VERIFY_NONE;
}

/* verify_judges - threads that judge what is read; 0: the worker's own does it. */
fl_inline uint32_t verify_judges(const struct verify_conf *c)
{
	return verify_on(c) && c->do_verify ? c->async : 0;
}

/*
 * verify_spare - requests there are beyond iodepth, so that nothing waits while others are judged:
 * for each thread one that it judges and one that comes next.
 */
fl_inline uint32_t verify_spare(const struct verify_conf *c)
{
	return 2 * verify_judges(c);
}

/* verify_least - bytes that a block needs at least, with its header; from 1. */
uint32_t verify_least(const struct verify_conf *c);

/* verify_block - how the blocks of file `file` look, of job `number` whose seed this is. */
struct vblock verify_block(const struct verify_conf *c, uint64_t seed, uint32_t number,
			   uint32_t file);

#endif
