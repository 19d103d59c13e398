/* SPDX-License-Identifier: MIT */
/* What the papers that t/tools/gendoc makes have in common: the engines, and words about a row. */
#ifndef T_GENDOC_H
#define T_GENDOC_H

#include "core/engines.h"
#include "core/job.h"
#include "lib/strbuf.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { ENGINES_MAX = 128 };

static struct {
	const struct engine *list[ENGINES_MAX];
	size_t count;
	char folder[PATH_MAX];		/* absolute, with a slash behind */
	int broken;
} engines;

/* ---- What both papers say about a row -------------------------------------------------------- */

/* A help line as a sentence: a capital in front unless that is a name, a full stop behind. */
static const char *sentence(const char *text, struct strbuf *sb)
{
	size_t len = strlen(text), word = strcspn(text, " ,:");
	bool name = false;

	for (size_t i = 0; i < word; i++)
		name |= text[i] == '_' || text[i] == '(' || isdigit((unsigned char)text[i]);
	strbuf_clear(sb);
	if (!len)
		return strbuf_str(sb);
	strbuf_putc(sb, name ? text[0] : (char)toupper((unsigned char)text[0]));
	strbuf_puts(sb, text + 1);
	if (!strchr(".!?:", text[len - 1]))
		strbuf_putc(sb, '.');
	return strbuf_str(sb);
}

static bool has_range(const struct fl_opt *row)
{
	bool number = row->type < FL_OPT_STR ||
		      (row->type > OPT_CUSTOM && row->type < OPT_STR_LIST);

	return number && (row->min || row->max);
}

static bool is_time(const struct fl_opt *row)
{
	return row->type == FL_OPT_TIME || row->type == OPT_RANGE_TIME;
}

#endif
