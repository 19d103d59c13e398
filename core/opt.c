/* SPDX-License-Identifier: MIT */
/*
 * Tables of options: finding a row by what the user typed, and the state of a conf struct before
 * anything was typed. What a value means is in opt_set.c, what people read about it in opt_help.c.
 */
#include "core/opt.h"

#include "lib/arena.h"
#include "lib/nearest.h"

#include <string.h>

/* Values of options live as long as the process: jobs, echo and reports all point to them. */
static struct arena kept;

const char *opt_keep(const char *text)
{
	return arena_strdup(&kept, text);
}

void *opt_keep_bytes(const void *bytes, size_t n)
{
	void *p = arena_alloc(&kept, n);

	return bytes ? memcpy(p, bytes, n) : p;
}

/* ---- Finding rows ---- */

void opt_row(const struct opt_table *t, size_t i, struct fl_opt *out)
{
	fl_assert(i < t->count && t->row_size >= sizeof(out->name));
	memset(out, 0, sizeof(*out));
	memcpy(out, (const char *)t->rows + i * t->row_size, fl_min(t->row_size, sizeof(*out)));
}

bool opt_same_name(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b))
			return false;
	return *a == *b;
}

int opt_find(const struct opt_table *t, const char *name)
{
	struct fl_opt row;

	for (size_t i = 0; i < t->count; i++) {
		opt_row(t, i, &row);
		if (opt_same_name(row.name, name) || (row.alias && opt_same_name(row.alias, name)))
			return (int)i;
	}
	return -1;
}

struct name_list {
	const struct opt_table *const *tables;
	size_t n;
};

/* Every row has two names here, the second of which may be NULL. */
static const char *name_of(void *ctx, size_t i)
{
	const struct name_list *l = ctx;
	struct fl_opt row;

	for (size_t k = 0; k < l->n; k++) {
		if (i < 2 * l->tables[k]->count) {
			opt_row(l->tables[k], i / 2, &row);
			return i % 2 ? row.alias : row.name;
		}
		i -= 2 * l->tables[k]->count;
	}
	return NULL;
}

const char *opt_nearest(const struct opt_table *const *tables, size_t n, const char *name)
{
	struct name_list l = { tables, n };
	size_t names = 0;

	for (size_t k = 0; k < n; k++)
		names += 2 * tables[k]->count;
	return nearest_name(name, name_of, names, &l);
}

/* ---- Defaults ---- */

/* How many bytes of the conf struct an option of this kind owns; 0: only its parser knows. */
static size_t member_bytes(const struct fl_opt *row)
{
	switch (row->type) {
	case FL_OPT_BOOL:
	case FL_OPT_FLAG:
	case FL_OPT_U32:
	case FL_OPT_ENUM:
		return sizeof(uint32_t);
	case OPT_AMOUNT:
		return sizeof(struct amount);
	case OPT_SIZE_DIRS:
		return sizeof(struct per_dir);
	case OPT_RANGE_DIRS:
		return sizeof(struct range_dirs);
	case OPT_RANGE_SIZE:
	case OPT_RANGE_TIME:
		return sizeof(struct range);
	case OPT_CUSTOM:
	case OPT_NO_EFFECT:
		return 0;
	default:
		return sizeof(uint64_t);
	}
}

static void set_default(const struct fl_opt *row, void *conf)
{
	const struct opt_units units = { .kb_base = 1024 };
	char why[256];

	if (!row->def || row->type == OPT_NO_EFFECT)
		return;
	if (opt_set(row, conf, row->def, &units, why, sizeof(why)) < 0) {
		fprintf(stderr, "%s\n", why);
		fl_assert(!"the default of an option is a valid value");
	}
}

void opt_reset(const struct fl_opt *row, void *conf)
{
	memset((char *)conf + row->offset, 0, member_bytes(row));
	set_default(row, conf);
}

void opt_defaults(const struct opt_table *t, void *conf, size_t conf_size)
{
	struct fl_opt row;

	memset(conf, 0, conf_size);
	for (size_t i = 0; i < t->count; i++) {
		opt_row(t, i, &row);
		set_default(&row, conf);
	}
}
