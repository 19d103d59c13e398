/* SPDX-License-Identifier: MIT */
/*
 * Line by line: cut the comment, see what kind of line it is, replace what is to be replaced, pass
 * it on. The only memory between lines is whether a section is open and which files are.
 */
#include "lib/ini.h"

#include <stdarg.h>
#include <string.h>

#include "lib/strbuf.h"

/* What the lines read now belong to. */
enum ini_state {
	INI_OUTSIDE,		/* no header yet */
	INI_OPEN,		/* a section the sink wants */
	INI_SKIPPED,		/* one that it does not want, or whose header is broken */
};

struct reader {
	const struct ini_env *env;
	const struct ini_sink *sink;
	struct arena *arena;
	enum ini_state state;
	bool told_outside;
	int errors;
	int includes;
	int depth;		/* files open; the names of all of them: */
	const char *names[INI_DEPTH_MAX];
	struct strbuf line;	/* scratch, with everything replaced */
};

/* One line: what it is in the file, and what is left of it without comment and blanks. */
struct line {
	struct ini_origin at;
	struct span raw;
	struct span body;
};

static void read_source(struct reader *r, const struct ini_source *source);

fl_printf(4, 5)
static void report(struct reader *r, const struct ini_origin *where, size_t col,
		   const char *fmt, ...)
{
	struct ini_origin at = *where;
	struct strbuf message = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(&message, fmt, ap);
	va_end(ap);
	at.name_col = (int)col;
	at.value_col = 0;
	r->errors++;
	r->sink->error(r->sink->ctx, arena_strndup(r->arena, message.text, message.len), &at);
	strbuf_free(&message);
}

/* The column, from 1, of a place in the line. */
static size_t column(const struct line *l, const char *at)
{
	return (size_t)(at - l->raw.at) + 1;
}

/* The quote at i opens: an apostrophe inside a word does not. */
static bool quote_opens(struct span raw, size_t i)
{
	char before = i ? raw.at[i - 1] : ' ';

	return raw.at[i] == '"' || !(span_char_alpha(before) || span_char_digit(before) ||
				     (unsigned char)before >= 0x80);
}

static bool keeps_semicolons(const struct reader *r, struct span name)
{
	return r->env->semicolons && r->env->semicolons(span_trim(name));
}

/* raw up to the ; or # that starts a comment. */
static struct span cut_comment(const struct reader *r, struct span raw)
{
	bool in_value = false, keeps = false;

	for (size_t i = 0; i < raw.len; i++) {
		char c = raw.at[i];

		if (c == '#' || (c == ';' && !keeps))
			return (struct span){ raw.at, i };
		if (c == '=' && !in_value) {
			in_value = true;
			keeps = keeps_semicolons(r, (struct span){ raw.at, i });
		}
		if (in_value && (c == '"' || c == '\'') && quote_opens(raw, i)) {
			const char *close = memchr(raw.at + i + 1, c, raw.len - i - 1);

			if (close)
				i = (size_t)(close - raw.at);
		}
	}
	return raw;
}

/* The length of the header up to the ']' that matches its '[', or 0 if there is none. */
static size_t header_length(struct span body)
{
	size_t depth = 0;

	for (size_t i = 0; i < body.len; i++) {
		depth += body.at[i] == '[';
		depth -= body.at[i] == ']';
		if (!depth)
			return i + 1;
	}
	return 0;
}

/* No ']': none was written, or a comment has swallowed it. */
static void report_open_header(struct reader *r, const struct line *l)
{
	size_t end = cut_comment(r, l->raw).len;

	if (end < l->raw.len && memchr(l->raw.at + end, ']', l->raw.len - end))
		report(r, &l->at, end + 1, "this '%c' begins a comment, so the ']' of the section "
		       "header is missing", l->raw.at[end]);
	else
		report(r, &l->at, column(l, l->body.at),
		       "the ']' of the section header is missing");
}

