/* SPDX-License-Identifier: MIT */
/*
 * The checks a table must pass. Each one is a sentence for the engine's author: which engine, which
 * row, what about it, what to do.
 */
#include "core/adopt.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Smallest rows that are accepted: as in version 1.0, options up to what all need. Frozen. */
#define OPT_ROW_MIN \
	(offsetof(struct fl_opt, values) + sizeof(((struct fl_opt *)0)->values))
#define COUNTER_ROW_MIN \
	(offsetof(struct fl_counter, merge) + sizeof(((struct fl_counter *)0)->merge))
#define HISTOGRAM_ROW_MIN \
	(offsetof(struct fl_histogram, help) + sizeof(((struct fl_histogram *)0)->help))
#define OP_ROW_MIN \
	(offsetof(struct fl_op_name, name) + sizeof(((struct fl_op_name *)0)->name))

#define OPS_BASIC	(1ull << FL_OP_READ | 1ull << FL_OP_WRITE | 1ull << FL_OP_SYNC | \
			 1ull << FL_OP_DATASYNC)

/* Who is being checked, and where the sentence goes. */
struct check {
	const struct fl_engine *e;
	const char *origin;
	char *why;
	size_t why_bytes;
};

fl_printf(2, 3) static int refuse(struct check *c, const char *fmt, ...)
{
	int n = snprintf(c->why, c->why_bytes, "engine '%s' (%s): ", c->e->name, c->origin);
	va_list ap;

	if (n >= 0 && (size_t)n < c->why_bytes) {
		va_start(ap, fmt);
		vsnprintf(c->why + n, c->why_bytes - (size_t)n, fmt, ap);
		va_end(ap);
	}
	return -EINVAL;
}

/* Lower case letters, digits and _; more: the characters an engine's name may hold besides. */
static bool name_ok(const char *name, const char *more)
{
	if (!name || !islower((unsigned char)name[0]))
		return false;
	for (const char *p = name; *p; p++) {
		bool word = islower((unsigned char)*p) || isdigit((unsigned char)*p) || *p == '_';

		if (!word && !strchr(more, *p))
			return false;
		if (p - name >= ENGINE_NAME_MAX)
			return false;
	}
	return true;
}

static void copy_row(void *out, size_t out_bytes, const void *rows, size_t row_bytes, uint32_t i)
{
	memset(out, 0, out_bytes);
	memcpy(out, (const char *)rows + (size_t)i * row_bytes, fl_min(out_bytes, row_bytes));
}

/* ---- Options --------------------------------------------------------------------------------- */

/* Bytes of the member that a row of this type fills; 0: no type for engines. */
static size_t member_bytes(uint32_t type)
{
	switch (type) {
	case FL_OPT_BOOL:
	case FL_OPT_FLAG:
	case FL_OPT_U32:
	case FL_OPT_ENUM:
		return sizeof(uint32_t);
	case FL_OPT_U64:
	case FL_OPT_I64:
	case FL_OPT_SIZE:
	case FL_OPT_TIME:
		return sizeof(uint64_t);
	case FL_OPT_DOUBLE:
		return sizeof(double);
	case FL_OPT_STR:
		return sizeof(const char *);
	default:
		return 0;
	}
}

static int check_opt_place(struct check *c, const struct fl_opt *row)
{
	size_t bytes = member_bytes(row->type);

	if (!bytes && row->type >= FL_OPT_HOST)
		return refuse(c, "option '%s' has type %u: types from FL_OPT_HOST (%d) on are the "
			      "runner's own", row->name, row->type, FL_OPT_HOST);
	if (!bytes)
		return refuse(c, "option '%s' has type %u, which this fio-like does not know; it "
			      "may come from a newer engine.h", row->name, row->type);
	if (row->offset > c->e->conf_size || c->e->conf_size - row->offset < bytes)
		return refuse(c, "option '%s' lies at bytes %u to %zu of a conf struct that has %u",
			      row->name, row->offset, row->offset + bytes, c->e->conf_size);
	if (row->offset % bytes)
		return refuse(c, "option '%s' lies at byte %u, but its type needs a multiple of "
			      "%zu", row->name, row->offset, bytes);
	return 0;
}

