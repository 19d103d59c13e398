/* SPDX-License-Identifier: MIT */
/*
 * One option, from text to member. Each kind of row has one function below; all of them either take
 * the whole text or leave the member alone and say in one sentence what is wrong with it.
 */
#include "core/opt.h"

#include "core/opt_text.h"
#include "lib/nearest.h"
#include "lib/strbuf.h"
#include "lib/units.h"

#include <errno.h>
#include <float.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* One call of opt_set(). */
struct setter {
	const struct fl_opt *row;
	const char *text;		/* NULL: bare */
	struct span span;		/* of text */
	void *member;
	int kb_base;
	char *why;
	size_t why_bytes;
};

/* ---- What to say ---- */

/* "name=value: sentence" into why. Returns rc. */
static int say(const struct setter *s, int rc, const char *sentence)
{
	if (s->text)
		snprintf(s->why, s->why_bytes, "%s=%s: %s", s->row->name,
			 parse_show(s->span).text, sentence);
	else
		snprintf(s->why, s->why_bytes, "%s: %s", s->row->name, sentence);
	return rc;
}

static int fl_printf(2, 3) fail(const struct setter *s, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	va_list ap;
	int rc;

	va_start(ap, fmt);
	strbuf_vprintf(&sb, fmt, ap);
	va_end(ap);
	rc = say(s, -EINVAL, strbuf_str(&sb));
	strbuf_free(&sb);
	return rc;
}

/* A parser's sentence; it need not repeat the value where that is the whole text. */
static int fail_parse(const struct setter *s, const struct parse_err *err)
{
	struct parse_shown shown = parse_show(span_trim(s->span));
	const char *text = err->text;
	size_t len = strlen(shown.text);

	if (text[0] == '\'' && !strncmp(text + 1, shown.text, len) &&
	    !strncmp(text + 1 + len, "': ", 3))
		text += len + 4;
	return say(s, -EINVAL, text);
}

/* kib and its like mean what they do in fio, which surprises: say what came of it. */
static int note_kib(const struct setter *s, bool kib, uint64_t bytes)
{
	char text[160];

	if (!kib || s->kb_base != 1024)
		return 0;
	snprintf(text, sizeof(text), "taken as %llu: with kb_base=1024, kib, mib and gib are "
		 "powers of 1000, as in fio (k, m and g are powers of 1024)",
		 (unsigned long long)bytes);
	return say(s, 1, text);
}

static int fail_range(const struct setter *s)
{
	char range[96];

	return fail(s, "must be %s", opt_range_text(s->row, range, sizeof(range)));
}

/* Refuses lists and ranges where there is room for one value. */
static int one_value(const struct setter *s)
{
	struct span rest = s->span, item;

	span_next(&rest, ",", &item);
	if (rest.at)
		return fail(s, "one value is expected, not a list");
	rest = s->span;
	span_next(&rest, "-:", &item);
	if (rest.at)
		return fail(s, "one value is expected, not a range");
	return 0;
}

/* ---- Numbers ---- */

static bool is_percent(const struct fl_opt *row)
{
	return row->unit && !strcmp(row->unit, OPT_UNIT_PERCENT);
}

/* The number without the % signs that its unit allows. */
static struct span without_percent(const struct setter *s)
{
	struct span t = span_trim(s->span);

	while (is_percent(s->row) && t.len > 1 && t.at[t.len - 1] == '%')
		t.len--;
	return span_trim(t);
}

static bool within(const struct fl_opt *row, uint64_t v)
{
	struct opt_bounds b = opt_bounds(row);

	return v >= b.min && v <= b.max;
}

static int set_uint(const struct setter *s)
{
	struct span text = without_percent(s);
	struct parse_err err;
	int64_t negative;
	bool kib = false;
	uint64_t v;

	if (units_uint(text, s->kb_base, 0, UINT64_MAX, &v, &kib, &err)) {
		if (!units_int(text, s->kb_base, INT64_MIN, -1, &negative, NULL, NULL))
			return fail_range(s);
		return fail_parse(s, &err);
	}
	if (!within(s->row, v))
		return fail_range(s);
	if (s->row->type == FL_OPT_U32)
		*(uint32_t *)s->member = (uint32_t)v;
	else
		*(uint64_t *)s->member = v;
	return note_kib(s, kib, v);
}