/* Returns false when the file must not be read any further. */
static bool read_header(struct reader *r, const struct line *l)
{
	size_t len = header_length(l->body);
	size_t col = column(l, l->body.at);
	const char *name;

	if (r->depth > 1) {
		report(r, &l->at, col, "a [section] cannot stand in an included file");
		return false;
	}
	r->state = INI_SKIPPED;
	if (!len) {
		report_open_header(r, l);
		return true;
	}
	if (len < l->body.len) {
		report(r, &l->at, col + len, "'%s' stands behind the section header",
		       parse_show(span_trim(span_from(l->body, len))).text);
		return true;
	}
	if (len == 2) {
		report(r, &l->at, col, "the section has no name");
		return true;
	}
	name = arena_strndup(r->arena, l->body.at + 1, len - 2);
	if (r->sink->section(r->sink->ctx, name, &l->at))
		r->state = INI_OPEN;
	return true;
}

/* The name of the file that an include line asks for; *found tells whether it is such a line. */
static struct span include_target(struct span body, bool *found)
{
	const size_t len = strlen("include");
	struct span rest;

	*found = body.len >= len && !memcmp(body.at, "include", len) &&
		 (body.len == len || body.at[len] == '=' || span_char_blank(body.at[len]));
	if (!*found)
		return body;
	rest = span_trim(span_from(body, len));
	if (rest.len && rest.at[0] == '=')
		rest = span_trim(span_from(rest, 1));
	return rest;
}

/* The source is open already, further out: a loop. */
static bool is_open(const struct reader *r, const char *name)
{
	for (int i = 0; i < r->depth; i++)
		if (!strcmp(r->names[i], name))
			return true;
	return false;
}

static void read_include(struct reader *r, const struct line *l, struct span target)
{
	size_t col = column(l, target.at);
	struct ini_source source = { NULL, NULL, 0 };
	struct parse_err err;
	const char *wanted;
	int rc;

	strbuf_clear(&r->line);
	if (subst_vars(target, &r->env->subst, &r->line, &err) < 0) {
		report(r, &l->at, col + (size_t)err.col, "%s", err.text);
		return;
	}
	if (!r->line.len) {
		report(r, &l->at, column(l, l->body.at), "include needs the name of a file");
		return;
	}
	if (r->depth == INI_DEPTH_MAX) {
		report(r, &l->at, col, "includes are nested more than %d deep", INI_DEPTH_MAX);
		return;
	}
	if (++r->includes > INI_INCLUDES_MAX) {
		if (r->includes == INI_INCLUDES_MAX + 1)
			report(r, &l->at, col, "more than %d includes", INI_INCLUDES_MAX);
		return;
	}
	wanted = arena_strndup(r->arena, r->line.text, r->line.len);
	rc = r->env->load(r->env->ctx, wanted, r->names[r->depth - 1], &source);
	if (rc < 0) {
		report(r, &l->at, col, "cannot include '%s': %s", wanted, strerror(-rc));
		return;
	}
	if (is_open(r, source.name))
		report(r, &l->at, col, "'%s' includes itself, directly or by another file", wanted);
	else
		read_source(r, &source);
	r->env->unload(r->env->ctx, &source);
}

/* Where the value begins in the line as written; 0 if no '=' is written outside of ${...}. */
static int value_column(const struct line *l)
{
	struct span s = l->body;

	for (size_t i = 0; i < s.len; i++) {
		if (s.at[i] == '=') {
			struct span value = span_from(s, i + 1);

			while (value.len && span_char_blank(value.at[0]))
				value = span_from(value, 1);
			return (int)column(l, value.at);
		}
		if (s.at[i] == '$' && i + 1 < s.len && s.at[i + 1] == '{')
			while (i + 1 < s.len && s.at[i] != '}')
				i++;
	}
	return 0;
}

/* Says what is wrong with the name of an option, as far as that can be told without knowing it. */
static bool check_name(struct reader *r, const struct line *l, struct span name)
{
	size_t col = column(l, l->body.at);

	if (!name.len) {
		report(r, &l->at, col, "an option name is missing before '='");
		return false;
	}
	for (size_t i = 0; i < name.len; i++) {
		if (span_char_blank(name.at[i])) {
			report(r, &l->at, col, "name=value is expected instead of '%s'",
			       parse_show((struct span){ strbuf_str(&r->line), r->line.len }).text);
			return false;
		}
	}
	return true;
}

