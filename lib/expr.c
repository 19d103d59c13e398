/* SPDX-License-Identifier: MIT */
/*
 * Recursive descent, one function per line of the grammar in the header. Values are long doubles:
 * with a mantissa of 64 bits they hold every uint64_t exactly and fractions besides, so there
 * is one kind of value and one set of operators. A whole number that would leave the exact
 * range is an error at once, which makes rounding impossible rather than unlikely.
 */
#include "lib/expr.h"

#include <float.h>
#include <math.h>

_Static_assert(LDBL_MANT_DIG >= 64, "a long double must hold every uint64_t exactly");

#define EXPR_WHOLE_END		0x1p64L
#define EXPR_EXPONENT_MAX	400

struct value {
	long double v;
	bool real;		/* written with a fraction, or made of one that was */
	bool quantity;		/* counted in units already (only if the rules know quantities) */
};

struct parser {
	struct span text;
	size_t at;
	const struct expr_rules *rules;
	struct parse_err *err;
	int parens;		/* open parentheses around `at` */
	int depth;		/* of recursion, in parentheses and in ^ */
	bool computed;
	unsigned int marks;
};

static int parse_sum(struct parser *p, struct value *out);

/* The character `ahead` bytes on; NUL at the end, which no rule accepts. */
static char peek(const struct parser *p, size_t ahead)
{
	return ahead < p->text.len - p->at ? p->text.at[p->at + ahead] : '\0';
}

static void skip_blanks(struct parser *p)
{
	while (span_char_blank(peek(p, 0)))
		p->at++;
}

/* What is left, for an error message. */
static struct parse_shown show_rest(const struct parser *p)
{
	return parse_show(span_from(p->text, p->at));
}

static int fail_too_large(struct parser *p, size_t col)
{
	if (p->rules->most)
		return parse_fail(p->err, col, "the number is too large: %s is the most",
				  p->rules->most);
	return parse_fail(p->err, col, "the number is too large (over 64 bits)");
}

/* Every value passes here before it is used: finite, and exact if it is whole. */
static int check_value(struct parser *p, const struct value *val, size_t col)
{
	if (isfinite(val->v) && (val->real || fabsl(val->v) < EXPR_WHOLE_END))
		return 0;
	return fail_too_large(p, col);
}

