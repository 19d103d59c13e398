/* SPDX-License-Identifier: MIT */
/*
 * gendoc - the parts of the manual that are made from the tables the program runs by.
 *
 *	gendoc --engines=DIR options CASES	doc/options.md, on standard output
 *	gendoc --engines=DIR man TEMPLATE	doc/fio-like.1, on standard output
 *
 * CASES is the folder of option cases. DIR is the engines folder of the build. Only engines compiled
 * in or found there are described, so that what is installed on a machine never gets into the
 * manual. The template is a man page in which a line @FLAGS@, @FORMATS@, @OPTIONS@, @ENGINES@ or
 * @EXAMPLES@ stands for a part, and @VERSION@, anywhere, for the version.
 *
 * Status: 0, or 1 with a sentence on standard error.
 */
#include "t/gendoc.h"
#include "t/fiotable.h"
#include "t/gendoc_man.h"

#include <errno.h>

/* "a size such as 4k; 1 to 4g; bytes; default 4k" */
static const char *facts(const struct fl_opt *row, struct strbuf *sb)
{
	char range[96];

	strbuf_clear(sb);
	if (row->type == OPT_NO_EFFECT) {
		strbuf_puts(sb, "accepted, without effect");
		return strbuf_str(sb);
	}
	strbuf_puts(sb, row->type == OPT_CUSTOM ? row->values ? "a word" : row->unit ? row->unit :
		    "a value" : opt_type_name(row));
	if (has_range(row))
		strbuf_printf(sb, "; %s", opt_range_text(row, range, sizeof(range)));
	if (row->unit && row->type != OPT_CUSTOM)
		strbuf_printf(sb, "; %s", strcmp(row->unit, OPT_UNIT_PERCENT) ? row->unit :
			      "percent");
	else if (is_time(row))
		strbuf_printf(sb, "; a bare number is in %s", row->def_unit_ns == 1000 ?
			      "microseconds" : row->def_unit_ns == 1000000 ? "milliseconds" :
			      "seconds");
	if (row->def)
		strbuf_printf(sb, "; default %s", row->def);
	return strbuf_str(sb);
}

/* ---- Engines --------------------------------------------------------------------------------- */

static void take_engine(void *ctx, const char *name, const struct engine *e, const char *why)
{
	size_t len = strlen(engines.folder);

	(void)ctx;
	if (!e) {
		fprintf(stderr, "gendoc: engine %s: %s\n", name, why);
		engines.broken++;
		return;
	}
	if (strcmp(e->origin, "built in") && strncmp(e->origin, engines.folder, len))
		return;
	fl_assert(engines.count < ENGINES_MAX);
	engines.list[engines.count++] = e;
}

static int by_name(const void *a, const void *b)
{
	const struct engine *const *x = a, *const *y = b;

	return strcmp((*x)->ops.name, (*y)->ops.name);
}

static int find_engines(const char *folder)
{
	char path[PATH_MAX];

	unsetenv("FIO_LIKE_ENGINE_PATH");
	if (!realpath(folder, path)) {
		fprintf(stderr, "gendoc: %s: %s\n", folder, strerror(errno));
		return -1;
	}
	snprintf(engines.folder, sizeof(engines.folder), "%.*s/", PATH_MAX - 2, path);
	engines_add_path(path);
	engines_each(take_engine, NULL);
	qsort(engines.list, engines.count, sizeof(engines.list[0]), by_name);
	return engines.broken ? -1 : 0;
}

/* ---- options.md ------------------------------------------------------------------------------ */

/* Text in a paragraph or a cell: what Markdown would take for its own is escaped. */
static void md_text(const char *text)
{
	for (; *text; text++) {
		if (strchr("|<>*", *text))
			putchar('\\');
		putchar(*text);
	}
}

static void md_row(const struct fl_opt *row)
{
	struct strbuf sb = STRBUF_INIT;

	printf("\n### %s\n\n", row->name);
	md_text(sentence(row->help ? row->help : "", &sb));
	if (row->more) {
		putchar('\n');
		md_text(row->more);
	}
	printf("\n\n- value: ");
	md_text(facts(row, &sb));
	putchar('\n');
	if (row->alias)
		printf("- also called `%s`\n", row->alias);
	if (row->values)
		printf("\n| word | meaning |\n|---|---|\n");
	for (const struct fl_opt_value *v = row->values; v && v->name; v++) {
		printf("| `%s` | ", v->name);
		md_text(v->help ? v->help : "");
		printf(" |\n");
	}
	strbuf_free(&sb);
}

static void md_table(const struct opt_table *t)
{
	struct fl_opt row;

	for (size_t i = 0; i < t->count; i++) {
		opt_row(t, i, &row);
		md_row(&row);
	}
}

