/* SPDX-License-Identifier: MIT */
/* The tree of names, and the parser that walks it. */
#include "core/expect_parse.h"

#include "lib/nearest.h"
#include "lib/strbuf.h"
#include "lib/units.h"

#include <errno.h>
#include <stdio.h>

/* ---- The names ------------------------------------------------------------------------------- */

enum scope { ANY, ONLY_GROUP, ONLY_JOB };

struct node {
	const char *name;
	const struct node *under;	/* what may follow behind a point; NULL: nothing */
	enum expect_what what;		/* EXPECT_NOTHING: something must follow */
	enum expect_unit unit;
	enum scope scope;
	int place, latency;		/* what the name says about these; -1: nothing */
};

#define LEAF(name_, what_, unit_) \
	{ .name = name_, .what = what_, .unit = unit_, .place = -1, .latency = -1 }
#define LEAF_OF(name_, what_, unit_, scope_) \
	{ .name = name_, .what = what_, .unit = unit_, .scope = scope_, .place = -1, .latency = -1 }
#define BOTH(name_, under_, what_, unit_) \
	{ .name = name_, .under = under_, .what = what_, .unit = unit_, .place = -1, .latency = -1 }
#define KIND(name_, latency_) \
	{ .name = name_, .under = latency_nodes, .place = -1, .latency = latency_ }
#define PLACE(name_, under_, place_) \
	{ .name = name_, .under = under_, .place = place_, .latency = -1 }
#define END	{ .name = NULL }

/* And pNUMBER. */
static const struct node latency_nodes[] = {
	LEAF("min", EXPECT_MIN, EXPECT_TIME),
	LEAF("max", EXPECT_MAX_LATENCY, EXPECT_TIME),
	LEAF("mean", EXPECT_MEAN, EXPECT_TIME),
	LEAF("stddev", EXPECT_STDDEV, EXPECT_TIME),
	END,
};

static const struct node iops_nodes[] = {
	LEAF_OF("low", EXPECT_IOPS_LOW, EXPECT_COUNT, ONLY_JOB),
	LEAF_OF("high", EXPECT_IOPS_HIGH, EXPECT_COUNT, ONLY_JOB),
	END,
};

static const struct node bw_nodes[] = {
	LEAF_OF("all", EXPECT_BW_ALL, EXPECT_BANDWIDTH, ONLY_GROUP),
	LEAF_OF("end", EXPECT_BW_END, EXPECT_BANDWIDTH, ONLY_GROUP),
	LEAF_OF("min", EXPECT_BW_MIN, EXPECT_BANDWIDTH, ONLY_GROUP),
	LEAF_OF("median", EXPECT_BW_MEDIAN, EXPECT_BANDWIDTH, ONLY_GROUP),
	LEAF_OF("max", EXPECT_BW_MAX, EXPECT_BANDWIDTH, ONLY_GROUP),
	END,
};

static const struct node dir_nodes[] = {
	BOTH("iops", iops_nodes, EXPECT_IOPS, EXPECT_COUNT),
	BOTH("bw", bw_nodes, EXPECT_BW, EXPECT_BANDWIDTH),
	KIND("slat", EXPECT_SLAT),
	KIND("clat", EXPECT_CLAT),
	KIND("lat", EXPECT_LAT),
	KIND("intended", EXPECT_INTENDED),
	LEAF("bytes", EXPECT_MOVED, EXPECT_BYTES),
	LEAF("ios", EXPECT_IOS, EXPECT_COUNT),
	LEAF("short", EXPECT_SHORTS, EXPECT_COUNT),
	LEAF("errors", EXPECT_ERRORS, EXPECT_COUNT),
	LEAF("runtime", EXPECT_RUNTIME, EXPECT_TIME),
	END,
};

static const struct node sync_nodes[] = {
	LEAF("ios", EXPECT_IOS, EXPECT_COUNT),
	KIND("lat", EXPECT_LAT),
	END,
};

static const struct node cpu_nodes[] = {
	LEAF("usr", EXPECT_CPU_USR, EXPECT_PERCENT),
	LEAF("sys", EXPECT_CPU_SYS, EXPECT_PERCENT),
	END,
};

