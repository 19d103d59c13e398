/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic in option values: `(4k*2)`, `128*2`, `(1m+30s)`.
 *
 * The grammar, the loosest first:
 *
 *	sum	= product { ("+" | "-") product }
 *	product	= power { ("*" | "/" | "%") power }
 *	power	= signed [ "^" power ]
 *	signed	= { "+" | "-" } atom
 *	atom	= number [ unit ] | "(" sum ")" [ unit ]
 *
 * so a sign binds tighter than ^ (-2^2 is 4) and ^ groups from the right (2^3^2 is 512). Numbers
 * are decimal, with a fraction or an exponent (1e3), or hexadecimal; a unit takes neither hex nor
 * an exponent. Outside parentheses only * and + work, since elsewhere in the option language
 * 4k-8k is a range, / separates a size from its share and % marks a percentage.
 *
 * Two whole numbers divide to a whole number (7/2*2 is 6); a number written with a fraction makes
 * the division real. Whole numbers are exact or an error: nothing over 64 bits passes in
 * silence.
 */
#ifndef LIB_EXPR_H
#define LIB_EXPR_H

#include "lib/base.h"
#include "lib/parse_err.h"
#include "lib/span.h"

/* More open parentheses, or more ^ in a row, than this are refused. */
#define EXPR_DEPTH_MAX	64

/* What numbers mean here: which units there are and whether they have a dimension. */
struct expr_rules {
	/*
	 * unit - how much one `word` is (letters only, any case): 1024 for "k", for example.
	 * May set bits of *marks, which come back in the result. Returns 0 for no such unit.
	 * NULL: numbers take no units.
	 */
	long double (*unit)(const struct expr_rules *rules, struct span word, unsigned int *marks);
	const char *known;	/* the units by name for the error text, "k, m, g, t, p"; or NULL */
	const char *most;	/* the largest value in words, for the error text; or NULL */
	int base;		/* for unit() alone */
	/*
	 * The result is a quantity, as a time is: numbers without a unit are factors, a sum of a
	 * quantity and a bare number takes the number in the default unit, and a product
	 * of two quantities is an error. Compound forms (1h30m) are understood.
	 */
	bool quantity;
	long double plain;	/* quantity only: the default unit, in the unit of the result */
};

struct expr_result {
	long double value;
	bool computed;		/* an operator was at work: a fraction may have come out of it */
	unsigned int marks;	/* what unit() marked */
};

/*
 * expr_eval - evaluate the whole of text; blanks around it are skipped.
 * Returns 0, or -EINVAL with the reason and the offset in text of the offending character in err
 * (which may be NULL). *result is set on success only. Input of any length is safe.
 */
int expr_eval(struct span text, const struct expr_rules *rules, struct expr_result *result,
	      struct parse_err *err);

#endif