static int set_int(const struct setter *s)
{
	int64_t min = (int64_t)s->row->min, max = (int64_t)s->row->max, v;
	struct parse_err err;
	bool kib;

	if (units_int(without_percent(s), s->kb_base, INT64_MIN, INT64_MAX, &v, &kib, &err))
		return fail_parse(s, &err);
	if ((min || max) && (v < min || v > max))
		return fail_range(s);
	*(int64_t *)s->member = v;
	return note_kib(s, kib, (uint64_t)v);
}

/* One size within the row's bounds. */
static int read_size(const struct setter *s, struct span text, uint64_t *bytes, bool *kib)
{
	struct parse_err err;
	bool odd = false;
	uint64_t v;

	if (units_size(text, s->kb_base, &v, &odd, &err))
		return fail_parse(s, &err);
	if (!within(s->row, v))
		return fail_range(s);
	*bytes = v;
	*kib = *kib || odd;
	return 0;
}

static int set_size(const struct setter *s)
{
	bool kib = false;
	uint64_t v = 0;
	int rc = read_size(s, s->span, &v, &kib);

	if (rc)
		return rc;
	*(uint64_t *)s->member = v;
	return note_kib(s, kib, v);
}

static int read_time(const struct setter *s, struct span text, uint64_t *ns)
{
	uint64_t unit = s->row->def_unit_ns ? s->row->def_unit_ns : UNITS_S;
	struct parse_err err;
	uint64_t v;

	if (units_time(text, unit, &v, &err))
		return fail_parse(s, &err);
	if (!within(s->row, v))
		return fail_range(s);
	*ns = v;
	return 0;
}

static int set_time(const struct setter *s)
{
	return read_time(s, s->span, s->member);
}

static int set_double(const struct setter *s)
{
	struct opt_bounds b = opt_bounds(s->row);
	bool bounded = s->row->min || s->row->max;
	struct parse_err err;
	double v;

	if (units_double(without_percent(s), -DBL_MAX, DBL_MAX, &v, &err))
		return fail_parse(s, &err);
	if (bounded && (v < (double)b.min || (s->row->max && v > (double)b.max)))
		return fail_range(s);
	*(double *)s->member = v;
	return 0;
}

static int set_bool(const struct setter *s)
{
	struct parse_err err;
	uint64_t number;
	bool v;

	if (!units_bool(s->span, &v, &err)) {
		*(uint32_t *)s->member = v;
		return 0;
	}
	if (s->row->type == FL_OPT_FLAG && !units_uint(s->span, 1024, 0, UINT64_MAX, &number, NULL,
							NULL)) {
		*(uint32_t *)s->member = 1;
		return say(s, 1, "taken as 1: this is a switch");
	}
	return fail(s, "must be 0 or 1");
}

static int set_amount(const struct setter *s)
{
	struct units_amount got = { .kind = UNITS_BYTES };
	struct amount *out = s->member;
	struct parse_err err;

	if (units_amount(s->span, s->kb_base,
			 UNITS_ALLOW_PERCENT | UNITS_ALLOW_MEMORY | UNITS_ALLOW_ZONES, &got, &err))
		return fail_parse(s, &err);
	if (got.kind == UNITS_ZONES) {
		*out = (struct amount){ .zones = got.count };
		return 0;
	}
	if (got.kind == UNITS_MEMORY) {
		if (!(got.percent > 0))
			return fail(s, "a share of memory is more than 0%%");
		*out = (struct amount){ .memory = got.percent };
		return 0;
	}
	if (got.kind == UNITS_PERCENT) {
		if (s->row->arg && got.percent > (double)s->row->arg)
			return fail(s, "more than %llu%% is not possible",
				    (unsigned long long)s->row->arg);
		*out = (struct amount){ .percent = got.percent };
		return 0;
	}
	if (!within(s->row, got.count))
		return fail_range(s);
	*out = (struct amount){ .bytes = got.count };
	return note_kib(s, got.kib, got.count);
}

/* ---- Lists and ranges ---- */

static int set_size_dirs(const struct setter *s)
{
	struct per_dir *out = s->member, got = *out;
	struct span dirs[SPAN_DIRS];
	struct parse_err err;
	bool kib = false;
	uint64_t last = 0;

	if (units_dirs(s->span, s->row->arg & OPT_ARG_DASH ? ",-:" : ",", dirs, &err))
		return fail_parse(s, &err);
	for (int i = 0; i < DIRS; i++) {
		bool odd = false;
		int rc;

		if (!dirs[i].at)
			continue;
		rc = read_size(s, dirs[i], &got.v[i], &odd);
		if (rc)
			return rc;
		if (odd)
			last = got.v[i];
		kib = kib || odd;
	}
	*out = got;
	return note_kib(s, kib, last);
}