static const struct node root_nodes[] = {
	PLACE("read", dir_nodes, EXPECT_READ),
	PLACE("write", dir_nodes, EXPECT_WRITE),
	PLACE("trim", dir_nodes, EXPECT_TRIM),
	PLACE("mixed", dir_nodes, EXPECT_MIXED),
	PLACE("sync", sync_nodes, EXPECT_SYNC),
	LEAF("errors", EXPECT_ERRORS, EXPECT_COUNT),
	LEAF("runtime", EXPECT_RUNTIME, EXPECT_TIME),
	BOTH("cpu", cpu_nodes, EXPECT_CPU, EXPECT_PERCENT),
	LEAF("ctx", EXPECT_CTX, EXPECT_COUNT),
	LEAF("majf", EXPECT_MAJF, EXPECT_COUNT),
	LEAF("minf", EXPECT_MINF, EXPECT_COUNT),
	LEAF("trust", EXPECT_TRUST, EXPECT_GRADE),
	END,
};

static size_t count_nodes(const struct node *level)
{
	size_t n = 0;

	while (level[n].name)
		n++;
	return n;
}

static const char *node_name(void *ctx, size_t i)
{
	return ((const struct node *)ctx)[i].name;
}

static const struct node *find_node(const struct node *level, struct span name)
{
	for (; level->name; level++)
		if (span_is(name, level->name))
			return level;
	return NULL;
}

/* Depth first; the percentile that stands for all of them comes behind the other latencies. */
static bool name_below(const struct node *level, const char *before, size_t *i, char *buf, size_t n)
{
	char path[64];

	for (const struct node *k = level; k->name; k++) {
		snprintf(path, sizeof(path), "%s%s%s", before, *before ? "." : "", k->name);
		if (k->what != EXPECT_NOTHING && !(*i)--) {
			snprintf(buf, n, "%s%s", k->scope == ONLY_GROUP ? "group." : "", path);
			return true;
		}
		if (k->under && name_below(k->under, path, i, buf, n))
			return true;
	}
	if (level != latency_nodes || (*i)--)
		return false;
	snprintf(buf, n, "%s.p99", before);
	return true;
}

bool expect_name(size_t i, char *buf, size_t n)
{
	return name_below(root_nodes, "", &i, buf, n);
}

/* ---- Quantities ------------------------------------------------------------------------------ */

/* "iops, bw, slat, clat", as far as there is room. */
static const char *list_names(const struct node *level, char *buf, size_t n)
{
	size_t len = 0;

	buf[0] = '\0';
	for (const struct node *k = level; k->name && len < n; k++)
		len += (size_t)snprintf(buf + len, n - len, "%s%s", k == level ? "" : ", ",
					k->name);
	if (level == latency_nodes && len < n)
		snprintf(buf + len, n - len, ", p50, p99.9");
	return buf;
}

static int unknown_name(const struct node *level, struct span name, size_t at,
			struct parse_err *err)
{
	char given[64], names[100];
	const char *near = NULL;

	if (!name.len)
		return parse_fail(err, at, "a name is missing: %s",
				  list_names(level, names, sizeof(names)));
	if (name.len < sizeof(given)) {
		memcpy(given, name.at, name.len);
		given[name.len] = '\0';
		near = nearest_name(given, node_name, count_nodes(level), (void *)level);
	}
	if (near)
		return parse_fail(err, at, "there is no '%s' here; did you mean '%s'?",
				  parse_show(name).text, near);
	return parse_fail(err, at, "there is no '%s' here, but %s", parse_show(name).text,
			  list_names(level, names, sizeof(names)));
}

static int take_percentile(struct span text, size_t at, struct expectation *e,
			   struct parse_err *err)
{
	if (units_double(span_from(text, 1), 0, 100, &e->percent, NULL))
		return parse_fail(err, at, "'%s' is no percentile: p and a number from 0 to 100, "
				  "as p99.9", parse_show(text).text);
	e->what = EXPECT_PERCENTILE;
	e->unit = EXPECT_TIME;
	return 0;
}

