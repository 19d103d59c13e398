/* SPDX-License-Identifier: MIT */
/*
 * An option in words. Everything printed here comes from the row, so that help, manual and parser
 * cannot disagree.
 */
#include "core/opt.h"
#include "core/opt_text.h"

#include "lib/strbuf.h"
#include "lib/units.h"

#include <string.h>

#define NAME_COLUMNS	28	/* of opt_help_line() */
#define LABEL_COLUMNS	12	/* of opt_help_full() */
#define TEXT_COLUMNS	88

const char *opt_type_name(const struct fl_opt *row)
{
	switch (row->type) {
	case FL_OPT_BOOL:
		return "0 or 1";
	case FL_OPT_FLAG:
		return "nothing, 0 or 1";
	case FL_OPT_U32:
	case FL_OPT_U64:
		return "a whole number";
	case FL_OPT_I64:
		return "a whole number, perhaps negative";
	case FL_OPT_SIZE:
		return "a size such as 4k";
	case FL_OPT_TIME:
		return "a time such as 10s";
	case FL_OPT_DOUBLE:
		return "a number";
	case FL_OPT_STR:
		return "a text";
	case FL_OPT_ENUM:
		return "a word";
	case OPT_AMOUNT:
		return "a size such as 1g, or a share such as 50% or 33%mem";
	case OPT_SIZE_DIRS:
		return "up to three numbers for read,write,trim";
	case OPT_RANGE_DIRS:
		return "up to three ranges such as 4k-64k for read,write,trim";
	case OPT_RANGE_SIZE:
		return "a size or a range such as 4k-64k";
	case OPT_RANGE_TIME:
		return "a time or a range such as 1s-10s";
	case OPT_STR_LIST:
		return "a text, or several with : between";
	case OPT_NO_EFFECT:
		return "anything";
	case OPT_STR_BARE:
		return "a text, or nothing";
	default:
		return "a value";
	}
}

/* ---- Bounds ---- */

static bool is_size(const struct fl_opt *row)
{
	return row->type == FL_OPT_SIZE || row->type == OPT_AMOUNT || row->type == OPT_SIZE_DIRS ||
	       row->type == OPT_RANGE_DIRS || row->type == OPT_RANGE_SIZE;
}

static bool is_time(const struct fl_opt *row)
{
	return row->type == FL_OPT_TIME || row->type == OPT_RANGE_TIME;
}

/* The shortest exact spelling: 65536 bytes as 64k, 2000000 ns as 2ms. */
static void add_number(struct strbuf *sb, const struct fl_opt *row, uint64_t v)
{
	static const char *const times[] = { "ns", "us", "ms", "s" };
	static const char *const sizes[] = { "", "k", "m", "g", "t", "p" };
	bool time = is_time(row), size = is_size(row);
	uint64_t step = time ? 1000 : 1024;
	size_t count = time ? ARRAY_SIZE(times) : ARRAY_SIZE(sizes), i = 0;

	while ((time || size) && i + 1 < count && v && v % step == 0) {
		v /= step;
		i++;
	}
	strbuf_printf(sb, "%llu%s", (unsigned long long)v, time ? times[i] : sizes[i]);
}

static void add_range(struct strbuf *sb, const struct fl_opt *row)
{
	struct opt_bounds b = opt_bounds(row);
	bool open = !row->max && row->type != FL_OPT_U32;

	if (!b.min && open) {
		strbuf_puts(sb, "0 or more");
	} else if (open || b.max == UINT64_MAX) {
		strbuf_puts(sb, "at least ");
		add_number(sb, row, b.min);
	} else {
		add_number(sb, row, b.min);
		strbuf_puts(sb, " to ");
		add_number(sb, row, b.max);
	}
}

const char *opt_range_text(const struct fl_opt *row, char *buf, size_t n)
{
	struct strbuf sb = STRBUF_INIT;

	if (row->type != FL_OPT_I64)
		add_range(&sb, row);
	else if (row->min || row->max)
		strbuf_printf(&sb, "%lld to %lld", (long long)row->min, (long long)row->max);
	snprintf(buf, n, "%s", strbuf_str(&sb));
	strbuf_free(&sb);
	return buf;
}

/* ---- Pages ---- */

void opt_help_line(const struct fl_opt *row, FILE *out)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_puts(&sb, row->name);
	if (row->alias)
		strbuf_printf(&sb, ", %s", row->alias);
	fprintf(out, "  %-*s", NAME_COLUMNS, strbuf_str(&sb));
	if (sb.len > NAME_COLUMNS)
		fprintf(out, "\n  %-*s", NAME_COLUMNS, "");
	fprintf(out, "  %s\n", row->help ? row->help : "");
	strbuf_free(&sb);
}

/* A labelled paragraph, broken at blanks. */
static void put_field(FILE *out, const char *label, const char *text)
{
	size_t column = 2 + LABEL_COLUMNS;

	fprintf(out, "  %-*s", LABEL_COLUMNS, label);
	while (*text) {
		size_t word;

		text += strspn(text, " \n");
		word = strcspn(text, " \n");
		if (!word)
			break;
		if (column > 2 + LABEL_COLUMNS && column + 1 + word > TEXT_COLUMNS) {
			fprintf(out, "\n  %-*s", LABEL_COLUMNS, "");
			column = 2 + LABEL_COLUMNS;
		}
		if (column > 2 + LABEL_COLUMNS) {
			fputc(' ', out);
			column++;
		}
		fprintf(out, "%.*s", (int)word, text);
		column += word;
		text += word;
	}
	fputc('\n', out);
}

static void put_values(FILE *out, const struct fl_opt_value *v)
{
	size_t width = 0;

	for (size_t i = 0; v[i].name; i++)
		width = fl_max(width, strlen(v[i].name));
	for (size_t i = 0; v[i].name; i++) {
		fprintf(out, "  %-*s%-*s", LABEL_COLUMNS, i ? "" : "words",
			v[i].help ? (int)width : 0, v[i].name);
		if (v[i].help)
			fprintf(out, "  %s", v[i].help);
		fputc('\n', out);
	}
}

static void put_bare_unit(FILE *out, const struct fl_opt *row)
{
	uint64_t ns = row->def_unit_ns ? row->def_unit_ns : UNITS_S;

	put_field(out, "unit", ns == UNITS_S ? "a number alone counts seconds" :
		  ns == UNITS_MS ? "a number alone counts milliseconds" :
		  ns == UNITS_US ? "a number alone counts microseconds" :
		  "a number alone counts nanoseconds");
}

void opt_help_full(const struct fl_opt *row, FILE *out)
{
	char range[96];

	fprintf(out, "%s\n", row->name);
	put_field(out, "", row->help ? row->help : "");
	if (row->more)
		put_field(out, "", row->more);
	if (row->alias)
		put_field(out, "alias", row->alias);
	put_field(out, "value", row->type == OPT_CUSTOM && row->values ? "a word" :
		  opt_type_name(row));
	if ((row->min || row->max) && row->type < FL_OPT_STR)
		put_field(out, "range", opt_range_text(row, range, sizeof(range)));
	else if ((row->min || row->max) && row->type > OPT_CUSTOM && row->type < OPT_STR_LIST)
		put_field(out, "range", opt_range_text(row, range, sizeof(range)));
	if (row->unit)
		put_field(out, "unit", row->unit);
	else if (is_time(row))
		put_bare_unit(out, row);
	put_field(out, "default", row->def ? row->def : "none");
	if (row->values)
		put_values(out, row->values);
}