static int check_opt_values(struct check *c, const struct fl_opt *row)
{
	/* A max of 0 beside a min is none. */
	bool backwards = row->type == FL_OPT_I64 ? (int64_t)row->min > (int64_t)row->max
						 : row->max && row->min > row->max;

	if (!row->help || !row->help[0])
		return refuse(c, "option '%s' has no help line", row->name);
	if (backwards)
		return refuse(c, "option '%s' has a min above its max", row->name);
	if (row->parse)
		return refuse(c, "option '%s' has a parse function, which only the runner's own "
			      "kinds may have", row->name);
	if (row->type == FL_OPT_ENUM && (!row->values || !row->values[0].name))
		return refuse(c, "option '%s' is an FL_OPT_ENUM without values", row->name);
	for (const struct fl_opt_value *v = row->values; v && v->name; v++)
		if (v->value > UINT32_MAX)
			return refuse(c, "option '%s': the value of '%s' does not fit in 32 bits",
				      row->name, v->name);
	return 0;
}

static int check_opt_default(struct check *c, const struct fl_opt *row, void *conf)
{
	const struct opt_units units = { .kb_base = 1024 };
	char text[200] = "";

	if (!row->def)
		return 0;
	if (opt_set(row, conf, row->def, &units, text, sizeof(text)) < 0)
		return refuse(c, "the default of option '%s' cannot be read: %s", row->name, text);
	return 0;
}

static int check_opt_names(struct check *c, const struct opt_table *t, size_t i,
			   const struct fl_opt *row)
{
	const char *names[] = { row->name, row->alias };

	if (!name_ok(row->name, ""))
		return refuse(c, "option %zu is called '%s'; names are lower case letters, digits "
			      "and _, a letter first", i, row->name ? row->name : "(nothing)");
	if (row->alias && !name_ok(row->alias, ""))
		return refuse(c, "option '%s' has the alias '%s'; names are lower case letters, "
			      "digits and _, a letter first", row->name, row->alias);
	for (size_t k = 0; k < ARRAY_SIZE(names); k++)
		if (names[k] && opt_find(t, names[k]) != (int)i)
			return refuse(c, "two options are called '%s'", names[k]);
	return 0;
}

/* A string is a pointer: what another row writes over it would be followed to anywhere. */
static int check_opt_apart(struct check *c, const struct opt_table *t, size_t i,
			   const struct fl_opt *row)
{
	for (size_t k = 0; k < i; k++) {
		struct fl_opt other;

		opt_row(t, k, &other);
		if (row->type != FL_OPT_STR && other.type != FL_OPT_STR)
			continue;
		if (row->type == other.type && row->offset == other.offset)
			continue;
		if (row->offset < other.offset + member_bytes(other.type) &&
		    other.offset < row->offset + member_bytes(row->type))
			return refuse(c, "options '%s' and '%s' lie at the same bytes of the conf "
				      "struct, and one of them is a string", other.name, row->name);
	}
	return 0;
}

static int check_opts(struct check *c, const struct opt_table *t, void *conf)
{
	const struct fl_engine *e = c->e;

	if (!e->nr_opts && !e->conf_size)
		return 0;
	if (e->conf_size > ENGINE_CONF_MAX)
		return refuse(c, "its conf struct has %u bytes; at most %d are possible",
			      e->conf_size, ENGINE_CONF_MAX);
	if (e->nr_opts > ENGINE_OPTS_MAX)
		return refuse(c, "it has %u options; at most %d are possible", e->nr_opts,
			      ENGINE_OPTS_MAX);
	if (e->nr_opts && (!e->opts || !e->conf_size))
		return refuse(c, "it has %u options but %s; FL_ENGINE_OPTS(struct conf, rows) "
			      "fills all that belongs together", e->nr_opts,
			      e->opts ? "no conf struct" : "no rows");
	if (e->nr_opts && (e->opt_size < OPT_ROW_MIN || e->opt_size % sizeof(void *)))
		return refuse(c, "its rows of options have %u bytes each, which no version of "
			      "engine.h had", e->opt_size);
	for (size_t i = 0; i < t->count; i++) {
		struct fl_opt row;
		int err;

		opt_row(t, i, &row);
		if ((err = check_opt_names(c, t, i, &row)) ||
		    (err = check_opt_place(c, &row)) ||
		    (err = check_opt_apart(c, t, i, &row)) ||
		    (err = check_opt_values(c, &row)) ||
		    (err = check_opt_default(c, &row, conf)))
			return err;
	}
	return 0;
}

/* ---- Counters, histograms, operations -------------------------------------------------------- */

/* What the three smaller kinds of rows have in common. */
struct rows {
	const char *what;		/* "counter" */
	const void *rows;
	uint32_t count, count_max;
	size_t row_bytes, row_min;
};