static int hex_digit(char c)
{
	if (span_char_digit(c))
		return c - '0';
	c = span_char_lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* `at` is behind the 0x. */
static int parse_hex(struct parser *p, struct value *out)
{
	size_t begin = p->at;

	while (hex_digit(peek(p, 0)) >= 0) {
		out->v = out->v * 16 + hex_digit(peek(p, 0));
		if (out->v >= EXPR_WHOLE_END)
			return fail_too_large(p, begin);
		p->at++;
	}
	if (p->at == begin)
		return parse_fail(p->err, p->at, "hex digits are missing after 0x");
	if (span_char_alpha(peek(p, 0)))
		return parse_fail(p->err, p->at, "a hex number takes no unit");
	return 0;
}

/* Decimals stay a quotient until the unit is known, so that 0.1s is exactly 100 ms. */
struct decimal {
	long double num;
	long double scale;	/* a power of ten */
	bool real;
	bool exponent;
};

static int parse_exponent(struct parser *p, struct decimal *d)
{
	bool negative = peek(p, 1) == '-';
	size_t begin = p->at;
	int n = 0;

	p->at += 1 + (negative || peek(p, 1) == '+');
	for (; span_char_digit(peek(p, 0)); p->at++)
		n = fl_min(n * 10 + (peek(p, 0) - '0'), EXPR_EXPONENT_MAX + 1);
	if (n > EXPR_EXPONENT_MAX)
		return parse_fail(p->err, begin, "the exponent is too large");
	for (; n && !negative && d->scale > 1; n--)
		d->scale /= 10;
	for (; n; n--)
		*(negative ? &d->scale : &d->num) *= 10;
	d->exponent = true;
	d->real = d->scale > 1;
	if (span_char_alpha(peek(p, 0)))
		return parse_fail(p->err, p->at, "a number with an exponent takes no unit");
	return 0;
}

/* An exponent begins here: an e that a digit follows, perhaps behind a sign. */
static bool at_exponent(const struct parser *p)
{
	char sign = peek(p, 1);

	if (span_char_lower(peek(p, 0)) != 'e')
		return false;
	return span_char_digit(sign) ||
	       ((sign == '-' || sign == '+') && span_char_digit(peek(p, 2)));
}

static int parse_decimal(struct parser *p, struct decimal *d)
{
	size_t begin = p->at;

	*d = (struct decimal){ .scale = 1 };
	for (; span_char_digit(peek(p, 0)); p->at++) {
		d->num = d->num * 10 + (peek(p, 0) - '0');
		if (d->num >= EXPR_WHOLE_END)
			return fail_too_large(p, begin);
	}
	if (peek(p, 0) == '.') {
		p->at++;
		d->real = true;
		if (!span_char_digit(peek(p, 0)))
			return parse_fail(p->err, p->at, "a digit is missing after '.'");
		for (; span_char_digit(peek(p, 0)); p->at++) {
			/* Digits beyond what the mantissa holds change nothing. */
			if (d->num >= 1e18L || d->scale >= 1e18L)
				continue;
			d->num = d->num * 10 + (peek(p, 0) - '0');
			d->scale *= 10;
		}
	}
	return at_exponent(p) ? parse_exponent(p, d) : 0;
}

/*
 * Take a unit if one follows. *factor is 0 if there is none.
 * A blank may stand before it, and then it may also be the next word of a crowded line.
 */
static int parse_unit(struct parser *p, long double *factor)
{
	size_t len = 0, start = p->at;
	struct span word;

	*factor = 0;
	skip_blanks(p);
	while (span_char_alpha(peek(p, len)))
		len++;
	if (!len)
		return 0;
	word = (struct span){ p->text.at + p->at, len };
	if (p->rules->unit)
		*factor = p->rules->unit(p->rules, word, &p->marks);
	if (*factor > 0) {
		p->at += len;
		return 0;
	}
	if (p->at > start && memchr(word.at, '=', p->text.len - p->at))
		return parse_fail(p->err, p->at, "'%s' after the value: one option per line",
				  show_rest(p).text);
	if (!p->rules->known)
		return parse_fail(p->err, p->at, "a plain number is expected, without '%s'",
				  parse_show(word).text);
	return parse_fail(p->err, p->at, "'%s' is not a unit; use %s", parse_show(word).text,
			  p->rules->known);
}

/* The 30m of 1h30m: numbers with units that get smaller. factor is the unit before them. */
static int parse_compound(struct parser *p, struct value *out, long double factor)
{
	for (;;) {
		long double before = factor;
		struct decimal d;
		size_t begin;
		int rc;

		skip_blanks(p);
		begin = p->at;
		if (!span_char_digit(peek(p, 0)))
			return 0;
		rc = parse_decimal(p, &d);
		if (!rc)
			rc = parse_unit(p, &factor);
		if (rc)
			return rc;
		if (factor == 0)
			return parse_fail(p->err, begin, "a unit is missing after the last number");
		if (factor >= before)
			return parse_fail(p->err, begin, "the units must get smaller, as in 1h30m");
		out->v += d.num * factor / d.scale;
		out->real = out->real || d.real;
		rc = check_value(p, out, begin);
		if (rc)
			return rc;
	}
}

static int parse_number(struct parser *p, struct value *out)
{
	size_t begin = p->at;
	long double factor;
	struct decimal d;
	int rc;

	if (peek(p, 0) == '0' && span_char_lower(peek(p, 1)) == 'x') {
		p->at += 2;
		return parse_hex(p, out);
	}
	rc = parse_decimal(p, &d);
	if (!rc && !d.exponent)
		rc = parse_unit(p, &factor);
	else
		factor = 0;
	if (rc)
		return rc;
	out->v = d.num * (factor > 0 ? factor : 1) / d.scale;
	out->real = d.real;
	out->quantity = factor > 0 && p->rules->quantity;
	rc = check_value(p, out, begin);
	return rc || !out->quantity ? rc : parse_compound(p, out, factor);
}

/* `at` is on the opening parenthesis. */
static int parse_parens(struct parser *p, struct value *out)
{
	size_t open = p->at, close;
	long double factor;
	int rc;

	if (++p->depth > EXPR_DEPTH_MAX)
		return parse_fail(p->err, open, "more than %d levels deep", EXPR_DEPTH_MAX);
	p->at++;
	p->parens++;
	rc = parse_sum(p, out);
	if (rc)
		return rc;
	if (p->at == p->text.len)
		return parse_fail(p->err, open, "this '(' is never closed");
	if (peek(p, 0) != ')')
		return parse_fail(p->err, p->at, "'%s' is not an operator; use + - * / %% ^",
				  parse_show((struct span){ p->text.at + p->at, 1 }).text);
	close = p->at++;
	p->parens--;
	p->depth--;
	rc = parse_unit(p, &factor);
	if (rc || factor == 0)
		return rc;
	if (out->quantity)
		return parse_fail(p->err, close + 1, "the value in parentheses has a unit already");
	out->v *= factor;
	out->quantity = p->rules->quantity;
	return check_value(p, out, open);
}

static int parse_atom(struct parser *p, struct value *out)
{
	char c = peek(p, 0);

	*out = (struct value){ 0 };
	if (c == '(')
		return parse_parens(p, out);
	if (span_char_digit(c) || (c == '.' && span_char_digit(peek(p, 1))))
		return parse_number(p, out);
	if (p->at == p->text.len)
		return parse_fail(p->err, p->at, "a number is missing at the end");
	if (p->at && (c == ')' || strchr("+-*/%^", c)))
		return parse_fail(p->err, p->at, "a number is missing before '%c'", c);
	return parse_fail(p->err, p->at, "'%s' is not a number", show_rest(p).text);
}

static int parse_signed(struct parser *p, struct value *out)
{
	bool negative = false;
	int rc;

	for (skip_blanks(p); peek(p, 0) == '-' || peek(p, 0) == '+'; skip_blanks(p)) {
		negative ^= peek(p, 0) == '-';
		p->at++;
	}
	rc = parse_atom(p, out);
	if (!rc && negative)
		out->v = -out->v;
	skip_blanks(p);
	return rc;
}

/* The operator at `at` works here; what is no operator is left to the caller. */
static int check_operator(struct parser *p)
{
	char c = peek(p, 0);

	if (p->parens || c == '*' || c == '+')
		return 0;
	return parse_fail(p->err, p->at, "'%c' calculates only inside parentheses: (a %c b)", c, c);
}

static int apply_power(struct parser *p, struct value *a, const struct value *b, size_t col)
{
	long double n = b->v, square = a->v, result = 1;

	if (a->quantity || b->quantity)
		return parse_fail(p->err, col, "'^' works on plain numbers only");
	if (b->real || n < 0) {
		a->v = powl(a->v, n);
		a->real = true;
		if (isnan(a->v))
			return parse_fail(p->err, col, "the power has no real value");
		return check_value(p, a, col);
	}
	/* By squaring. Once a square is out of range, so is any result that it goes into. */
	for (; n >= 1; n = truncl(n / 2)) {
		if (fmodl(n, 2) == 1) {
			result *= square;
			if (isinf(square) || (!a->real && fabsl(result) >= EXPR_WHOLE_END))
				return parse_fail(p->err, col,
						  "the power is too large (over 64 bits)");
		}
		square *= square;
	}
	a->v = result;
	return check_value(p, a, col);
}

static int parse_power(struct parser *p, struct value *out)
{
	struct value exponent;
	size_t col;
	int rc = parse_signed(p, out);

	if (rc || peek(p, 0) != '^')
		return rc;
	rc = check_operator(p);
	if (rc)
		return rc;
	col = p->at++;
	if (++p->depth > EXPR_DEPTH_MAX)
		return parse_fail(p->err, col, "more than %d levels deep", EXPR_DEPTH_MAX);
	rc = parse_power(p, &exponent);
	p->depth--;
	p->computed = true;
	return rc ? rc : apply_power(p, out, &exponent, col);
}

static int apply_times(struct parser *p, struct value *a, const struct value *b, size_t col)
{
	if (a->quantity && b->quantity)
		return parse_fail(p->err, col, "two values with units cannot be multiplied");
	a->v *= b->v;
	a->real = a->real || b->real;
	a->quantity = a->quantity || b->quantity;
	return check_value(p, a, col);
}

/* Give a bare number the default unit, for a sum with a quantity. */
static void make_quantity(struct parser *p, struct value *val)
{
	if (!val->quantity)
		val->v *= p->rules->plain;
	val->quantity = true;
}

static int apply_divide(struct parser *p, struct value *a, const struct value *b, char op,
			size_t col)
{
	long double rest;

	if (b->v == 0)
		return parse_fail(p->err, col, "division by zero");
	if (b->quantity && !a->quantity)
		return parse_fail(p->err, col,
				  "a number without a unit cannot be divided by one with a unit");
	a->real = a->real || b->real;
	rest = fmodl(a->v, b->v);
	if (op == '%') {
		if (a->quantity && !b->quantity)
			return parse_fail(p->err, col, "both sides of '%%' need a unit");
		a->v = rest;
	} else {
		/* a - rest is a multiple of b, so the quotient of whole numbers comes out exact. */
		a->v = a->real ? a->v / b->v : (a->v - rest) / b->v;
		a->quantity = a->quantity && !b->quantity;
	}
	return check_value(p, a, col);
}

/* The operator that is next and where it stands, and what parse finds on its right. */
static int parse_right(struct parser *p, int (*parse)(struct parser *p, struct value *out),
		       char *op, size_t *col, struct value *right)
{
	int rc = check_operator(p);

	if (rc)
		return rc;
	*op = peek(p, 0);
	*col = p->at++;
	p->computed = true;
	return parse(p, right);
}

static int parse_product(struct parser *p, struct value *out)
{
	int rc = parse_power(p, out);

	while (!rc && (peek(p, 0) == '*' || peek(p, 0) == '/' || peek(p, 0) == '%')) {
		struct value right;
		size_t col;
		char op;

		rc = parse_right(p, parse_power, &op, &col, &right);
		if (!rc)
			rc = op == '*' ? apply_times(p, out, &right, col) :
					 apply_divide(p, out, &right, op, col);
	}
	return rc;
}

static int parse_sum(struct parser *p, struct value *out)
{
	int rc = parse_product(p, out);

	while (!rc && (peek(p, 0) == '+' || peek(p, 0) == '-')) {
		struct value right;
		size_t col;
		char op;

		rc = parse_right(p, parse_product, &op, &col, &right);
		if (rc)
			break;
		if (out->quantity || right.quantity) {
			make_quantity(p, out);
			make_quantity(p, &right);
		}
		out->v = op == '+' ? out->v + right.v : out->v - right.v;
		out->real = out->real || right.real;
		rc = check_value(p, out, col);
	}
	return rc;
}

/* What stands behind a complete expression. */
static int fail_rest(struct parser *p)
{
	char c = peek(p, 0);

	if (c == ')')
		return parse_fail(p->err, p->at, "this ')' closes nothing");
	if (c == '(' || span_char_digit(c))
		return parse_fail(p->err, p->at, "an operator is missing before '%s'",
				  show_rest(p).text);
	if (c == '^')
		return check_operator(p);
	return parse_fail(p->err, p->at, "'%s' does not belong here", show_rest(p).text);
}

int expr_eval(struct span text, const struct expr_rules *rules, struct expr_result *result,
	      struct parse_err *err)
{
	struct parser p = { .text = text, .rules = rules, .err = err };
	struct value val;
	int rc = parse_sum(&p, &val);

	if (rc)
		return rc;
	if (p.at < p.text.len)
		return fail_rest(&p);
	if (rules->quantity) {
		make_quantity(&p, &val);
		rc = check_value(&p, &val, 0);
		if (rc)
			return rc;
	}
	*result = (struct expr_result){ val.v, p.computed, p.marks };
	return 0;
}
