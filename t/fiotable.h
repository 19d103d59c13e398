/* SPDX-License-Identifier: MIT */
/*
 * The table of all options, fio's and ours, for gendoc: since when fio has each, what we do with
 * it, and the option case that would fail if we did nothing. Rows of the program, the names of fio
 * and the cases of t/options are put side by side; none of it is written down twice.
 */
#ifndef T_FIOTABLE_H
#define T_FIOTABLE_H

#include "core/engines.h"
#include "core/fionames.h"
#include "core/job.h"
#include "lib/strbuf.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_CASES_MAX = 2000, TABLE_ROWS_MAX = 2000, TABLE_NAME_BYTES = 96 };

/* Options of fio 3.42 that Debian's fio 3.33 does not know. */
static const char *const table_newer[] = {
	"cmdprio_hint", "comm", "end_syncfs", "filetype", "job_start_clock_id", "libaio_vectored",
	"log_issue_time", "log_window_value", "priohint", "ramp_size", "random_sequence_stride",
	"recover_zbd_write_error", "spr_cache_size", "spr_num_regions", "spr_op", "sprandom",
	"ss_interval", "steadystate_check_interval", "thinkcycles", "verify_header_seed",
	"verify_pattern_interval", "verify_policy", "verify_write_sequence", "write_zone_remainder",
	/* fio 3.33 has these two for its engine sg alone. */
	"io_uring/readfua", "io_uring/writefua",
};

struct table_case {
	char option[TABLE_NAME_BYTES];
	char target[TABLE_NAME_BYTES];	/* the script or list, from the root of the tree */
};

struct table_row {
	char key[TABLE_NAME_BYTES];	/* option, or engine/option */
	struct fl_opt row;
};

static struct {
	struct table_case cases[TABLE_CASES_MAX];
	size_t case_count;
	struct table_row rows[TABLE_ROWS_MAX];
	size_t row_count, untested;
} table;

/* ---- The cases ---- */

static void table_add_case(const char *title, const char *file)
{
	struct table_case *c = &table.cases[table.case_count++];

	fl_assert(table.case_count <= TABLE_CASES_MAX);
	snprintf(c->option, sizeof(c->option), "%.*s", (int)strcspn(title, " \n"), title);
	snprintf(c->target, sizeof(c->target), "t/options/%.80s", file);
}

/* One list of cases: titles begin lines; a note may say that a script tests it instead. */
static int table_read_file(const char *folder, const char *file)
{
	static const char elsewhere[] = "\telsewhere: ";
	struct strbuf path = STRBUF_INIT;
	char *line = NULL;
	size_t room = 0;
	FILE *in;

	strbuf_printf(&path, "%s/%s", folder, file);
	in = fopen(strbuf_str(&path), "r");
	strbuf_free(&path);
	if (!in)
		return -errno;
	while (getline(&line, &room, in) > 0) {
		struct table_case *last = table.cases + table.case_count - (table.case_count > 0);

		if (line[0] != '\t' && line[0] != '#' && line[0] != '\n')
			table_add_case(line, file);
		else if (!strncmp(line, elsewhere, strlen(elsewhere)) && table.case_count)
			snprintf(last->target, sizeof(last->target), "%.*s",
				 (int)strcspn(line + strlen(elsewhere), ": \n"),
				 line + strlen(elsewhere));
	}
	free(line);
	fclose(in);
	return 0;
}

static int table_lists_only(const struct dirent *d)
{
	size_t len = strlen(d->d_name);

	return len > 4 && !strcmp(d->d_name + len - 4, ".txt");
}

/* table_read_cases - all lists of a folder, in the order of their names. 0, or -errno. */
static int table_read_cases(const char *folder)
{
	struct dirent **list;
	int n = scandir(folder, &list, table_lists_only, alphasort), err = 0;

	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		err = err ? err : table_read_file(folder, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	return err;
}

/* ---- Rows ---- */

/* engine: NULL for the runner's own tables. */
static void table_add(const char *engine, const struct opt_table *t)
{
	for (size_t i = 0; i < t->count; i++) {
		struct table_row *r = &table.rows[table.row_count++];

		fl_assert(table.row_count <= TABLE_ROWS_MAX);
		opt_row(t, i, &r->row);
		snprintf(r->key, sizeof(r->key), "%s%s%s", engine ? engine : "",
			 engine ? "/" : "", r->row.name);
	}
}

static int table_by_key(const void *a, const void *b)
{
	const struct table_row *x = a, *y = b;
	bool engine_x = strchr(x->key, '/'), engine_y = strchr(y->key, '/');

	return engine_x != engine_y ? engine_x - engine_y : strcmp(x->key, y->key);
}

static bool table_is_newer(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(table_newer); i++)
		if (opt_same_name(table_newer[i], name))
			return true;
	return false;
}

/* "3.33", "newer", or "-": ours alone. An option is as old as the older of its names. */
static const char *table_since(const struct table_row *r)
{
	const char *names[] = { r->row.name, r->row.alias };
	const char *since = "-";

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!names[i] || !fionames_has(names[i]))
			continue;
		if (!table_is_newer(names[i]) && !table_is_newer(r->key))
			return "3.33";
		since = "newer";
	}
	return since;
}

/* Links to whatever tests it, each once. Returns how many. */
static size_t table_tests(const char *key)
{
	size_t found = 0;

	for (size_t i = 0; i < table.case_count; i++) {
		const struct table_case *c = &table.cases[i];
		bool known = false;

		if (strcmp(c->option, key))
			continue;
		for (size_t k = 0; k < i; k++)
			known |= !strcmp(table.cases[k].option, key) &&
				 !strcmp(table.cases[k].target, c->target);
		if (!known)
			printf("%s[%s](../%s)", found++ ? ", " : "", c->target, c->target);
	}
	return found;
}

static void table_print_row(const struct table_row *r)
{
	printf("| `%s`", r->key);
	if (r->row.alias)
		printf(", `%s`", r->row.alias);
	printf(" | %s | %s | ", table_since(r), r->row.type == OPT_NO_EFFECT ?
	       "accepted with a note: it has no effect here" : "works");
	if (!table_tests(r->key)) {
		printf("**no case**");
		table.untested++;
	}
	printf(" |\n");
}

/* Does any row go by this name of fio's? */
static bool table_has(const char *name)
{
	for (size_t i = 0; i < table.row_count; i++) {
		const struct fl_opt *row = &table.rows[i].row;

		if (opt_same_name(row->name, name) || (row->alias && opt_same_name(row->alias, name)))
			return true;
	}
	return false;
}

/* What fio has and we do not. */
static void table_print_missing(void)
{
	const char *name;

	for (size_t i = 0; (name = fionames_at(i)); i++) {
		const char *owner = fionames_foreign(name);

		if (table_has(name))
			continue;
		printf("| `%s` | %s | %s%s |\n", name, table_is_newer(name) ? "newer" : "3.33",
		       owner ? "not applicable | belongs to " : "refused by name | not yet there",
		       owner ? owner : "");
	}
}

/* table_print - all of it. Returns how many options that work have no case. */
static size_t table_print(void)
{
	qsort(table.rows, table.row_count, sizeof(table.rows[0]), table_by_key);
	printf("| option | fio | fio-like | tested by, or why not |\n|---|---|---|---|\n");
	for (size_t i = 0; i < table.row_count; i++)
		table_print_row(&table.rows[i]);
	table_print_missing();
	return table.untested;
}

#endif