/*
 * Puts the two ends of a range in order; what was written the wrong way round is meant all the
 * same.
 */
static void range_order(struct range *r)
{
	if (r->lo > r->hi)
		*r = (struct range){ .lo = r->hi, .hi = r->lo };
}

/* pair_only: a single value is no range. */
static int read_range(const struct setter *s, struct span text, bool pair_only, struct range *out,
		      bool *kib)
{
	bool times = s->row->type == OPT_RANGE_TIME;
	struct span low, high;
	struct range r = { 0 };
	struct parse_err err;
	int n = units_range(text, &low, &high, &err), rc;

	if (n < 0)
		return fail_parse(s, &err);
	if (n == 0 && pair_only)
		return fail(s, "a range such as 4k-64k is expected");
	rc = times ? read_time(s, low, &r.lo) : read_size(s, low, &r.lo, kib);
	if (!rc)
		rc = times ? read_time(s, high, &r.hi) : read_size(s, high, &r.hi, kib);
	if (rc)
		return rc;
	range_order(&r);
	*out = r;
	return 0;
}

static int set_range(const struct setter *s)
{
	struct range *out = s->member, got = { 0 };
	struct span rest = s->span, item;
	bool kib = false;
	int rc;

	span_next(&rest, ",", &item);
	if (rest.at)
		return fail(s, "one value or one range is expected, not a list");
	rc = read_range(s, s->span, false, &got, &kib);
	if (rc)
		return rc;
	*out = got;
	return note_kib(s, kib, got.hi);
}

static int set_range_dirs(const struct setter *s)
{
	struct range_dirs *out = s->member, got = *out;
	struct span dirs[SPAN_DIRS];
	struct parse_err err;
	bool kib = false;
	uint64_t last = 0;
	int rc;

	if (units_dirs(s->span, ",", dirs, &err))
		return fail_parse(s, &err);
	for (int i = 0; i < DIRS; i++) {
		if (!dirs[i].at)
			continue;
		rc = read_range(s, dirs[i], true, &got.v[i], &kib);
		if (rc)
			return rc;
		last = got.v[i].hi;
	}
	*out = got;
	return note_kib(s, kib, last);
}

/* ---- Words and texts ---- */

static const char *word_of(void *ctx, size_t i)
{
	return ((const struct fl_opt_value *)ctx)[i].name;
}

static int fail_word(const struct setter *s)
{
	const struct fl_opt_value *words = s->row->values;
	struct strbuf sb = STRBUF_INIT;
	const char *near;
	size_t n = 0;
	int rc;

	while (words[n].name)
		n++;
	near = nearest_name(s->text, word_of, n, (void *)words);
	if (near)
		strbuf_printf(&sb, "did you mean %s? It can be ", near);
	else
		strbuf_puts(&sb, "it must be ");
	for (size_t i = 0; i < n; i++)
		strbuf_printf(&sb, "%s%s", words[i].name,
			      i + 2 < n ? ", " : i + 1 < n ? " or " : "");
	rc = say(s, -EINVAL, strbuf_str(&sb));
	strbuf_free(&sb);
	return rc;
}

static int set_enum(const struct setter *s)
{
	struct span text = span_trim(s->span);

	fl_assert(s->row->values);
	for (const struct fl_opt_value *v = s->row->values; v->name; v++) {
		if (span_is(text, v->name)) {
			*(uint32_t *)s->member = (uint32_t)v->value;
			return 0;
		}
	}
	return fail_word(s);
}

static int set_str(const struct setter *s)
{
	const char **member = s->member;

	if (s->row->type == OPT_STR_LIST && *member) {
		struct strbuf sb = STRBUF_INIT;

		strbuf_printf(&sb, "%s:%s", *member, s->text);
		*member = opt_keep(strbuf_str(&sb));
		strbuf_free(&sb);
		return 0;
	}
	*member = opt_keep(s->text ? s->text : "");
	return 0;
}

