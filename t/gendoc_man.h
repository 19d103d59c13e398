/* SPDX-License-Identifier: MIT */
/* The parts of the man page: flags, formats, options, engines, examples, as troff takes them. */
#ifndef T_GENDOC_MAN_H
#define T_GENDOC_MAN_H

#include "core/cli_flags_help.h"
#include "core/examples.h"
#include "t/gendoc.h"

#define ROFF_COLUMNS	78		/* of a line of the source */

/* One word as troff takes it: - is no hyphen, nothing is a command. */
static size_t roff_word(const char *text, size_t len, bool first)
{
	size_t columns = 0;

	if (first && (*text == '.' || *text == '\''))
		columns += (size_t)printf("\\&");
	for (size_t i = 0; i < len; i++) {
		const char *as = text[i] == '\\' ? "\\e" : text[i] == '-' ? "\\-" :
				 text[i] == '~' ? "\\(ti" : text[i] == '^' ? "\\(ha" : NULL;

		columns += (size_t)(as ? printf("%s", as) : printf("%c", text[i]));
	}
	return columns;
}

static void roff_text(const char *text)
{
	roff_word(text, strlen(text), true);
}

/* Prose: lines are filled, and each sentence begins one. */
static void roff_line(const char *text)
{
	size_t column = 0;

	for (size_t len; *text; text += len, text += strspn(text, " ")) {
		bool over;

		len = strcspn(text, " ");
		if (column && column + 1 + len > ROFF_COLUMNS) {
			putchar('\n');
			column = 0;
		} else if (column) {
			putchar(' ');
			column++;
		}
		column += roff_word(text, len, !column);
		over = len > 1 && strchr(".:?!", text[len - 1]) && text[len] == ' ' &&
		       isupper((unsigned char)text[len + 1]) && text[len - 1] != ':';
		if (over) {
			putchar('\n');
			column = 0;
		}
	}
	putchar('\n');
}

static void roff_flag(const struct cli_flag *flag)
{
	struct strbuf sb = STRBUF_INIT;

	printf(".TP\n");
	if (flag->letter)
		printf("\\fB\\-%c\\fR, ", flag->letter);
	printf("\\fB\\-\\-");
	roff_text(flag->name);
	printf("\\fR");
	if (flag->value_name) {
		bool may = flag->value != FIONAME_VALUE;

		printf("%s=\\fI", may ? "[" : "");
		roff_text(flag->value_name);
		printf("\\fR%s", may ? "]" : "");
	}
	putchar('\n');
	roff_line(sentence(flag->help, &sb));
	strbuf_free(&sb);
}

static void roff_flags(void)
{
	const struct cli_flag *flag;

	for (size_t i = 0; cli_flag_group(i); i++) {
		printf(".SS ");
		roff_line(cli_flag_group(i));
		for (size_t k = 0; (flag = cli_flag_in_group(i, k)); k++)
			roff_flag(flag);
	}
}

static void roff_formats(void)
{
	const struct reporter *format;

	for (size_t i = 0; (format = report_at(i)); i++) {
		printf(".TP\n.B ");
		roff_line(format->name);
		roff_line(format->help);
	}
}

/* What stands behind the = of an option. */
static const char *value_name(const struct fl_opt *row)
{
	switch (row->type) {
	case FL_OPT_BOOL: case FL_OPT_FLAG:
		return "0|1";
	case FL_OPT_U32: case FL_OPT_U64: case FL_OPT_I64: case FL_OPT_DOUBLE:
		if (!row->unit || strchr(row->unit, ' '))
			return "number";
		return strcmp(row->unit, OPT_UNIT_PERCENT) ? row->unit : "percent";
	case FL_OPT_SIZE:
		return "size";
	case FL_OPT_TIME:
		return "time";
	case FL_OPT_ENUM:
		return "word";
	case OPT_AMOUNT:
		return "size|share";
	case OPT_SIZE_DIRS:
		return "size[,size[,size]]";
	case OPT_RANGE_DIRS:
		return "range[,range[,range]]";
	case OPT_RANGE_SIZE:
		return "size|range";
	case OPT_RANGE_TIME:
		return "time|range";
	case OPT_STR_LIST:
		return "text[:text]...";
	case OPT_CUSTOM:
		return row->values ? "word" : "value";
	default:
		return row->unit && !strchr(row->unit, ' ') ? row->unit : "text";
	}
}

