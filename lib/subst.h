/* SPDX-License-Identifier: MIT */
/*
 * What stands for something else in an option's text: ${VAR}, ${VAR:-default}, and the keywords
 * $pagesize, $mb_memory and $ncpus. Job files and the command line share these rules. Where the
 * values come from is the caller's business. A result is never searched again, so a
 * variable cannot smuggle in another one.
 */
#ifndef LIB_SUBST_H
#define LIB_SUBST_H

#include "lib/base.h"
#include "lib/parse_err.h"
#include "lib/span.h"
#include "lib/strbuf.h"

/* The answers; each returned text is used before the next question is asked. */
struct subst_env {
	/* var - the value of the environment variable name, or NULL if it is not set. */
	const char *(*var)(void *ctx, const char *name);
	/*
	 * keyword - the value of "pagesize" (bytes), "mb_memory" (MiB) or "ncpus", in decimal; or
	 * NULL to leave the word as it stands.
	 */
	const char *(*keyword)(void *ctx, const char *name);
	void *ctx;
};

/*
 * subst_vars - append text to out with every ${VAR} and ${VAR:-default} replaced. The default also
 * stands in for a variable that is set but empty. `$VAR`, `$(x)` and `~` are ordinary text.
 * Returns the number of replacements, or -EINVAL with err (may be NULL) at the '$' when a variable
 * without a default is not set, or the form is broken; out may then hold part of the text.
 */
int subst_vars(struct span text, const struct subst_env *env, struct strbuf *out,
	       struct parse_err *err);

/*
 * subst_value - as subst_vars(), and the keywords too: all that happens to a value. Keywords count
 * wherever the user wrote them, the default of a variable included, without regard to what follows
 * ($pagesizek is 4096k), but not where they stand in the value of a variable. Other $words stay:
 * $jobname and its like get their meaning later.
 *
 * If a keyword leaves a pure calculation (digits, blanks and + - * / and parentheses alone) with a
 * - or / in it, it is put into parentheses, where these two calculate: `$ncpus-1` means one less
 * and not a range.
 * Returns the number of replacements, or -EINVAL as subst_vars() does.
 */
int subst_value(struct span text, const struct subst_env *env, struct strbuf *out,
		struct parse_err *err);

/*
 * subst_option - the same for the line `name=value`: variables anywhere, keywords only in the
 * value, which is what lies behind the first '=' of the outcome. A variable may hold that '=', too.
 */
int subst_option(struct span text, const struct subst_env *env, struct strbuf *out,
		 struct parse_err *err);

#endif