static int check_rows(struct check *c, const struct rows *r)
{
	if (r->count > r->count_max)
		return refuse(c, "it has %u %ss; at most %u are possible", r->count, r->what,
			      r->count_max);
	if (r->count && !r->rows)
		return refuse(c, "it has %u %ss but no rows", r->count, r->what);
	if (r->count && (r->row_bytes < r->row_min || r->row_bytes % sizeof(uint32_t)))
		return refuse(c, "its rows of %ss have %zu bytes each, which no version of "
			      "engine.h had", r->what, r->row_bytes);
	return 0;
}

static int check_row_name(struct check *c, const struct rows *r, uint32_t i, const char *name)
{
	if (name_ok(name, ""))
		return 0;
	return refuse(c, "%s %u is called '%s'; names are lower case letters, digits and _, a "
		      "letter first", r->what, i, name ? name : "(nothing)");
}

static int check_counters(struct check *c, const struct engine *e)
{
	const struct rows r = {
		"counter", e->ops.counter_rows, e->ops.nr_counters, ENGINE_COUNTERS_MAX,
		e->ops.counter_size, COUNTER_ROW_MIN
	};
	int err = check_rows(c, &r);

	for (uint32_t i = 0; !err && i < r.count; i++) {
		struct fl_counter row, other;

		engine_counter(e, i, &row);
		err = check_row_name(c, &r, i, row.name);
		if (!err && row.merge > FL_MERGE_MIN)
			err = refuse(c, "counter '%s' has merge %u, which this fio-like does not "
				     "know", row.name, row.merge);
		for (uint32_t k = 0; !err && k < i; k++) {
			engine_counter(e, k, &other);
			if (!strcmp(row.name, other.name))
				err = refuse(c, "two counters are called '%s'", row.name);
		}
	}
	if (!err && e->ops.counters && !r.count)
		err = refuse(c, "it has a counters() hook but no counters; "
			     "FL_ENGINE_COUNTERS(rows) names them");
	return err;
}

static int check_histograms(struct check *c, const struct engine *e)
{
	const struct rows r = {
		"histogram", e->ops.histograms, e->ops.nr_histograms, ENGINE_HISTOGRAMS_MAX,
		e->ops.histogram_size, HISTOGRAM_ROW_MIN
	};
	int err = check_rows(c, &r);

	for (uint32_t i = 0; !err && i < r.count; i++) {
		struct fl_histogram row;

		engine_histogram(e, i, &row);
		err = check_row_name(c, &r, i, row.name);
	}
	return err;
}

static int check_ops(struct check *c, const struct engine *e)
{
	const struct rows r = {
		"operation", e->ops.ops, e->ops.nr_ops, ENGINE_OPS_MAX, e->ops.op_size, OP_ROW_MIN
	};
	int err = check_rows(c, &r);

	for (uint32_t i = 0; !err && i < r.count; i++) {
		struct fl_op_name row;

		engine_op_name(e, i, &row);
		err = check_row_name(c, &r, i, row.name);
		if (!err && row.op < FL_OP_CUSTOM)
			err = refuse(c, "its operation '%s' has number %u; an engine's own begin "
				     "at FL_OP_CUSTOM (%d)", row.name, row.op, FL_OP_CUSTOM);
	}
	return err;
}

/* ---- Hooks ----------------------------------------------------------------------------------- */

