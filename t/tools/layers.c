/* SPDX-License-Identifier: MIT */
/*
 * Reads the sources as a reviewer would: which file includes which, and how long things are.
 *
 * Every project header that a file includes is an arrow. Arrows point one way,
 *
 *	include < lib < os < core < main.c	engines, examples -> include
 *
 * and never back: not between layers, not in a circle between modules (a .c and a .h of one name
 * are one module). These are errors, as is a file over 800 lines. Long functions, wide lines
 * and notes to oneself are warnings; --strict makes them errors.
 *
 * Usage: layers [--strict] ROOT <list-of-files. Names are relative to ROOT, one a line.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	FILES_MAX = 1000, ARROWS_MAX = 64, NAME_MAX_BYTES = 200, PATH_BYTES = 256,
	LINE_MAX_BYTES = 4096,
	FILE_LINES_MAX = 800, FUNCTION_LINES_MAX = 70, COLUMNS_MAX = 100, TAB = 8,
};

enum layer { INCLUDE, LIB, OS, CORE, MAIN, ENGINES, TESTS, UNKNOWN };

/* One .c and .h pair. */
struct module {
	char name[PATH_BYTES];	/* path without its suffix */
	int arrows[ARROWS_MAX];		/* the modules it includes */
	int arrow_count;
	enum { UNSEEN, OPEN, CLOSED } state;
};

static struct module modules[FILES_MAX];
static int module_count;
static int errors, warnings;
static bool strict;
static int wide_lines, wide_first;	/* of the file being read */