/* What the row's own parser says gets the same form as all else. */
static int set_custom(const struct setter *s)
{
	size_t len = strlen(s->row->name);
	char inner[512] = "";
	int rc = s->row->parse(s->member, s->text, inner, sizeof(inner));

	if (rc < 0 && !inner[0])
		return fail(s, "%s", strerror(-rc));
	if (rc && !strncmp(inner, s->row->name, len) && (inner[len] == '=' || inner[len] == ':'))
		snprintf(s->why, s->why_bytes, "%s", inner);
	else if (rc)
		say(s, rc, inner);
	return rc < 0 ? -EINVAL : rc > 0;
}

static int note_no_effect(const struct setter *s)
{
	char text[256];

	snprintf(text, sizeof(text), "accepted, has no effect: %s", s->row->help);
	return say(s, 1, text);
}

/* ---- All kinds ---- */

static int set_number(const struct setter *s)
{
	int rc = one_value(s);

	if (rc)
		return rc;
	switch (s->row->type) {
	case FL_OPT_U32:
	case FL_OPT_U64:
		return set_uint(s);
	case FL_OPT_I64:
		return set_int(s);
	case FL_OPT_SIZE:
		return set_size(s);
	case FL_OPT_TIME:
		return set_time(s);
	case FL_OPT_DOUBLE:
		return set_double(s);
	default:
		return set_amount(s);
	}
}

static int set_any(const struct setter *s)
{
	switch (s->row->type) {
	case FL_OPT_BOOL:
	case FL_OPT_FLAG:
		return set_bool(s);
	case FL_OPT_ENUM:
		return set_enum(s);
	case FL_OPT_STR:
	case OPT_STR_LIST:
	case OPT_STR_BARE:
		return set_str(s);
	case OPT_CUSTOM:
		return set_custom(s);
	case OPT_SIZE_DIRS:
		return set_size_dirs(s);
	case OPT_RANGE_DIRS:
		return set_range_dirs(s);
	case OPT_RANGE_SIZE:
	case OPT_RANGE_TIME:
		return set_range(s);
	default:
		return set_number(s);
	}
}

bool opt_bare(const struct fl_opt *row)
{
	return row->type == FL_OPT_FLAG || row->type == OPT_STR_BARE ||
	       row->type == OPT_NO_EFFECT || (row->type == OPT_CUSTOM && (row->arg & OPT_ARG_BARE));
}

/* What should stand there, for people; a row with a parser of its own tells it by its unit. */
static const char *wanted(const struct fl_opt *row)
{
	return row->type == OPT_CUSTOM && row->unit ? row->unit : opt_type_name(row);
}

/* Nothing behind the '=', or no '=' where there must be one. */
static int check_presence(const struct setter *s)
{
	if (!s->text && !opt_bare(s->row))
		return fail(s, "a value is missing; write %s", wanted(s->row));
	if (s->text && !*s->text && s->row->type != OPT_STR_BARE) {
		if (opt_bare(s->row))
			return fail(s, "the value is missing behind the =");
		return fail(s, "the value is missing; write %s", wanted(s->row));
	}
	return 0;
}

#ifdef OPT_IGNORE
/*
 * Only in the test build of t/options, never in the program: the option that the environment names
 * is read and forgotten, so that a test of it has to fail. Defaults are the text of the row itself.
 */
static bool ignored(const struct fl_opt *row, const char *text)
{
	const char *name = getenv("FIO_LIKE_IGNORE");

	return name && opt_same_name(row->name, name) && !(text && text == row->def);
}
#else
static bool ignored(const struct fl_opt *row, const char *text)
{
	(void)row;
	(void)text;
	return false;
}
#endif

int opt_set(const struct fl_opt *row, void *conf, const char *text, const struct opt_units *units,
	    char *why, size_t why_bytes)
{
	struct setter s = {
		.row = row,
		.text = text,
		.span = span_of(text ? text : ""),
		.member = (char *)conf + row->offset,
		.kb_base = (int)units->kb_base,
		.why = why,
		.why_bytes = why_bytes,
	};
	int rc;

	if (why_bytes)
		why[0] = '\0';
	if (ignored(row, text))
		return 0;
	if (row->type == OPT_NO_EFFECT)
		return note_no_effect(&s);
	rc = check_presence(&s);
	if (rc)
		return rc;
	if (!text && row->type == FL_OPT_FLAG) {
		*(uint32_t *)s.member = 1;
		return 0;
	}
	return set_any(&s);
}
