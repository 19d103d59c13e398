/* SPDX-License-Identifier: MIT */
/*
 * What a log holds, found out by going through it once before anything runs: which files, what is
 * done to each and how far it reaches, how large the largest I/O is. From here the rest of the
 * program learns what a replay will do: whether it writes, and where. Memory depends on the number
 * of files, not on the length of the log.
 */
#ifndef CORE_REPLAY_FACTS_H
#define CORE_REPLAY_FACTS_H

#include "core/opt.h"
#include "core/replay_log.h"

/* A file of a log. */
struct replay_file {
	char *name;
	size_t name_len;
	uint32_t device;		/* number in the trace it comes from, or 0 */
	uint32_t dirs;			/* bit per enum fl_op direction */
	bool added;			/* by a line, as a file must be before it is used */
	bool opens;			/* the log says when it is opened */
	uint64_t end;			/* the largest I/O ends there; bytes from its beginning */
	uint64_t read_end;		/* the largest read does */
	uint64_t lacks_end;		/* ... of those that read beyond what was written before */
	uint64_t written_end;
};

struct replay_facts {
	struct replay_file *files;
	uint32_t nr;
	uint32_t *table;		/* by hash of the name: index + 1, or 0 */
	uint32_t table_room;		/* a power of two */
	uint32_t last;			/* index of the file that was found last */
	char *redirect;			/* all is done to this one, which is files[0]; or NULL */
	uint32_t dirs;			/* of all files */
	uint64_t ios[DIRS], bytes[DIRS];
	uint64_t syncs;
	uint64_t len_min, len_max;	/* bytes of reads and writes; 0: there are none */
	uint64_t trim_min, trim_max;
	uint64_t end_ns;		/* time of the last entry */
};

#define REPLAY_FILES_MAX	1000000u

/*
 * replay_facts_init - of a log that nobody has looked at yet. redirect: replay_redirect, or NULL.
 * Returns 0 or -ENOMEM; replay_facts_free() in both cases.
 */
int replay_facts_init(struct replay_facts *f, const char *redirect);
void replay_facts_free(struct replay_facts *f);

/*
 * replay_facts_gather - go through the log to its end, and add what it holds `times` times. Returns
 * 0, or -errno with a sentence in why: the log is damaged, or does not make sense.
 */
int replay_facts_gather(struct replay_facts *f, struct replay_log *log, uint64_t times, char *why,
			size_t why_bytes);

/*
 * replay_facts_find - the index of the file that an entry is about; -1: it is none of them. Changes
 * nothing but what is remembered of the last time.
 */
int64_t replay_facts_find(struct replay_facts *f, const struct replay_entry *e);

#endif