static int check_leaf(const struct node *k, struct span name, size_t at,
		      const struct expectation *e, struct parse_err *err)
{
	char names[100];

	if (k->what == EXPECT_NOTHING)
		return parse_fail(err, at + name.len, "'.' and a name must follow '%s': %s",
				  k->name, list_names(k->under, names, sizeof(names)));
	if (k->scope == ONLY_GROUP && !e->group)
		return parse_fail(err, at, "only a group has '%s': put 'group.' in front",
				  k->name);
	if (k->scope == ONLY_JOB && (e->group || e->place == EXPECT_MIXED))
		return parse_fail(err, at, "only a direction of a job has '%s', not 'group', not "
				  "'mixed'", k->name);
	return 0;
}

/* at: where name begins in the whole text. */
static int parse_name(struct span name, size_t at, struct expectation *e, struct parse_err *err)
{
	const struct node *level = root_nodes, *k;

	e->place = EXPECT_JOB;
	for (;;) {
		const char *point = memchr(name.at, '.', name.len);
		struct span part = { name.at, point ? (size_t)(point - name.at) : name.len };

		if (level == root_nodes && !e->group && point && span_is(part, "group")) {
			e->group = true;
			name = span_from(name, part.len + 1);
			at += part.len + 1;
			continue;
		}
		if (level == latency_nodes && name.len > 1 && name.at[0] == 'p' &&
		    span_char_digit(name.at[1]))
			return take_percentile(name, at, e, err);
		k = find_node(level, part);
		if (!k)
			return unknown_name(level, part, at, err);
		e->place = k->place >= 0 ? (enum expect_place)k->place : e->place;
		e->latency = k->latency >= 0 ? (enum expect_latency)k->latency : e->latency;
		e->what = k->what;
		e->unit = k->unit;
		if (!point)
			return check_leaf(k, part, at, e, err);
		if (!k->under)
			return parse_fail(err, at + part.len, "nothing can follow '%s'", k->name);
		level = k->under;
		name = span_from(name, part.len + 1);
		at += part.len + 1;
	}
}

/* ---- Values ---------------------------------------------------------------------------------- */

static int parse_count(struct span text, double *out, struct parse_err *err)
{
	bool plain = span_char_digit(text.at[text.len - 1]);
	uint64_t n;

	if (plain && memchr(text.at, '.', text.len))
		return units_double(text, 0, 1e18, out, err);
	if (units_uint(text, 1000, 0, UINT64_MAX, &n, NULL, err))
		return -EINVAL;
	*out = (double)n;
	return 0;
}

static int parse_bytes(struct span text, int kb_base, double *out, struct parse_err *err)
{
	uint64_t bytes;
	bool kib = false;

	if (units_size(text, kb_base, &bytes, &kib, err) ||
	    (kib && units_size(text, 1000, &bytes, NULL, err)))
		return -EINVAL;
	*out = (double)bytes;
	return 0;
}

/* The results show latencies in three units: a number without one would be a guess. */
static int parse_time(struct span text, double *out, struct parse_err *err)
{
	uint64_t ns;

	if (units_time(text, UNITS_S, &ns, err))
		return -EINVAL;
	if (ns && !span_char_alpha(text.at[text.len - 1]))
		return parse_fail(err, text.len, "a unit is missing behind '%s': ns, us, ms or s",
				  parse_show(text).text);
	*out = (double)ns;
	return 0;
}

static int parse_grade(struct span text, double *out, struct parse_err *err)
{
	static const struct node grades[] = {
		[EXPECT_INVALID] = { .name = "invalid" },
		[EXPECT_DOUBTFUL] = { .name = "doubtful" },
		[EXPECT_OK] = { .name = "ok" }, END,
	};

	for (int i = 0; grades[i].name; i++) {
		if (span_is_nocase(text, grades[i].name)) {
			*out = i;
			return 0;
		}
	}
	return unknown_name(grades, text, 0, err);
}

