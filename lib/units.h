/* SPDX-License-Identifier: MIT */
/*
 * Numbers as people write them: 4k, 1.5g, 4KiB, 50%, 33%mem, 3z, 1h30m, (4k*2), 0x20.
 *
 * Every function reads the whole of its text or refuses it: what is left over, an unknown unit, a
 * sign that cannot be, a number that does not fit are errors that say what was expected
 * and where the trouble is. Arithmetic (lib/expr.h) works in all of them except units_bool().
 *
 * All return 0, or -EINVAL with err filled (err may be NULL; err->col counts from text.at) and the
 * outputs untouched.
 */
#ifndef LIB_UNITS_H
#define LIB_UNITS_H

#include "lib/base.h"
#include "lib/parse_err.h"
#include "lib/span.h"

/* How many ns a number without a unit stands for, as default of units_time(). */
#define UNITS_NS	UINT64_C(1)
#define UNITS_US	UINT64_C(1000)
#define UNITS_MS	UINT64_C(1000000)
#define UNITS_S		UINT64_C(1000000000)
#define UNITS_TIME_MAX_NS	(UNITS_S * 86400 * 36500)

enum units_kind {
	UNITS_BYTES,
	UNITS_PERCENT,
	UNITS_ZONES,
	UNITS_MEMORY,
};

/* What units_amount() may return besides bytes, as bits. */
#define UNITS_ALLOW_PERCENT	1u
#define UNITS_ALLOW_ZONES	2u
#define UNITS_ALLOW_MEMORY	4u

struct units_amount {
	enum units_kind kind;
	uint64_t count;		/* bytes or zones; 0 for a percentage */
	double percent;		/* UNITS_PERCENT, UNITS_MEMORY: 0 or more, not limited to 100 */
	bool kib;		/* as units_size() */
};

/*
 * units_size - a size in bytes, 0 to 2^64-1. A fraction of a byte is dropped.
 *
 * k m g t p, with or without a b or an i behind, are powers of kb_base (1000 or 1024). The full
 * spelling kib mib gib tib pib takes powers of the other one: existing job files depend on it.
 * *kib (may be NULL) tells that such a spelling was met, so that the user can be shown
 * the number of bytes it came to.
 */
int units_size(struct span text, int kb_base, uint64_t *bytes, bool *kib, struct parse_err *err);

/*
 * units_amount - a size that may also be a share (`50%`, `50%%`, `12.5%`), a share of memory
 * (`400%mem`) or a number of zones (`3z`), each only if its bit is in allow.
 */
int units_amount(struct span text, int kb_base, unsigned int allow, struct units_amount *amount,
		 struct parse_err *err);

/*
 * units_uint - a whole number from min to max. Size units work (`numjobs=1k`), as in units_size().
 * A fraction that was written is an error; one that was computed is dropped (2*1.25 is 2).
 */
int units_uint(struct span text, int kb_base, uint64_t min, uint64_t max, uint64_t *value,
	       bool *kib, struct parse_err *err);

/* units_int - units_uint() with a sign. */
int units_int(struct span text, int kb_base, int64_t min, int64_t max, int64_t *value, bool *kib,
	      struct parse_err *err);

/* units_double - a real number from min to max, both finite; no units. */
int units_double(struct span text, double min, double max, double *value, struct parse_err *err);

/* units_percent - a real number from 0 to max; % or %% behind it is allowed and changes nothing. */
int units_percent(struct span text, double max, double *percent, struct parse_err *err);

/* units_bool - 0 or 1 and nothing else. */
int units_bool(struct span text, bool *value, struct parse_err *err);

/*
 * units_time - a time in ns, 0 to UNITS_TIME_MAX_NS. A fraction of a ns is dropped. The bound
 * leaves room: a moment so far away still fits 64 bits, in ns and in ticks of a clock of 5 GHz.
 *
 * d h m s ms us ns and their longer names (min, sec, msec, seconds ...), any case; compounds with
 * falling units (`1h30m`). A number without a unit counts default_ns each.
 */
int units_time(struct span text, uint64_t default_ns, uint64_t *ns, struct parse_err *err);

/*
 * units_dirs - cut `read,write,trim` into its three values.
 *
 * seps are the characters that separate: "," for most options, ",-:" where - and : do the same.
 * A value that is not written takes the one before it: `4k,8k` is 4k 8k 8k. One written empty
 * leaves that direction its default, its span has at == NULL: `,8k` sets writes and trims, `4k,`
 * reads alone. A fourth value and a list without any value are errors.
 */
int units_dirs(struct span text, const char *seps, struct span dirs[SPAN_DIRS],
	       struct parse_err *err);

/*
 * units_range - cut `low-high` or `low:high`; a single value is both. What is in the two spans is
 * not looked at, so they may turn out to be in the wrong order.
 * Returns 1 for a pair, 0 for a single value, -EINVAL for an end left open or a third value.
 */
int units_range(struct span text, struct span *low, struct span *high, struct parse_err *err);

#endif