static void roff_names(const struct fl_opt *row)
{
	bool may = opt_bare(row);

	printf(".TP\n\\fB");
	roff_text(row->name);
	if (row->alias) {
		printf("\\fR, \\fB");
		roff_text(row->alias);
	}
	printf("\\fR%s=\\fI", may ? "[" : "");
	roff_text(value_name(row));
	printf("\\fR%s\n", may ? "]" : "");
}

/* What the name of the value does not tell: bounds, what else it may be, the default. */
static const char *roff_facts(const struct fl_opt *row, struct strbuf *sb)
{
	bool one = row->type == FL_OPT_BOOL || row->type == FL_OPT_FLAG, words = row->values;
	char range[96];

	strbuf_clear(sb);
	if (row->type == OPT_NO_EFFECT)
		return "Accepted, without effect.";
	if (has_range(row) && !one)
		strbuf_puts(sb, opt_range_text(row, range, sizeof(range)));
	if (row->unit && strchr(row->unit, ' ') && !words)
		strbuf_printf(sb, "%s%s", sb->len ? "; " : "", row->unit);
	else if (row->unit && strcmp(row->unit, value_name(row)) && strcmp(row->unit, "bytes") &&
		 strcmp(row->unit, OPT_UNIT_PERCENT) && !words)
		strbuf_printf(sb, "%s%s", sb->len ? "; " : "in ", row->unit);
	if (is_time(row) && row->def_unit_ns && row->def_unit_ns < 1000000000)
		strbuf_printf(sb, "%sa bare number is in %s", sb->len ? "; " : "",
			      row->def_unit_ns == 1000 ? "microseconds" : "milliseconds");
	if (row->def && !(one && !strcmp(row->def, "0")))
		strbuf_printf(sb, "%sdefault: %s", sb->len ? "; " : "", row->def);
	return strbuf_str(sb);
}

static void roff_row(const struct fl_opt *row)
{
	struct strbuf sb = STRBUF_INIT, more = STRBUF_INIT;
	const char *text;

	roff_names(row);
	roff_line(sentence(row->help ? row->help : "", &sb));
	if (row->more)
		roff_line(row->more);
	text = roff_facts(row, &sb);
	if (*text)
		roff_line(sentence(text, &more));
	if (row->values)
		printf(".RS\n.PD 0\n");
	for (const struct fl_opt_value *v = row->values; v && v->name; v++) {
		printf(".TP 16\n.B ");
		roff_line(v->name);
		roff_line(v->help && *v->help ? v->help : "\\&");
	}
	if (row->values)
		printf(".PD\n.RE\n");
	strbuf_free(&sb);
	strbuf_free(&more);
}

static void roff_index(const struct opt_table *t)
{
	struct strbuf sb = STRBUF_INIT;
	struct fl_opt row;

	printf(".TP\n.B ");
	roff_line(t->title);
	for (size_t i = 0; i < t->count; i++) {
		opt_row(t, i, &row);
		strbuf_printf(&sb, "%s%s", i ? ", " : "", row.name);
	}
	roff_line(strbuf_str(&sb));
	strbuf_free(&sb);
}

static void roff_options(void)
{
	const struct opt_table *const *tables;
	struct fl_opt row;
	size_t n;

	tables = job_tables(&n);
	for (size_t k = 0; k < n; k++)
		roff_index(tables[k]);
	for (size_t k = 0; k < n; k++) {
		printf(".SS ");
		roff_line(tables[k]->title);
		for (size_t i = 0; i < tables[k]->count; i++) {
			opt_row(tables[k], i, &row);
			roff_row(&row);
		}
	}
}

/* ---- Its engines ----------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Do these two mean the same, word for word? */
static bool same_row(const struct fl_opt *a, const struct fl_opt *b)
{
	return same_text(a->name, b->name) && a->type == b->type && same_text(a->help, b->help) &&
	       same_text(a->more, b->more) && same_text(a->def, b->def);
}