static void md_counters(const struct engine *e)
{
	struct fl_counter row;

	if (e->ops.nr_counters)
		printf("\n| counter | counts | unit | of several jobs |\n|---|---|---|---|\n");
	for (uint32_t i = 0; i < e->ops.nr_counters; i++) {
		engine_counter(e, i, &row);
		printf("| `%s` | ", row.name);
		md_text(row.help ? row.help : "");
		printf(" | %s | %s |\n", row.unit ? row.unit : "", row.merge == FL_MERGE_MAX ?
		       "largest" : row.merge == FL_MERGE_MIN ? "smallest" : "sum");
	}
}

static void write_table(const struct opt_table *const *tables, size_t n)
{
	for (size_t k = 0; k < n; k++)
		table_add(NULL, tables[k]);
	for (size_t i = 0; i < engines.count; i++)
		table_add(engines.list[i]->ops.name, &engines.list[i]->opts);
	printf("\n# Every option of fio\n\n"
	       "All options of fio 3.42 and of its engines that are here, too; then what belongs to "
	       "parts of fio\nthat fio-like does not have. The second column says whether Debian's "
	       "fio 3.33 has the option (`3.33`),\nonly a later one (`newer`), or none (`-`). Each "
	       "option that works has a test that fails when the option\nis ignored; most of them "
	       "also run Debian's fio, which has to show the same effect.\n\n");
	table_print();
}

static void write_options(void)
{
	struct strbuf sb = STRBUF_INIT;
	const struct opt_table *const *tables;
	size_t n;

	printf("<!-- Made by `make doc` from the tables of the program. Do not edit. -->\n"
	       "# Options\n\n"
	       "All options of a job, in a job file or on the command line. How values "
	       "are written is in "
	       "[jobfile.md](jobfile.md);\n`fio-like --cmdhelp=OPTION` and "
	       "`--enghelp=ENGINE,OPTION` show the same texts.\n\n");
	tables = job_tables(&n);
	for (size_t k = 0; k < n; k++) {
		struct fl_opt row;

		printf("%s**%s**:", k ? "\n" : "", tables[k]->title);
		for (size_t i = 0; i < tables[k]->count; i++) {
			opt_row(tables[k], i, &row);
			printf("%s [%s](#%s)", i ? "," : "", row.name, row.name);
		}
		putchar('\n');
	}
	for (size_t k = 0; k < n; k++) {
		printf("\n## %s\n", tables[k]->title);
		md_table(tables[k]);
	}
	printf("\n# Options and counters of the engines\n\n"
	       "An option of an engine is known in sections whose `ioengine` is that engine; "
	       "on the "
	       "command line\n`--ioengine` stands before it.\n");
	for (size_t i = 0; i < engines.count; i++) {
		const struct engine *e = engines.list[i];

		printf("\n## Engine %s\n\n", e->ops.name);
		md_text(sentence(e->ops.help ? e->ops.help : "", &sb));
		putchar('\n');
		md_table(&e->opts);
		md_counters(e);
	}
	write_table(tables, n);
	strbuf_free(&sb);
}

/* ---- fio-like.1 ------------------------------------------------------------------------------ */

static void put_template_line(char *line)
{
	char *at;

	line[strcspn(line, "\n")] = '\0';
	if (!strcmp(line, "@FLAGS@")) {
		roff_flags();
	} else if (!strcmp(line, "@FORMATS@")) {
		roff_formats();
	} else if (!strcmp(line, "@OPTIONS@")) {
		roff_options();
	} else if (!strcmp(line, "@EXAMPLES@")) {
		roff_examples();
	} else if (!strcmp(line, "@ENGINES@")) {
		roff_engines();
	} else if ((at = strstr(line, "@VERSION@"))) {
		printf("%.*s%s%s\n", (int)(at - line), line, FL_VERSION, at + strlen("@VERSION@"));
	} else {
		puts(line);
	}
}

static int write_man(const char *path)
{
	FILE *in = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;

	if (!in) {
		fprintf(stderr, "gendoc: %s: %s\n", path, strerror(errno));
		return 1;
	}
	while (getline(&line, &room, in) > 0)
		put_template_line(line);
	free(line);
	fclose(in);
	return 0;
}

int main(int argc, char **argv)
{
	static const char flag[] = "--engines=";
	bool options = argc == 4 && !strcmp(argv[2], "options");
	bool man = argc == 4 && !strcmp(argv[2], "man");
	int status = 0;

	if (!(options || man) || strncmp(argv[1], flag, strlen(flag))) {
		fprintf(stderr, "usage: gendoc --engines=DIR options CASES | man TEMPLATE\n");
		return 1;
	}
	if (find_engines(argv[1] + strlen(flag)))
		return 1;
	if (options) {
		status = -table_read_cases(argv[3]);
		if (status)
			fprintf(stderr, "gendoc: %s: %s\n", argv[3], strerror(status));
		else
			write_options();
	} else {
		status = write_man(argv[3]);
	}
	return fflush(stdout) || ferror(stdout) ? 1 : status;
}