static void read_option(struct reader *r, const struct line *l)
{
	struct ini_origin at = l->at;
	struct span whole, name, value;
	struct parse_err err;
	const char *equals, *name_text, *value_text = NULL;
	int replaced;

	strbuf_clear(&r->line);
	replaced = subst_option(l->body, &r->env->subst, &r->line, &err);
	if (replaced < 0) {
		report(r, &at, column(l, l->body.at) + (size_t)err.col, "%s", err.text);
		return;
	}
	whole = name = (struct span){ strbuf_str(&r->line), r->line.len };
	equals = memchr(whole.at, '=', whole.len);
	if (equals)
		name.len = (size_t)(equals - whole.at);
	name = span_trim(name);
	if (!check_name(r, l, name))
		return;
	name_text = arena_strndup(r->arena, name.at, name.len);
	if (equals) {
		value = span_trim(span_from(whole, (size_t)(equals - whole.at) + 1));
		value_text = arena_strndup(r->arena, value.at, value.len);
		at.value_col = value_column(l);
	}
	at.expanded = replaced > 0;
	r->sink->option(r->sink->ctx, name_text, value_text, &at);
}

/* Returns false when the file must not be read any further. */
static bool read_line(struct reader *r, const char *file, int number, struct span raw)
{
	struct line l = { .at = { .file = file, .line = number }, .raw = raw };
	struct span target;
	bool is_include;

	while (raw.len && raw.at[raw.len - 1] == '\r')
		raw.len--;
	l.body = span_trim(cut_comment(r, raw));
	if (!l.body.len)
		return true;
	l.at.text = arena_strndup(r->arena, raw.at, raw.len);
	l.at.name_col = (int)column(&l, l.body.at);
	if (l.body.at[0] == '[')
		return read_header(r, &l);
	if (r->state == INI_OPEN) {
		target = include_target(l.body, &is_include);
		if (is_include)
			read_include(r, &l, target);
		else
			read_option(r, &l);
	} else if (r->state == INI_OUTSIDE && !r->told_outside) {
		r->told_outside = true;
		report(r, &l.at, (size_t)l.at.name_col, "'%s' stands outside of a [section]; "
		       "write [NAME] above it, or [global] for all jobs",
		       parse_show(l.body).text);
	}
	return true;
}

/* Text a person would write has no NUL bytes and hardly any control characters. */
static bool is_binary(struct span text)
{
	size_t odd = 0;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.at[i];

		if (!c)
			return true;
		odd += (unsigned char)c < ' ' && c != '\n' && !span_char_blank(c);
	}
	return odd > text.len / 16;
}

/* The name is on the stack of open files while this runs. */
static void read_text(struct reader *r, const char *file, struct span text)
{
	const struct ini_origin whole = { .file = file, .text = "" };
	int number = 0;

	if (text.len > INI_BYTES_MAX) {
		report(r, &whole, 0, "the file is too large for a job file (over %u MiB)",
		       (unsigned int)(INI_BYTES_MAX >> 20));
		return;
	}
	if (is_binary(text)) {
		report(r, &whole, 0, "this is a binary file, not a job file");
		return;
	}
	if (text.len >= 3 && !memcmp(text.at, "\xef\xbb\xbf", 3))
		text = span_from(text, 3);
	while (text.len) {
		const char *end = memchr(text.at, '\n', text.len);
		size_t len = end ? (size_t)(end - text.at) : text.len;

		if (!read_line(r, file, ++number, (struct span){ text.at, len }))
			return;
		text = span_from(text, end ? len + 1 : len);
	}
}

static void read_source(struct reader *r, const struct ini_source *source)
{
	const char *file = arena_strdup(r->arena, source->name);

	fl_assert(r->depth < INI_DEPTH_MAX);
	r->names[r->depth++] = file;
	read_text(r, file, (struct span){ source->text ? source->text : "", source->len });
	r->depth--;
}

int ini_read(const struct ini_source *source, const struct ini_env *env,
	     const struct ini_sink *sink, struct arena *arena)
{
	struct reader r = { .env = env, .sink = sink, .arena = arena };

	read_source(&r, source);
	strbuf_free(&r.line);
	return r.errors;
}
