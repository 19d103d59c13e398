/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a job file. Besides what the sanitizers see, the events must keep the promises of
 * lib/ini.h: options come only inside of sections, places lie inside of their lines, the errors
 * told are the errors counted, and every loaded include is given back.
 *
 * The text may include itself under names that differ, or parts of itself: an include that begins
 * with a digit d loads the text from its d-th eighth on.
 */
#include <errno.h>
#include <string.h>

#include "lib/ini.h"

struct state {
	const char *text;
	size_t len;
	bool open;
	int errors;
	int loaded;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *var(void *ctx, const char *name)
{
	(void)ctx;
	fl_assert(*name);
	return name[0] == 'N' ? NULL : name[0] == 'E' ? "" : name;
}

static const char *keyword(void *ctx, const char *name)
{
	(void)ctx;
	return strcmp(name, "ncpus") ? "4096" : NULL;
}

static int load(void *ctx, const char *wanted, const char *from, struct ini_source *source)
{
	struct state *s = ctx;
	size_t skip;

	fl_assert(*from);
	if (wanted[0] < '0' || wanted[0] > '7')
		return -ENOENT;
	skip = s->len / 8 * (size_t)(wanted[0] - '0');
	*source = (struct ini_source){ wanted, s->text + skip, s->len - skip };
	s->loaded++;
	return 0;
}

static void unload(void *ctx, struct ini_source *source)
{
	struct state *s = ctx;

	(void)source;
	s->loaded--;
}

static void check_place(const struct ini_origin *at, bool is_error)
{
	size_t len = strlen(at->text);

	fl_assert(*at->file && at->line >= 0);
	if (!at->line) {
		fl_assert(is_error && !at->name_col);
		return;
	}
	fl_assert(at->name_col >= 1 && (size_t)at->name_col <= len + 1);
	fl_assert(at->value_col >= 0 && (size_t)at->value_col <= len + 1);
}

static bool on_section(void *ctx, const char *name, const struct ini_origin *at)
{
	struct state *s = ctx;

	check_place(at, false);
	fl_assert(*name && at->text[at->name_col - 1] == '[');
	s->open = name[0] != 's';
	return s->open;
}

static void on_option(void *ctx, const char *name, const char *value, const struct ini_origin *at)
{
	struct state *s = ctx;

	check_place(at, false);
	fl_assert(s->open && *name && !strpbrk(name, "= \t"));
	if (value && !at->expanded) {
		fl_assert(at->value_col);
		fl_assert(!memcmp(at->text + at->value_col - 1, value, strlen(value)));
	}
}

static void on_error(void *ctx, const char *message, const struct ini_origin *at)
{
	struct state *s = ctx;

	check_place(at, true);
	fl_assert(*message);
	s->errors++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct state s = { .text = (const char *)data, .len = size };
	const struct ini_env env = {
		.subst = { .var = var, .keyword = keyword }, .load = load, .unload = unload,
		.ctx = &s,
	};
	const struct ini_sink sink = { on_section, on_option, on_error, &s };
	const struct ini_source source = { "job", s.text, s.len };
	struct arena arena = { NULL };
	int errors = ini_read(&source, &env, &sink, &arena);

	fl_assert(errors == s.errors);
	fl_assert(!s.loaded);
	arena_free(&arena);
	return 0;
}
