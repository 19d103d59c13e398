/* SPDX-License-Identifier: MIT */
/*
 * What a case of the contract suite stands on: a queue with files, buffers and requests, driven as
 * the runner drives them, but suspicious of every answer.
 *
 * Each case runs in a process of its own, so the first broken promise ends it: contract_fail() says
 * what was promised and what came, in words for the author of the engine, and does not return.
 */
#ifndef CORE_CONTRACT_RIG_H
#define CORE_CONTRACT_RIG_H

#include "core/host.h"

#define CONTRACT_WORDS_BYTES	1024
#define CONTRACT_FILES_MAX	16
#define CONTRACT_BLOCK		4096u		/* bytes of an ordinary request */
#define CONTRACT_FILE_BYTES	(1u << 20)	/* of an ordinary file */
#define CONTRACT_WAIT_NS	5000000000ll	/* how long a request may take */

/* What all cases of one engine have in common. */
struct contract {
	const struct engine *engine;
	const void *opts;		/* its options, or NULL: defaults */
	bool opts_given;		/* by the user: they may exclude what a case wants */
	uint32_t depth;
	bool direct;			/* every rig is to be direct */
	const char *target;		/* the one the user named, or NULL: files in dir */
	const char *dir;		/* scratch folder; "" if the engine needs none */
};

/* What a case leaves to whoever started its process, in memory that both see. */
struct contract_report {
	char words[CONTRACT_WORDS_BYTES];	/* of contract_fail() or contract_skip() */
	const char *rule;	/* that was broken, a literal; NULL: the one of the case */
	const char *hook;	/* where the engine is, "close()", a literal; NULL: in no hook */
};

/* contract_begin - from now on in this process, all that is to be told goes to *report. */
void contract_begin(struct contract_report *report);
/*
 * contract_hook - the engine is being called, so that a crash or a hang can be told from where;
 * NULL: it has returned. Any thread; the last one counts.
 */
void contract_hook(const char *hook);
/* contract_fail - the engine broke a promise. Ends the process with status 1. */
void contract_fail(const char *fmt, ...) fl_printf(1, 2) __attribute__((noreturn));
/* contract_broke - the same; rule, a literal, is one that the case itself is not about. */
void contract_broke(const char *rule, const char *fmt, ...) fl_printf(2, 3)
	__attribute__((noreturn));
/* contract_skip - this case does not apply, and why. Ends the process with status 77. */
void contract_skip(const char *fmt, ...) fl_printf(1, 2) __attribute__((noreturn));

/* How a rig is to be. All zero: one file of CONTRACT_FILE_BYTES, opened for reading and writing. */
struct rig_spec {
	uint32_t depth;			/* 0: the contract's */
	uint32_t files;			/* 0: 1 */
	uint64_t file_bytes;		/* 0: CONTRACT_FILE_BYTES; a given target keeps its own */
	uint64_t block_max;		/* 0: CONTRACT_BLOCK */
	uint32_t first_file;		/* its number, so that two rigs can have their own */
	const void *opts;		/* NULL: the contract's */
	const struct fl_host *host;	/* NULL: the runner's */
	bool queue_only;		/* open no file */
	bool read_only;			/* open files with O_RDONLY */
	bool direct;			/* O_DIRECT and FL_JOB_DIRECT; skips where refused */
};

struct rig {
	struct contract *c;
	struct rig_spec spec;
	struct host_queue hq;
	struct fl_job job;
	struct fl_file files[CONTRACT_FILES_MAX];
	char names[CONTRACT_FILES_MAX][256];
	uint32_t file_count, opened;
	uint64_t file_bytes;		/* size of every file */
	uint32_t depth;
	struct fl_req *reqs;		/* by slot */
	struct fl_req *sent;		/* as they were when they were started */
	bool *busy;			/* by slot: in flight */
	uint32_t in_flight, untold;	/* untold: queued and not committed */
	struct fl_req **done;
	char *buffers;
	uint64_t stride, buffers_bytes;
	bool engine_buffers;
	bool no_data;			/* what is read does not come into the buffers */
	uint64_t counters[HOST_COUNTERS_MAX];
};

/* rig_open - make files with the pattern of generation 0; open queue, buffers, files. */
void rig_open(struct rig *r, struct contract *c, const struct rig_spec *spec);
/* rig_close - wait for what is in flight, close everything, free the rig's own memory. */
void rig_close(struct rig *r);
/* rig_drop - the same, without waiting for anything. */
void rig_drop(struct rig *r);

/* rig_can - may this operation be tried: has the engine targets, and knows it? */
bool rig_can(const struct rig *r, uint32_t op);
/* rig_file_open, rig_file_close - one file of an open rig once more. Fail the case on errors. */
void rig_file_open(struct rig *r, uint32_t file);
void rig_file_close(struct rig *r, uint32_t file);

/* rig_sync - is it a queue that finishes every request in queue()? */
bool rig_sync(const struct rig *r);
/* rig_need_async - skips the case for those. */
void rig_need_async(struct rig *r);
/* rig_why - the sentence for err, for messages. */
const char *rig_why(struct rig *r, int err);

/* rig_buf - the buffer of a slot. */
void *rig_buf(struct rig *r, uint32_t slot);
/* rig_fill - describe a request in a slot that is free, with the slot's own buffer. Returns it. */
struct fl_req *rig_fill(struct rig *r, uint32_t slot, uint32_t op, uint32_t file, uint64_t offset,
			uint64_t len);
/*
 * rig_start - prep and queue; a full queue is drained first. True: in flight. False: it is back,
 * and res is set.
 */
bool rig_start(struct rig *r, uint32_t slot);
/* rig_commit - tell the kernel about all that is queued. */
void rig_commit(struct rig *r);
/* rig_reap - complete() once, everything checked. Returns how many; they are in r->done. */
uint32_t rig_reap(struct rig *r, uint32_t min, uint32_t max, int64_t timeout_ns);
/*
 * rig_reap_min - rig_reap() without a limit that matters: fewer than min is a request lost, and
 * fails the case.
 */
uint32_t rig_reap_min(struct rig *r, uint32_t min, uint32_t max);
/* rig_wait_all - commit, and reap all that is in flight. */
void rig_wait_all(struct rig *r);
/* rig_io - one request from start to end in slot 0, buffer as it is. Returns its res. */
int64_t rig_io(struct rig *r, uint32_t op, uint32_t file, uint64_t offset, uint64_t len);

/* rig_need_data - skips the case for engines whose reads leave the buffers alone. */
void rig_need_data(const struct rig *r);
/* rig_check - is this what lies in the file? stamp_check() for engines that have data. */
void rig_check(const struct rig *r, const void *buf, uint64_t len, uint32_t file, uint64_t offset,
	       uint32_t generation);

/*
 * stamp_fill, stamp_check - bytes that tell file, offset and generation. check fails the case.
 */
void stamp_fill(void *buf, uint64_t len, uint32_t file, uint64_t offset, uint32_t generation);
void stamp_check(const void *buf, uint64_t len, uint32_t file, uint64_t offset,
		 uint32_t generation);

#endif
