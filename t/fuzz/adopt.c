/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the table of a plugin. The table and its rows have the sizes they claim, to the byte,
 * as those of a plugin have; all else in them is anything. A table that is refused has a sentence
 * that says why; from one that is taken every row can be read, shown, and set to any text.
 */
#include "core/adopt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- Taking values from the input ------------------------------------------------------------ */

struct input {
	const uint8_t *at;
	size_t left;
	char *strings[256];		/* what was handed out, to be freed */
	uint32_t nr_strings;
	const struct fl_opt_value *values;	/* for rows of options */
};

static uint32_t take(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->at++;
}

static uint64_t take_number(struct input *in)
{
	uint64_t value = 0;

	for (uint32_t n = take(in) % 9; n; n--)
		value = value << 8 | take(in);
	return value;
}

/* A name, a sentence or NULL: the bytes up to the next that is 0 or above 127. */
static const char *take_text(struct input *in)
{
	size_t n = 0;
	char *text;

	if (in->nr_strings == ARRAY_SIZE(in->strings) || take(in) == 'N')
		return NULL;
	while (n < in->left && in->at[n] && in->at[n] < 128)
		n++;
	text = malloc(n + 1);
	fl_assert(text);
	memcpy(text, in->at, n);
	text[n] = 0;
	in->at += n;
	in->left -= n;
	take(in);
	return in->strings[in->nr_strings++] = text;
}

/* ---- The table ------------------------------------------------------------------------------- */

/* Rows of row_bytes each, filled one by one; what does not fit in the smaller row is left out. */
struct table {
	char *rows;
	uint32_t count, row_bytes;
};

static int parse_nothing(void *member, const char *text, char *why, size_t why_bytes)
{
	(void)member;
	(void)text;
	(void)why;
	(void)why_bytes;
	return 0;
}

union row {
	struct fl_opt opt;
	struct fl_counter counter;
	struct fl_histogram histogram;
	struct fl_op_name op;
};

static void fill_option(struct input *in, union row *row)
{
	row->opt = (struct fl_opt){
		.name = take_text(in), .alias = take_text(in), .type = take(in),
		.offset = (uint32_t)take_number(in), .min = take_number(in),
		.max = take_number(in), .def_unit_ns = take_number(in),
		.def = take_text(in), .unit = take_text(in), .help = take_text(in),
		.more = take_text(in), .values = take(in) % 2 ? in->values : NULL,
		.parse = take(in) == 'P' ? parse_nothing : NULL,
		.arg = take_number(in),
	};
}

static void fill_counter(struct input *in, union row *row)
{
	row->counter = (struct fl_counter){
		.name = take_text(in), .unit = take_text(in), .help = take_text(in),
		.merge = take(in),
	};
}

static void fill_histogram(struct input *in, union row *row)
{
	row->histogram = (struct fl_histogram){ .name = take_text(in), .help = take_text(in) };
}

static void fill_op(struct input *in, union row *row)
{
	row->op = (struct fl_op_name){ .op = (uint32_t)take_number(in), .name = take_text(in) };
}

/* Rows of a kind, whose size is bytes here; a table has at most so many. */
static struct table take_rows(struct input *in, void (*fill)(struct input *, union row *),
			      size_t bytes, uint32_t most)
{
	struct table t = { .count = take(in) % 5, .row_bytes = (uint32_t)bytes };
	uint32_t odd = take(in);
	union row row;

	if (odd > 200)
		t.row_bytes = (uint32_t)bytes + 8 * (odd - 200);
	else if (odd > 150)
		t.row_bytes = odd - 150;
	if (take(in) == 'M')
		t.count += most;
	t.rows = calloc((size_t)t.count + 1, (size_t)t.row_bytes);
	fl_assert(t.rows);
	for (uint32_t i = 0; i < t.count && in->left; i++) {
		fill(in, &row);
		memcpy(t.rows + (size_t)i * t.row_bytes, &row,
		       fl_min(bytes, (size_t)t.row_bytes));
	}
	return t;
}

static int no_open(struct fl_queue *q)
{
	(void)q;
	return -ENOSYS;
}

static int no_queue(struct fl_queue *q, struct fl_req *req)
{
	(void)q;
	(void)req;
	return -ENOSYS;
}

static void no_close(struct fl_queue *q)
{
	(void)q;
}

/* ---- What may be done with one that was taken ------------------------------------------------ */