static int parse_limit(struct span text, int kb_base, struct expectation *e, struct parse_err *err)
{
	if (!text.len)
		return parse_fail(err, 0, "a value is missing");
	switch (e->unit) {
	case EXPECT_COUNT:
		return parse_count(text, &e->limit, err);
	case EXPECT_BANDWIDTH:
		if (text.len > 2 && !memcmp(text.at + text.len - 2, "/s", 2))
			text.len -= 2;
		return parse_bytes(text, kb_base, &e->limit, err);
	case EXPECT_BYTES:
		return parse_bytes(text, kb_base, &e->limit, err);
	case EXPECT_TIME:
		return parse_time(text, &e->limit, err);
	case EXPECT_PERCENT:
		return units_percent(text, 1e6, &e->limit, err);
	case EXPECT_GRADE:
		break;
	}
	return parse_grade(text, &e->limit, err);
}

/* ---- Expectations ---------------------------------------------------------------------------- */

static const struct {
	const char *text;
	enum expect_op op;
} ops[] = {
	{ "<=", EXPECT_LESS_EQUAL }, { ">=", EXPECT_MORE_EQUAL }, { "==", EXPECT_EQUAL },
	{ "!=", EXPECT_UNEQUAL }, { "<", EXPECT_LESS }, { ">", EXPECT_MORE }, { "=", EXPECT_EQUAL },
};

/* Of a comparison, or of what somebody thought was one. */
static bool is_op_char(char c)
{
	return c && strchr("<>=!~", c);
}

static int parse_op(struct span text, size_t at, enum expect_op *op, struct parse_err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		if (span_is(text, ops[i].text)) {
			*op = ops[i].op;
			return 0;
		}
	}
	return parse_fail(err, at, "'%s' is no comparison; there are < <= > >= = !=%s",
			  parse_show(text).text, span_is(text, "=<") ? "; did you mean '<='?" :
			  span_is(text, "=>") ? "; did you mean '>='?" :
			  span_is(text, "<>") ? "; did you mean '!='?" : "");
}

/* item: not empty, `at` bytes into the whole text. */
static int parse_one(struct span item, size_t at, int kb_base, struct expectation *e,
		     struct parse_err *err)
{
	struct span name = { item.at, 0 }, op, value;
	int ret;

	*e = (struct expectation){ .text = item };
	while (name.len < item.len && !is_op_char(item.at[name.len]))
		name.len++;
	op = (struct span){ item.at + name.len, 0 };
	while (name.len + op.len < item.len && is_op_char(op.at[op.len]))
		op.len++;
	value = span_trim(span_from(item, name.len + op.len));
	ret = parse_name(span_trim(name), at, e, err);
	if (ret)
		return ret;
	if (!op.len)
		return parse_fail(err, at + item.len, "a comparison and a value must follow '%s', "
				  "as in '%s'", parse_show(item).text,
				  e->unit == EXPECT_GRADE ? "trust=ok" :
				  e->unit == EXPECT_TIME ? "read.clat.p99<2ms" :
				  "write.iops>=50k");
	ret = parse_op(op, at + name.len, &e->op, err);
	if (ret)
		return ret;
	ret = parse_limit(value, kb_base, e, err);
	if (ret)
		parse_fail_shift(err, at + (size_t)(value.at - item.at));
	return ret;
}

int expect_parse(struct span text, int kb_base, struct expectation *list, size_t *count,
		 struct parse_err *err)
{
	struct span rest = text, item;
	int ret = 0;

	*count = 0;
	while (!ret && span_next(&rest, ";,", &item)) {
		if (!item.len)
			continue;
		if (*count == EXPECT_MAX)
			return parse_fail(err, (size_t)(item.at - text.at),
					  "more than %d expectations", EXPECT_MAX);
		ret = parse_one(item, (size_t)(item.at - text.at), kb_base, &list[(*count)++], err);
	}
	if (!ret && !*count)
		return parse_fail(err, 0, "an expectation is missing, as in 'read.clat.p99<2ms'");
	return ret;
}

bool expect_holds(const struct expectation *e, double value)
{
	switch (e->op) {
	case EXPECT_LESS:
		return value < e->limit;
	case EXPECT_LESS_EQUAL:
		return value <= e->limit;
	case EXPECT_MORE:
		return value > e->limit;
	case EXPECT_MORE_EQUAL:
		return value >= e->limit;
	case EXPECT_EQUAL:
		return value == e->limit;
	case EXPECT_UNEQUAL:
		break;
	}
	return value != e->limit;
}
