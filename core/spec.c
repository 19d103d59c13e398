/* SPDX-License-Identifier: MIT */
/*
 * Filling a spec. The one rule with a time in it: a job sees the [global] sections above it and not
 * those below, so each section takes its copy of the global settings when its header is reached.
 */
#include "core/spec.h"
#include "core/expect.h"

#include "core/environ.h"
#include "lib/grow.h"
#include "lib/ini.h"
#include "lib/strbuf.h"
#include "os/file.h"
#include "os/slurp.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define STDIN_NAME	"standard input"

/* ---- Lists of settings ---- */

static char *copy(const char *text)
{
	char *c = text ? strdup(text) : NULL;

	fl_assert(!text || c);
	return c;
}

struct setting *settings_add(struct settings *s, const char *name, const char *value,
			     const struct origin *at)
{
	struct setting *last;

	s->list = grow(s->list, s->count, sizeof(*s->list));
	fl_assert(s->list);
	last = &s->list[s->count++];
	*last = (struct setting){ .name = copy(name), .value = copy(value) };
	if (at)
		last->at = *at;
	return last;
}

void settings_append(struct settings *s, const struct settings *more)
{
	for (size_t i = 0; i < more->count; i++) {
		const struct setting *from = &more->list[i];

		settings_add(s, from->name, from->value, &from->at)->value_col = from->value_col;
	}
}

void settings_free(struct settings *s)
{
	for (size_t i = 0; i < s->count; i++) {
		free(s->list[i].name);
		free(s->list[i].value);
	}
	free(s->list);
	*s = (struct settings){ NULL, 0 };
}

const struct setting *settings_last(const struct settings *s, const char *name)
{
	for (size_t i = s->count; i > 0; i--)
		if (opt_same_name(s->list[i - 1].name, name))
			return &s->list[i - 1];
	return NULL;
}

const struct setting *section_last(const struct section *sec, const char *name)
{
	const struct setting *own = settings_last(&sec->own, name);

	return own ? own : settings_last(&sec->global, name);
}

const struct setting *section_given(const struct section *sec, const struct fl_opt *row)
{
	const struct setting *s = section_last(sec, row->name);

	return s || !row->alias ? s : section_last(sec, row->alias);
}

struct origin setting_value_at(const struct setting *s)
{
	struct origin at = s->at;

	if (s->value_col > 0)
		at.col = s->value_col;
	return at;
}

/* ---- Echo ---- */

enum echo_place { ECHO_FIRST, ECHO_MIDDLE, ECHO_LAST };

/* Those of a command line stay where they were. */
static enum echo_place echo_place(const char *name, const struct setting *s)
{
	if (!s->at.file)
		return ECHO_MIDDLE;
	if (!strcmp(name, "kb_base") || !strcmp(name, "unit_base"))
		return ECHO_FIRST;
	return strcmp(name, "filename") ? ECHO_MIDDLE : ECHO_LAST;
}

/* The names of a list as they are echoed. The caller frees the array. */
static const char **echo_names(const struct settings *s,
			       const char *(*canon)(void *ctx, const char *name), void *ctx)
{
	const char **names = calloc(s->count + 1, sizeof(*names));

	fl_assert(names);
	for (size_t i = 0; i < s->count; i++)
		names[i] = canon ? canon(ctx, s->list[i].name) : s->list[i].name;
	return names;
}

/* Takes away the names whose setting a later one of the same name has replaced. */
static void echo_drop_replaced(const char **names, size_t count)
{
	const char **seen = calloc(count + 1, sizeof(*seen));
	size_t kinds = 0;

	fl_assert(seen);
	for (size_t i = count; i-- > 0;) {
		size_t k = 0;

		if (!strcmp(names[i], "filename"))
			continue;
		while (k < kinds && strcmp(seen[k], names[i]))
			k++;
		if (k < kinds)
			names[i] = NULL;
		else
			seen[kinds++] = names[i];
	}
	free(seen);
}

void settings_echo(const struct settings *s, const char *(*canon)(void *ctx, const char *name),
		   void (*fn)(void *ctx, const char *name, const struct setting *setting),
		   void *ctx)
{
	const char **names = echo_names(s, canon, ctx);

	echo_drop_replaced(names, s->count);
	for (int place = ECHO_FIRST; place <= ECHO_LAST; place++)
		for (size_t i = 0; i < s->count; i++)
			if (names[i] &&
			    echo_place(names[i], &s->list[i]) == (enum echo_place)place)
				fn(ctx, names[i], &s->list[i]);
	free(names);
}

/* ---- Specs ---- */

struct spec *spec_new(void)
{
	struct spec *s = calloc(1, sizeof(*s));

	fl_assert(s);
	return s;
}

void spec_free(struct spec *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->count; i++) {
		settings_free(&s->sections[i].global);
		settings_free(&s->sections[i].own);
		free(s->sections[i].name);
	}
	free(s->sections);
	settings_free(&s->global);
	arena_free(&s->arena);
	free(s);
}

struct section *spec_add_section(struct spec *s, const char *name, const struct origin *at,
				 int file)
{
	struct section *last;

	s->sections = grow(s->sections, s->count, sizeof(*s->sections));
	fl_assert(s->sections);
	last = &s->sections[s->count++];
	*last = (struct section){ .name = copy(name), .file = file };
	if (at)
		last->at = *at;
	return last;
}

/* ---- Reading job files ---- */

struct reading {
	struct spec *spec;
	struct settings global;		/* in force here */
	const char *const *only;	/* NULL: all sections */
	bool in_global;
	struct diag *diag;
};

