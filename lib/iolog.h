/* SPDX-License-Identifier: MIT */
/*
 * Lines of iologs, versions 2 and 3: what a job did, in the order in which it did it, as text.
 *
 *	fio version 3 iolog			fio version 2 iolog
 *	MICROSECONDS FILE add			FILE add
 *	MICROSECONDS FILE read OFFSET LENGTH	FILE read OFFSET LENGTH
 *						FILE wait MICROSECONDS 0
 *
 * A line is read from both ends, so that a name may hold blanks. The parser looks at one line at a
 * time and keeps nothing: a log of any length is read in constant memory. The format was found out
 * from the manual of fio 3.33 and by looking at what it writes and takes.
 */
#ifndef LIB_IOLOG_H
#define LIB_IOLOG_H

#include "lib/base.h"
#include "lib/parse_err.h"
#include "lib/span.h"

enum iolog_action {
	IOLOG_READ,			/* these three are numbered as directions are */
	IOLOG_WRITE,
	IOLOG_TRIM,
	IOLOG_SYNC,
	IOLOG_DATASYNC,
	IOLOG_SYNC_RANGE,		/* sync_file_range(2): fio writes it, and reads none */
	IOLOG_WAIT,			/* version 2 only */
	IOLOG_ADD,
	IOLOG_OPEN,
	IOLOG_CLOSE,
	IOLOG_ACTIONS,
};

/* A line may have so many bytes, its end not counted: a path, an action, three numbers. */
#define IOLOG_LINE_MAX	4352

struct iolog_line {
	enum iolog_action action;
	struct span name;		/* points into the text */
	uint64_t time_us;		/* version 3, else 0 */
	uint64_t offset, len;		/* bytes; of IOLOG_WAIT, offset are microseconds */
};

/* iolog_version - what a log's first line, without its end, says: 2, 3, or 0 if it is no iolog. */
int iolog_version(struct span line);

/*
 * iolog_parse - one line, without its end. version: 2 or 3. Returns 1; 0 for a line that holds
 * nothing: a blank one, or the first of another log that has been appended; or -EINVAL with err,
 * then *out is undefined. offset + len is at most INT64_MAX; reads, writes and trims have a length.
 */
int iolog_parse(struct span line, int version, struct iolog_line *out, struct parse_err *err);

/* iolog_is_io - does it go to the engine: a read, write, trim or sync of any kind? */
fl_inline bool iolog_is_io(enum iolog_action a)
{
	return a <= IOLOG_SYNC_RANGE;
}

/* iolog_action_name - the word, as in "datasync". Never NULL. */
const char *iolog_action_name(enum iolog_action a);

/* iolog_head - the first line of a log of version 3, with its end. */
const char *iolog_head(void);

/*
 * iolog_put - the text of a line of version 3, with its end, at `at`, where line->name.len + 96
 * bytes must be free. Returns its end.
 */
char *iolog_put(char *at, const struct iolog_line *line);

#endif
