/* SPDX-License-Identifier: MIT */
/*
 * A log that is replayed, one entry after the other: an iolog of version 2 or 3, or a trace of the
 * kernel's block layer, which the first bytes tell apart. Logs of any length are read through one
 * buffer. Several workers may read the same descriptor: each has its own place in it.
 *
 * What the options of a replay do to each entry (skip, scale, align, time) is done here, so that
 * who looks at a log beforehand and who replays it see the same.
 */
#ifndef CORE_REPLAY_LOG_H
#define CORE_REPLAY_LOG_H

#include "lib/blktrace.h"
#include "lib/iolog.h"

#define REPLAY_PATH_BYTES	4096

/* What is done to entries. */
struct replay_change {
	uint64_t scale;			/* offsets are divided by it; 0, 1: not */
	uint64_t align;			/* offsets are rounded down to it, a power of two; 0: not */
	uint64_t time_percent;		/* 100: in the log's own time, 200: twice as fast */
	uint32_t skip;			/* bit per enum iolog_action that is left out */
};

/* An entry. */
struct replay_entry {
	enum iolog_action action;	/* never IOLOG_WAIT */
	uint64_t at_ns;			/* since the log's beginning; never less than before */
	uint64_t offset, len;		/* bytes */
	struct span name;		/* of iologs; valid until the next entry is asked for */
	uint32_t device;		/* of traces */
	bool of_trace;
};

struct replay_log {
	const char *path;		/* for messages */
	const struct replay_change *change;
	int fd;				/* not ours to close */
	bool whole;			/* all of it is in memory */
	int version;			/* 2, 3; 0: a trace */
	enum blktrace_order order;
	char *buf;
	size_t room;			/* bytes of it */
	size_t begin, end;		/* of what has been read and not yet used */
	uint64_t next_byte;		/* of the file that is read next */
	bool ended;			/* there is no more to read */
	uint64_t line;			/* number of the line, or record, of the last entry */
	uint64_t used;			/* bytes of the file before `begin` */
	uint64_t skip_bytes;		/* what follows a record is left out */
	bool begun;			/* some entry has had a time */
	uint64_t waited_ns;		/* version 2: all waits so far */
	uint64_t raw_ns, own_ns;	/* time of the last one: its own, and without jumps back */
};

/*
 * replay_log_open - begin to read from the descriptor of a file, which stays open for as long as
 * the log is read. whole: read all of it into memory now, and nothing later. Returns 0, or -errno
 * with a sentence in why: -EINVAL where it is no log. replay_log_free() in both cases.
 */
int replay_log_open(struct replay_log *log, const char *path, int fd, bool whole,
		    const struct replay_change *change, char *why, size_t why_bytes);
void replay_log_free(struct replay_log *log);

/* replay_log_room - how much memory that takes for this descriptor, bytes. */
size_t replay_log_room(int fd, bool whole);

/* replay_log_rewind - begin anew. */
void replay_log_rewind(struct replay_log *log);

/*
 * replay_log_next - Returns 1; 0 at the end; or -errno with a sentence in why that begins with the
 * place, "FILE:LINE". The I/O path of a replay, though outside of any I/O: no allocation.
 */
int replay_log_next(struct replay_log *log, struct replay_entry *e, char *why, size_t why_bytes);

/*
 * replay_log_event - the next event of a trace, as it is there. For those who want more of it than
 * its I/Os. Returns as replay_log_next().
 */
int replay_log_event(struct replay_log *log, struct blktrace_event *event, char *why,
		     size_t why_bytes);

#endif