static struct origin origin_of(const struct ini_origin *at, int col)
{
	return (struct origin){
		.file = at->file,
		.line = at->line,
		.col = col,
		.text = at->text && *at->text ? at->text : NULL,
	};
}

static bool is_wanted(const char *const *only, const char *name)
{
	for (; only && *only; only++)
		if (!strcmp(*only, name))
			return true;
	return !only;
}

static bool on_section(void *ctx, const char *name, const struct ini_origin *at)
{
	struct reading *r = ctx;
	struct origin where = origin_of(at, at->name_col);

	r->in_global = !strcmp(name, "global");
	if (r->in_global)
		return true;
	if (!is_wanted(r->only, name))
		return false;
	settings_append(&spec_add_section(r->spec, name, &where, r->spec->files)->global,
			&r->global);
	return true;
}

static void on_option(void *ctx, const char *name, const char *value, const struct ini_origin *at)
{
	struct reading *r = ctx;
	struct origin where = origin_of(at, at->name_col);
	struct settings *target = r->in_global ? &r->global :
				  &r->spec->sections[r->spec->count - 1].own;

	settings_add(target, name, value, &where)->value_col = at->value_col;
	if (r->in_global)
		settings_add(&r->spec->global, name, value, &where)->value_col = at->value_col;
}

static void on_error(void *ctx, const char *message, const struct ini_origin *at)
{
	struct reading *r = ctx;
	struct origin where = origin_of(at, at->name_col);

	diag_error(r->diag, &where, "%s", message);
}

/* A name that is the same for the same file, so that an include loop is seen as one. */
static const char *plain_path(const char *path)
{
	while (!strncmp(path, "./", 2)) {
		path += 2;
		path += strspn(path, "/");
	}
	return path;
}

/* wanted, seen from the directory of the file `from`; the caller frees it. NULL: the same thing. */
static char *beside(const char *wanted, const char *from)
{
	const char *slash = strrchr(from, '/');
	struct strbuf path = STRBUF_INIT;

	if (wanted[0] == '/' || !slash)
		return NULL;
	strbuf_append(&path, from, (size_t)(slash - from) + 1);
	strbuf_puts(&path, plain_path(wanted));
	return strbuf_steal(&path);
}

static int load_include(void *ctx, const char *wanted, const char *from, struct ini_source *out)
{
	char *path = copy(plain_path(wanted));
	char *text = NULL;
	size_t len = 0;
	int err = slurp_file(path, INI_BYTES_MAX, &text, &len);

	(void)ctx;
	if (err == -ENOENT || err == -ENOTDIR) {
		char *other = beside(wanted, from);

		if (other) {
			free(path);
			path = other;
			err = slurp_file(path, INI_BYTES_MAX, &text, &len);
		}
	}
	if (err) {
		free(path);
		return err;
	}
	*out = (struct ini_source){ .name = path, .text = text, .len = len };
	return 0;
}

static void unload_include(void *ctx, struct ini_source *source)
{
	(void)ctx;
	free((char *)source->name);
	free((char *)source->text);
}

static int refuse_include(void *ctx, const char *wanted, const char *from, struct ini_source *out)
{
	(void)ctx;
	(void)wanted;
	(void)from;
	(void)out;
	return -EPERM;
}

static int read_source(struct reading *r, const struct ini_source *source, bool includes)
{
	const struct ini_env env = {
		.subst = *environ_subst(),
		.load = includes ? load_include : refuse_include,
		.unload = unload_include,
		.semicolons = expect_keeps_semicolon,
		.ctx = r,
	};
	const struct ini_sink sink = {
		.section = on_section, .option = on_option, .error = on_error, .ctx = r,
	};
	int errors = ini_read(source, &env, &sink, &r->spec->arena);

	settings_free(&r->global);
	r->spec->files++;
	return errors ? -EINVAL : 0;
}

int spec_read_file(struct spec *s, const char *path, const struct settings *defaults,
		   const char *const *only, struct diag *diag)
{
	struct reading r = { .spec = s, .only = only, .diag = diag };
	bool is_stdin = !strcmp(path, "-");
	char room[PATH_MAX];
	const char *near;
	struct ini_source source = { .name = is_stdin ? STDIN_NAME : plain_path(path) };
	char *text;
	int err;

	if (is_stdin && s->stdin_read)
		return 0;
	err = is_stdin ? slurp_fd(0, INI_BYTES_MAX, &text, &source.len) :
	      slurp_file(path, INI_BYTES_MAX, &text, &source.len);
	s->stdin_read = s->stdin_read || is_stdin;
	if (err == -EISDIR) {
		diag_error(diag, NULL, "'%s' is a directory, not a job file", path);
		return -EINVAL;
	}
	if (err) {
		near = err == -ENOENT ? file_nearest(path, room, sizeof(room)) : NULL;
		diag_error(diag, NULL, "cannot read the job file '%s': %s%s%s%s",
			   is_stdin ? STDIN_NAME : path, strerror(-err), near ? "; did you mean '" :
			   "", near ? near : "", near ? "'?" : "");
		return -EINVAL;
	}
	source.text = text;
	if (defaults)
		settings_append(&r.global, defaults);
	err = read_source(&r, &source, true);
	free(text);
	return err;
}

int spec_read_text(struct spec *s, const char *name, const char *text, size_t len,
		   struct diag *diag)
{
	struct reading r = { .spec = s, .diag = diag };
	const struct ini_source source = { .name = name, .text = text, .len = len };

	return read_source(&r, &source, false);
}
