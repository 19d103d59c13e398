/* SPDX-License-Identifier: MIT */
/*
 * Facts: named values in order, made by whoever knows them, printed and compared by one who need
 * not know what they mean.
 *
 * A name is a path with dots, as in "cpu.governor". A part that is a number is a place in a list:
 * "targets.0.device.scheduler". Facts of one object must follow each other.
 */
#ifndef LIB_FACTS_H
#define LIB_FACTS_H

#include "lib/base.h"
#include "lib/strbuf.h"

struct json;

#define FACTS_PARTS_MAX	24	/* of a name */

/* What is special about a fact. */
#define FACT_ID		1u	/* tells a machine, a place or a person from others */
#define FACT_WORDS	2u	/* "a=b c": values that may tell that; blanks between them */
#define FACT_OPTIONS	4u	/* the same, with commas between them */
#define FACT_VARIES	8u	/* changes by itself: that is no news */
#define FACT_DETAIL	16u	/* only for those who want to know everything */
#define FACT_ROUGH	32u	/* a number that is never twice the same: a fifth is no news */

enum fact_kind { FACT_TEXT, FACT_U64, FACT_I64, FACT_REAL, FACT_BOOL };

struct fact {
	char *name;
	char *text;		/* of a number its digits; of a bool "true", "false" */
	enum fact_kind kind;
	unsigned int flags;
};

/* All zero is an empty list. */
struct facts {
	struct fact *list;
	size_t count, room;
	struct strbuf at;	/* what facts_enter() has put in front of names */
	unsigned int without;	/* facts with one of these flags are not taken; need no asking */
};

void facts_free(struct facts *f);

/*
 * facts_enter - names from now on lie below these parts, as in "targets.0", until facts_leave() is
 * given what this returns.
 */
size_t facts_enter(struct facts *f, const char *fmt, ...) fl_printf(2, 3);
void facts_leave(struct facts *f, size_t mark);

/* Add one. name: without what facts_enter() said. A NULL or empty text adds nothing. */
void facts_text(struct facts *f, const char *name, const char *text, unsigned int flags);
void facts_u64(struct facts *f, const char *name, uint64_t value, unsigned int flags);
void facts_i64(struct facts *f, const char *name, int64_t value, unsigned int flags);
void facts_real(struct facts *f, const char *name, double value, unsigned int flags);
void facts_bool(struct facts *f, const char *name, bool value, unsigned int flags);

/* facts_get - the text of a fact by its whole name; NULL if there is none. */
const char *facts_get(const struct facts *f, const char *name);

/*
 * facts_redact - replace what FACT_ID marks by "redacted-1", "redacted-2" ..., the same text always
 * by the same, and in FACT_WORDS and FACT_OPTIONS the values that are not known to be harmless.
 * keep: the names whose values are, NULL-ended; one that ends in '.' stands for all that begin so.
 */
void facts_redact(struct facts *f, const char *const *keep);

/* facts_json - write them as members of the open object, less those with a flag of without. */
void facts_json(const struct facts *f, unsigned int without, struct json *doc);

/*
 * facts_compare - call fn for every fact that differs, has gone (now NULL) or is new (was NULL),
 * in the order of after and then of what has gone. Those that vary do not count.
 */
void facts_compare(const struct facts *before, const struct facts *after,
		   void (*fn)(void *ctx, const struct fact *was, const struct fact *now),
		   void *ctx);

/* facts_append - copies of all facts of another list, below what facts_enter() said here. */
void facts_append(struct facts *f, const struct facts *more);

#endif
