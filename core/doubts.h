/* SPDX-License-Identifier: MIT */
/*
 * Doubtful settings: what a job says that has no effect, cannot work here, or measures something
 * else than its writer seems to want; told before it runs, by --explain and --parse-only.
 *
 * Each check is a row and a small function that judges settings and facts. A check asks the kernel
 * nothing: what it needs has been gathered (doubt_facts.h), so that tests can make it up. No check
 * may speak up where all is well: a warning that is there every time is one that nobody reads.
 */
#ifndef CORE_DOUBTS_H
#define CORE_DOUBTS_H

#include "core/doubt_facts.h"
#include "core/outlook.h"

enum doubt_grade {
	DOUBT_NOTE,			/* good to know; may well be meant so */
	DOUBT_DOUBTFUL,			/* hardly what was meant, or hardly what will be measured */
};

#define DOUBT_TEXT_BYTES	320
#define DOUBT_FIX_BYTES		160

struct doubt {
	const char *id;			/* lives as long as the program */
	enum doubt_grade grade;
	const char *option;		/* it is about, by its canonical name; NULL: none */
	char text[DOUBT_TEXT_BYTES];	/* a sentence without a full stop */
	char fix[DOUBT_FIX_BYTES];	/* what to do: an option, or a few words */
};

/* One job with all its clones, as a check sees it. */
struct doubt_case {
	const struct doubt_machine *machine;
	const struct section *section;
	const struct job *job;
	const struct plan *plan;	/* of the whole run; NULL: there is no other job */
	const struct plan_job *clones;	/* n of them */
	uint32_t n;
	bool planned;			/* its files are as it needs them, or can be made so */
	const struct doubt_facts *facts;
	const struct outlook *outlook;
};

/* What must hold, or a check is not asked. */
enum doubt_needs {
	DOUBT_NEEDS_READS	= 1 << 0,	/* the job reads; writes */
	DOUBT_NEEDS_WRITES	= 1 << 1,
	DOUBT_NEEDS_RANDOM	= 1 << 2,
	DOUBT_NEEDS_TARGET	= 1 << 3,	/* it has files or a device, and they are planned */
	DOUBT_NEEDS_MEDIUM	= 1 << 4,	/* that do not lie in memory */
	DOUBT_NEEDS_DISK	= 1 << 5,	/* the disk below is known */
	DOUBT_NEEDS_CLONES	= 1 << 6,	/* there are several of it */
	DOUBT_NEEDS_SEQUENTIAL	= 1 << 7,
	DOUBT_NEEDS_BUFFERED	= 1 << 8,	/* it goes through the page cache */
	DOUBT_NEEDS_DIRECT	= 1 << 9,	/* it goes past it */
};

struct doubt_check {
	const char *id;
	unsigned int needs;
	const char *option;		/* if the check itself names no other */
	const char *fix;		/* if the check itself has no better idea */
	/* find - returns whether there is a doubt: grade, text; option and fix if it likes. */
	bool (*find)(const struct doubt_case *c, struct doubt *d);
};

/* One table per subject, each ended by a row without an id. */
extern const struct doubt_check doubts_on_idle[];	/* options without effect */
extern const struct doubt_check doubts_on_cache[];	/* page cache, direct I/O, syncs */
extern const struct doubt_check doubts_on_target[];	/* what lies below */
extern const struct doubt_check doubts_on_course[];	/* time, clones, verify, memory */

/* doubts_check_at - the i-th of all checks; NULL behind the last. */
const struct doubt_check *doubts_check_at(size_t i);

/* doubts_find - ask all checks about a job; fn gets what they find, in the order of the tables. */
void doubts_find(const struct doubt_case *c, void (*fn)(void *ctx, const struct doubt *d),
		 void *ctx);

/* doubt_say - grade and text of a doubt in the making. Returns true. */
bool doubt_say(struct doubt *d, enum doubt_grade grade, const char *fmt, ...) fl_printf(3, 4);
/* doubt_fix - what to do, in place of what the row says. */
void doubt_fix(struct doubt *d, const char *fmt, ...) fl_printf(2, 3);

/* doubt_given - was this option given to the job, by itself or globally? Its canonical name. */
bool doubt_given(const struct doubt_case *c, const char *option);

#endif