/* Pairs of which the first makes no sense without the second. */
static int check_pairs(struct check *c)
{
	const struct fl_engine *e = c->e;
	const struct {
		bool have, need;
		const char *which, *other;
	} pairs[] = {
		{ e->close, e->open, "close()", "open()" },
		{ e->commit, e->open, "commit()", "open() (so it is synchronous)" },
		{ e->complete, e->open, "complete()", "open() (so it is synchronous)" },
		{ e->cancel, e->open, "cancel()", "open() (so it is synchronous)" },
		{ e->process_exit, e->process_init, "process_exit()", "process_init()" },
		{ e->buffers_alloc, e->buffers_free, "buffers_alloc()", "buffers_free()" },
		{ e->buffers_free, e->buffers_alloc, "buffers_free()", "buffers_alloc()" },
		{ e->caps & FL_CAP_NAMES, e->file_size, "FL_CAP_NAMES", "file_size()" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (pairs[i].have && !pairs[i].need)
			return refuse(c, "it has %s but no %s", pairs[i].which, pairs[i].other);
	return 0;
}

static int check_hooks(struct check *c)
{
	const struct fl_engine *e = c->e;
	bool file_hooks = e->file_size || e->file_layout || e->file_open || e->file_close ||
			  e->file_invalidate;

	if (!e->queue)
		return refuse(c, "it has no queue() hook; that is the one hook no engine can do "
			      "without");
	if (e->caps & FL_CAP_NO_FILES && (file_hooks || e->caps & (FL_CAP_NAMES | FL_CAP_LAYOUT |
								    FL_CAP_DEVDAX)))
		return refuse(c, "it says FL_CAP_NO_FILES, but has %s", file_hooks ?
			      "a hook for files that would never be called" :
			      "another FL_CAP_* that is about files");
	if (e->caps & FL_CAP_NAMES && e->caps & FL_CAP_DEVDAX)
		return refuse(c, "it says both FL_CAP_NAMES and FL_CAP_DEVDAX: a target is a name "
			      "or a device, not both");
	return check_pairs(c);
}

/* ---- Adoption -------------------------------------------------------------------------------- */

/* The head of the table is all that may be read before this has said yes. */
static int check_head(const struct fl_engine *theirs, const char *origin, char *why,
		      size_t why_bytes)
{
	if (theirs->abi_major != FL_ABI_MAJOR) {
		snprintf(why, why_bytes, "%s was built for version %u of the engine interface, and "
			 "this fio-like has version %u; rebuild it with the engine.h of this "
			 "fio-like%s", origin, theirs->abi_major, (unsigned int)FL_ABI_MAJOR,
			 theirs->abi_major > FL_ABI_MAJOR ? ", or use a newer fio-like" : "");
		return -ENOEXEC;
	}
	if (theirs->size < FL_ENGINE_SIZE_MIN || theirs->size % sizeof(void *)) {
		snprintf(why, why_bytes, "%s has an engine table of %u bytes, %s; FL_ENGINE_HEAD "
			 "fills in the size", origin, theirs->size,
			 theirs->size < FL_ENGINE_SIZE_MIN ? "too short to reach its queue() hook"
							   : "which ends in the middle of a hook");
		return -EINVAL;
	}
	if (!name_ok(theirs->name, "-.")) {
		snprintf(why, why_bytes, "%s has an engine called '%s'; names are up to %d lower "
			 "case letters, digits, _, - and ., a letter first", origin,
			 theirs->name ? theirs->name : "(nothing)", ENGINE_NAME_MAX);
		return -EINVAL;
	}
	return 0;
}

int engine_adopt(struct engine *ours, const struct fl_engine *theirs, const char *origin,
		 char *why, size_t why_bytes)
{
	struct check c = { &ours->ops, origin, why, why_bytes };
	int err = check_head(theirs, origin, why, why_bytes);
	void *conf = NULL;

	if (err)
		return err;
	memset(ours, 0, sizeof(*ours));
	memcpy(&ours->ops, theirs, fl_min(theirs->size, sizeof(ours->ops)));
	ours->origin = origin;
	ours->opts = (struct opt_table){
		.title = ours->ops.name, .rows = ours->ops.opts, .count = ours->ops.nr_opts,
		.row_size = ours->ops.opt_size,
	};
	if (ours->ops.conf_size && ours->ops.conf_size <= ENGINE_CONF_MAX) {
		conf = calloc(1, ours->ops.conf_size);
		if (!conf) {
			snprintf(why, why_bytes, "out of memory");
			return -ENOMEM;
		}
	}
	if ((err = check_hooks(&c)) || (err = check_opts(&c, &ours->opts, conf)) ||
	    (err = check_counters(&c, ours)) || (err = check_histograms(&c, ours)) ||
	    (err = check_ops(&c, ours))) {
		free(conf);
		return err;
	}
	ours->defaults = conf;
	return 0;
}

void engine_drop(struct engine *e)
{
	free((void *)e->defaults);
	e->defaults = NULL;
}

bool engine_can(const struct engine *e, uint32_t op)
{
	uint64_t ops = e->ops.ops_supported ? e->ops.ops_supported : OPS_BASIC;

	return op < 64 && (ops >> op & 1);
}

void engine_counter(const struct engine *e, uint32_t i, struct fl_counter *out)
{
	fl_assert(i < e->ops.nr_counters);
	copy_row(out, sizeof(*out), e->ops.counter_rows, e->ops.counter_size, i);
}

void engine_histogram(const struct engine *e, uint32_t i, struct fl_histogram *out)
{
	fl_assert(i < e->ops.nr_histograms);
	copy_row(out, sizeof(*out), e->ops.histograms, e->ops.histogram_size, i);
}

void engine_op_name(const struct engine *e, uint32_t i, struct fl_op_name *out)
{
	fl_assert(i < e->ops.nr_ops);
	copy_row(out, sizeof(*out), e->ops.ops, e->ops.op_size, i);
}