static void use_option(const struct engine *e, size_t i, struct input *in)
{
	const struct opt_units units = { .kb_base = 1024 };
	char text[300] = "", why[300] = "";
	void *conf = malloc(e->ops.conf_size);
	struct fl_opt row;
	const char *value;

	fl_assert(conf && e->defaults);
	memcpy(conf, e->defaults, e->ops.conf_size);
	opt_row(&e->opts, i, &row);
	fl_assert(row.name && row.help);
	fl_assert(opt_find(&e->opts, row.name) == (int)i);
	opt_show(&row, conf, text, sizeof(text));
	value = take_text(in);
	if (value && opt_set(&row, conf, value, &units, why, sizeof(why)) < 0)
		fl_assert(strstr(why, row.name));
	free(conf);
}

static void use(const struct engine *e, struct input *in)
{
	for (size_t i = 0; i < e->opts.count; i++)
		use_option(e, i, in);
	for (uint32_t i = 0; i < e->ops.nr_counters; i++) {
		struct fl_counter row;

		engine_counter(e, i, &row);
		fl_assert(row.name && row.name[0]);
	}
	for (uint32_t i = 0; i < e->ops.nr_histograms; i++) {
		struct fl_histogram row;

		engine_histogram(e, i, &row);
		fl_assert(row.name && row.name[0]);
	}
	for (uint32_t i = 0; i < e->ops.nr_ops; i++) {
		struct fl_op_name row;

		engine_op_name(e, i, &row);
		fl_assert(row.op >= FL_OP_CUSTOM && row.name[0]);
	}
	fl_assert(engine_can(e, FL_OP_READ) || e->ops.ops_supported);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { .at = data, .left = size };
	const struct fl_opt_value values[] = {
		{ take_text(&in), take_number(&in), take_text(&in) },
		{ take_text(&in), take_number(&in), take_text(&in) },
		{ NULL, 0, NULL },
	};
	struct fl_engine full = {
		.abi_major = take(&in) == 'A' ? take(&in) : FL_ABI_MAJOR,
		.name = take_text(&in), .help = take_text(&in), .version = take_text(&in),
		.caps = (uint32_t)take_number(&in), .conf_size = (uint32_t)take_number(&in),
		.ops_supported = take_number(&in),
	};
	uint32_t bytes = take(&in) == 'S' ? take(&in) * 4 : sizeof(full);
	struct table opts, counters, histograms, ops;
	uint32_t hooks;
	struct fl_engine *table = calloc(1, fl_max(bytes, 8u));
	struct engine e;
	char why[400] = "";

	fl_assert(table);
	in.values = values;
	opts = take_rows(&in, fill_option, sizeof(struct fl_opt), ENGINE_OPTS_MAX);
	counters = take_rows(&in, fill_counter, sizeof(struct fl_counter), ENGINE_COUNTERS_MAX);
	histograms = take_rows(&in, fill_histogram, sizeof(struct fl_histogram),
			       ENGINE_HISTOGRAMS_MAX);
	ops = take_rows(&in, fill_op, sizeof(struct fl_op_name), ENGINE_OPS_MAX);
	hooks = take(&in);
	full.size = bytes;
	full.opts = hooks & 1 ? NULL : (void *)opts.rows;
	full.nr_opts = opts.count;
	full.opt_size = opts.row_bytes;
	full.counter_rows = hooks & 2 ? NULL : (void *)counters.rows;
	full.nr_counters = counters.count;
	full.counter_size = counters.row_bytes;
	full.histograms = hooks & 4 ? NULL : (void *)histograms.rows;
	full.nr_histograms = histograms.count;
	full.histogram_size = histograms.row_bytes;
	full.ops = hooks & 8 ? NULL : (void *)ops.rows;
	full.nr_ops = ops.count;
	full.op_size = ops.row_bytes;
	full.queue = hooks & 16 ? NULL : no_queue;
	full.open = hooks & 32 ? NULL : no_open;
	full.close = hooks & 64 ? no_close : NULL;
	memcpy(table, &full, fl_min((size_t)bytes, sizeof(full)));
	table->abi_major = full.abi_major;
	table->size = bytes;
	if (engine_adopt(&e, table, "a fuzzer", why, sizeof(why))) {
		fl_assert(why[0]);
	} else {
		use(&e, &in);
		engine_drop(&e);
	}
	free(table);
	free(opts.rows);
	free(counters.rows);
	free(histograms.rows);
	free(ops.rows);
	while (in.nr_strings)
		free(in.strings[--in.nr_strings]);
	return 0;
}