static void complain(bool is_error, const char *file, int line, const char *what)
{
	bool error = is_error || strict;

	fprintf(stdout, "%s:%d: %s: %s\n", file, line, error ? "error" : "warning", what);
	if (error)
		errors++;
	else
		warnings++;
}

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static enum layer layer_of(const char *file)
{
	static const struct {
		const char *dir;
		enum layer layer;
	} rows[] = {
		{ "include/", INCLUDE }, { "lib/", LIB }, { "os/", OS }, { "core/", CORE },
		{ "main.c", MAIN }, { "engines/", ENGINES }, { "examples/", ENGINES },
		{ "t/", TESTS },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (starts(file, rows[i].dir))
			return rows[i].layer;
	return UNKNOWN;
}

static bool may_include(enum layer from, enum layer to)
{
	if (from == ENGINES)
		return to == INCLUDE;
	return to <= from && to != MAIN;
}

static int module_index(const char *file)
{
	int len = (int)strcspn(file, ".");

	for (int i = 0; i < module_count; i++)
		if ((int)strlen(modules[i].name) == len && !strncmp(modules[i].name, file, len))
			return i;
	if (module_count == FILES_MAX) {
		fprintf(stderr, "layers: more than %d modules\n", FILES_MAX);
		exit(1);
	}
	snprintf(modules[module_count].name, PATH_BYTES, "%.*s", len, file);
	return module_count++;
}

static void module_arrow(const char *from, const char *to)
{
	int a = module_index(from), b = module_index(to);
	struct module *m = &modules[a];

	if (a == b)
		return;
	for (int i = 0; i < m->arrow_count; i++)
		if (m->arrows[i] == b)
			return;
	if (m->arrow_count == ARROWS_MAX)
		complain(true, from, 1, "includes too many headers for one idea");
	else
		m->arrows[m->arrow_count++] = b;
}

/* The file that an include means, relative to the root; false if it is no file of the project. */
static bool resolve(const char *wanted, char *path)
{
	static const char *const places[] = { "", "include/" };

	for (size_t i = 0; i < 2; i++) {
		snprintf(path, PATH_BYTES, "%s%s", places[i], wanted);
		if (!access(path, R_OK))
			return true;
	}
	return false;
}

/* These two show how little an engine needs. */
static bool is_model_engine(const char *file)
{
	return !strcmp(file, "engines/null.c") || !strcmp(file, "engines/stdio.c");
}

static void check_include(const char *file, int line, const char *wanted, bool quoted)
{
	char path[PATH_BYTES], what[3 * NAME_MAX_BYTES];
	enum layer from = layer_of(file), to;

	if (starts(wanted, "gen/")) {
		if (from == ENGINES || from == INCLUDE)
			complain(true, file, line, "a generated file is no public header");
		return;
	}
	if (!resolve(wanted, path)) {
		snprintf(what, sizeof(what), "\"%s\" is no path from the root of the project",
			 wanted);
		if (quoted)
			complain(true, file, line, what);
		return;
	}
	to = layer_of(path);
	if (!may_include(from, to)) {
		snprintf(what, sizeof(what), "must not include %s: the arrow points up", path);
		complain(true, file, line, what);
	}
	if (is_model_engine(file) && strcmp(path, "include/fio-like/engine.h"))
		complain(true, file, line, "this engine includes only \"fio-like/engine.h\" "
			 "and the system");
	module_arrow(file, path);
}

static void check_line(const char *file, int line, const char *text)
{
	/* In pieces, so that this file does not find itself. */
	static const char *const words[] = { "TO" "DO", "FIX" "ME", "XX" "X" };
	char wanted[NAME_MAX_BYTES], open[2];
	int columns = 0;

	if (sscanf(text, " # include %1[<\"]%199[^>\"]", open, wanted) == 2)
		check_include(file, line, wanted, open[0] == '"');
	for (const char *p = text; *p && *p != '\n'; p++) {
		if (*p == '\t')
			columns += TAB - columns % TAB;
		else
			columns += ((unsigned char)*p & 0xc0) != 0x80;
	}
	if (columns > COLUMNS_MAX && !wide_lines++)
		wide_first = line;
	for (size_t i = 0; i < 3; i++)
		if (strstr(text, words[i]))
			complain(false, file, line, "a note to oneself");
}

/* A function is what stands from a line that begins with '{' to the next that begins with '}'. */
static void check_function(const char *file, int open_line, int close_line)
{
	char what[100];
	int lines = close_line - open_line + 1;

	snprintf(what, sizeof(what), "a function of %d lines; %d are enough for one idea", lines,
		 FUNCTION_LINES_MAX);
	if (lines > FUNCTION_LINES_MAX)
		complain(false, file, open_line, what);
}

static void check_file(const char *file)
{
	char text[LINE_MAX_BYTES], what[100];
	int line = 0, open_line = 0;
	FILE *in = fopen(file, "r");

	if (!in) {
		complain(true, file, 0, "cannot be read");
		return;
	}
	module_index(file);
	wide_lines = 0;
	while (fgets(text, sizeof(text), in)) {
		line++;
		check_line(file, line, text);
		if (text[0] == '{')
			open_line = line;
		if (text[0] == '}' && open_line) {
			check_function(file, open_line, line);
			open_line = 0;
		}
	}
	fclose(in);
	snprintf(what, sizeof(what), "%d lines of more than %d columns", wide_lines, COLUMNS_MAX);
	if (wide_lines)
		complain(false, file, wide_first, what);
	if (line > FILE_LINES_MAX)
		complain(true, file, line, "more than 800 lines: surely two ideas");
}

/* Walks from a module that is not yet closed; the way there is in path. */
static void find_circles(int index, int *path, int depth)
{
	struct module *m = &modules[index];

	m->state = OPEN;
	path[depth] = index;
	for (int i = 0; i < m->arrow_count; i++) {
		int next = m->arrows[i], from = depth;

		if (modules[next].state == UNSEEN)
			find_circles(next, path, depth + 1);
		if (modules[next].state != OPEN)
			continue;
		while (path[from] != next)
			from--;
		printf("error: a circle of includes:");
		for (int k = from; k <= depth; k++)
			printf(" %s ->", modules[path[k]].name);
		printf(" %s\n", modules[next].name);
		errors++;
	}
	m->state = CLOSED;
}

int main(int argc, char **argv)
{
	static int path[FILES_MAX];
	char file[NAME_MAX_BYTES];
	int files = 0;

	if (argc == 3 && !strcmp(argv[1], "--strict")) {
		strict = true;
		argv++;
		argc--;
	}
	if (argc != 2 || chdir(argv[1])) {
		fprintf(stderr, "usage: layers [--strict] ROOT <list-of-files\n");
		return 2;
	}
	while (fgets(file, sizeof(file), stdin)) {
		file[strcspn(file, "\n")] = '\0';
		check_file(file);
		files++;
	}
	for (int i = 0; i < module_count; i++)
		if (modules[i].state == UNSEEN)
			find_circles(i, path, 0);
	printf("%d files, %d modules: %d errors, %d warnings\n", files, module_count, errors,
	       warnings);
	return errors != 0;
}
