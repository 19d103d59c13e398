/* SPDX-License-Identifier: MIT */
/*
 * The list of what every engine owes the runner, one case per promise. A case that returns has
 * passed. The cases lie in files by subject; the harness joins the lists.
 */
#ifndef CORE_CONTRACT_CASES_H
#define CORE_CONTRACT_CASES_H

#include "core/contract_rig.h"

/* What a case cannot do without; an engine that lacks it skips the case, with the reason. */
#define CASE_FILES	(1u << 0)	/* targets: not with FL_CAP_NO_FILES */
#define CASE_WRITES	(1u << 1)	/* the engine writes */
#define CASE_OWN_FILES	(1u << 2)	/* files of the suite's own: no names, no given target */
#define CASE_READS	(1u << 3)	/* the engine reads */
#define CASE_STATS	(1u << 4)	/* it answers FL_OP_STAT */
#define CASE_APPENDS	(1u << 5)	/* it takes FL_OP_APPEND */
#define CASE_ODD	(1u << 6)	/* it takes parts of blocks: with direct=1 few do */

struct contract_case {
	const char *name;		/* words, as they are printed */
	const char *rule;		/* what is promised: a sentence without its full stop */
	void (*run)(struct contract *c);
	uint32_t needs;			/* CASE_* */
};

struct contract_list {
	const struct contract_case *cases;
	size_t count;
};

extern const struct contract_list contract_data;	/* bytes: what is read and written */
extern const struct contract_list contract_async;	/* depth: submitting, waiting, cancelling */
extern const struct contract_list contract_more;	/* operations beyond reading and writing */
extern const struct contract_list contract_life;	/* opening, closing, sharing a process */

#endif