/* The engines that have this very option, with ", " between. Returns how many. */
static unsigned int owners(const struct fl_opt *row, struct strbuf *names)
{
	unsigned int n = 0;
	struct fl_opt other;

	strbuf_clear(names);
	for (size_t e = 0; e < engines.count; e++)
		for (size_t i = 0; i < engines.list[e]->opts.count; i++) {
			opt_row(&engines.list[e]->opts, i, &other);
			if (same_row(row, &other))
				strbuf_printf(names, "%s%s", n++ ? ", " : "",
					      engines.list[e]->ops.name);
		}
	return n;
}

static bool is_first(const struct fl_opt *row, size_t engine)
{
	struct fl_opt other;

	for (size_t e = 0; e < engine; e++)
		for (size_t i = 0; i < engines.list[e]->opts.count; i++) {
			opt_row(&engines.list[e]->opts, i, &other);
			if (same_row(row, &other))
				return false;
		}
	return true;
}

/* What several engines have is told once, with their names. */
static void roff_shared(void)
{
	struct strbuf names = STRBUF_INIT, line = STRBUF_INIT;
	struct fl_opt row;

	printf(".SS Options of several engines\n");
	for (size_t e = 0; e < engines.count; e++)
		for (size_t i = 0; i < engines.list[e]->opts.count; i++) {
			opt_row(&engines.list[e]->opts, i, &row);
			if (owners(&row, &names) < 2 || !is_first(&row, e))
				continue;
			roff_row(&row);
			strbuf_clear(&line);
			strbuf_printf(&line, "Engines: %s.", strbuf_str(&names));
			printf("%s", row.values ? ".IP\n" : ".br\n");
			roff_line(strbuf_str(&line));
		}
	strbuf_free(&names);
	strbuf_free(&line);
}

static void roff_engine_rows(const struct engine *e)
{
	struct strbuf also = STRBUF_INIT, names = STRBUF_INIT;
	struct fl_opt row;

	for (size_t i = 0; i < e->opts.count; i++) {
		opt_row(&e->opts, i, &row);
		if (owners(&row, &names) < 2)
			roff_row(&row);
		else
			strbuf_printf(&also, "%s%s", also.len ? ", " : "Of those above: ",
				      row.name);
	}
	if (also.len) {
		strbuf_putc(&also, '.');
		printf(".PP\n");
		roff_line(strbuf_str(&also));
	}
	strbuf_free(&also);
	strbuf_free(&names);
}

static void roff_counters(const struct engine *e)
{
	struct fl_counter row;

	if (!e->ops.nr_counters)
		return;
	printf(".PP\nCounters in the report:\n.RS\n.PD 0\n");
	for (uint32_t k = 0; k < e->ops.nr_counters; k++) {
		engine_counter(e, k, &row);
		printf(".TP 24\n.B ");
		roff_line(row.name);
		roff_line(row.help ? row.help : "\\&");
	}
	printf(".PD\n.RE\n");
}

static void roff_engines(void)
{
	struct strbuf sb = STRBUF_INIT;

	roff_shared();
	for (size_t i = 0; i < engines.count; i++) {
		const struct engine *e = engines.list[i];

		printf(".SS Engine ");
		roff_line(e->ops.name);
		roff_line(sentence(e->ops.help ? e->ops.help : "", &sb));
		roff_engine_rows(e);
		roff_counters(e);
	}
	strbuf_free(&sb);
}

static void roff_examples(void)
{
	const struct example *e;

	printf(".PD 0\n");
	for (size_t i = 0; (e = examples_at(i)); i++) {
		struct strbuf sb = STRBUF_INIT;
		size_t len;
		const char *text = examples_sentence(e, &len);

		strbuf_append(&sb, text, len);
		printf(".TP 20\n.B ");
		roff_line(e->name);
		roff_line(strbuf_str(&sb));
		strbuf_free(&sb);
	}
	printf(".PD\n");
}

#endif
