/* SPDX-License-Identifier: MIT */
/*
 * One pass from left to right over what the user wrote; what is put in goes straight to the outcome
 * and is never looked at again.
 */
#include "lib/subst.h"

#include <stdlib.h>

#define SUBST_NAME_MAX	255

static const char *const subst_keyword_names[] = { "pagesize", "mb_memory", "ncpus" };

/* text + at begins with word. */
static bool starts_with(struct span text, size_t at, const char *word)
{
	size_t len = strlen(word);

	return text.len - at >= len && !memcmp(text.at + at, word, len);
}

/* word stands somewhere in text. */
static bool holds(struct span text, const char *word)
{
	for (size_t i = 0; i < text.len; i++)
		if (starts_with(text, i, word))
			return true;
	return false;
}

/* How far a pass has come, and what it replaces. */
struct pass {
	const struct subst_env *env;
	struct strbuf *out;
	size_t begin;		/* where the outcome begins in out */
	enum { NEVER, ALWAYS, IN_VALUE /* behind the first '=' of the outcome */ } keywords;
	int vars, words;	/* replaced so far */
};

static bool keywords_wanted(const struct pass *p)
{
	if (p->keywords != IN_VALUE)
		return p->keywords == ALWAYS;
	return p->out->len > p->begin &&
	       memchr(p->out->text + p->begin, '=', p->out->len - p->begin);
}

/* The keyword that begins at text + at, or NULL. */
static const char *keyword_at(struct span text, size_t at)
{
	for (size_t i = 0; i < ARRAY_SIZE(subst_keyword_names); i++)
		if (starts_with(text, at, subst_keyword_names[i]))
			return subst_keyword_names[i];
	return NULL;
}

/* Appends the text with its keywords replaced, if this is the place for them. */
static void add_text(struct pass *p, struct span text)
{
	for (size_t i = 0; i < text.len; i++) {
		const char *name = text.at[i] == '$' ? keyword_at(text, i + 1) : NULL;
		const char *value = NULL;

		if (name && keywords_wanted(p))
			value = p->env->keyword(p->env->ctx, name);
		if (!value) {
			strbuf_putc(p->out, text.at[i]);
			continue;
		}
		strbuf_puts(p->out, value);
		p->words++;
		i += strlen(name);
	}
}

/* Appends what "NAME" or "NAME:-default" stands for; dollar is the offset for errors. */
static int add_var(struct pass *p, struct span inside, size_t dollar, struct parse_err *err)
{
	struct span name = inside, fallback = { NULL, 0 };
	char text[SUBST_NAME_MAX + 1];
	const char *value;

	for (size_t i = 0; i + 1 < inside.len; i++) {
		if (starts_with(inside, i, ":-")) {
			name.len = i;
			fallback = span_from(inside, i + 2);
			break;
		}
	}
	if (!name.len)
		return parse_fail(err, dollar, "'${%s}' names no variable",
				  parse_show(inside).text);
	if (name.len > SUBST_NAME_MAX)
		return parse_fail(err, dollar, "the variable name '%s' is too long",
				  parse_show(name).text);
	if (fallback.at && holds(fallback, "${"))
		return parse_fail(err, dollar, "the default of '${%s}' cannot hold another '${'",
				  parse_show(name).text);
	memcpy(text, name.at, name.len);
	text[name.len] = '\0';
	value = p->env->var(p->env->ctx, text);
	p->vars++;
	if (fallback.at && (!value || !*value)) {
		add_text(p, fallback);	/* the user wrote this, too */
		return 0;
	}
	if (!value)
		return parse_fail(err, dollar,
				  "the variable %s is not set (${%s:-VALUE} would give a default)",
				  parse_show(name).text, parse_show(name).text);
	strbuf_puts(p->out, value);
	return 0;
}

static int run_pass(struct pass *p, struct span text, struct parse_err *err)
{
	size_t done = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < text.len; i++) {
		const char *close;
		size_t end;

		if (!starts_with(text, i, "${"))
			continue;
		close = memchr(text.at + i, '}', text.len - i);
		if (!close)
			return parse_fail(err, i, "'${' has no closing '}'");
		end = (size_t)(close - text.at);
		add_text(p, (struct span){ text.at + done, i - done });
		rc = add_var(p, (struct span){ text.at + i + 2, end - i - 2 }, i, err);
		i = end;
		done = end + 1;
	}
	if (!rc)
		add_text(p, span_from(text, done));
	return rc ? rc : p->vars + p->words;
}

int subst_vars(struct span text, const struct subst_env *env, struct strbuf *out,
	       struct parse_err *err)
{
	struct pass p = { .env = env, .out = out, .begin = out->len, .keywords = NEVER };

	return run_pass(&p, text, err);
}

/* A calculation that would mean something else without parentheses around it. */
static bool wants_parentheses(struct span s)
{
	size_t depth = 0;
	bool found = false;

	s = span_trim(s);
	if (!s.len || !(span_char_digit(s.at[0]) || s.at[0] == '('))
		return false;
	for (size_t i = 0; i < s.len; i++) {
		char c = s.at[i];

		if (!span_char_digit(c) && !span_char_blank(c) && !(c && strchr("+-*/().", c)))
			return false;
		depth += c == '(';
		depth -= c == ')' && depth;
		found = found || (!depth && (c == '-' || c == '/'));
	}
	return found;
}

/* Puts parentheses around what out holds from offset at on, if it needs them. */
static void parenthesise(struct strbuf *out, size_t at)
{
	struct strbuf inner = STRBUF_INIT;

	while (at < out->len && span_char_blank(out->text[at]))
		at++;
	if (!wants_parentheses((struct span){ out->text + at, out->len - at }))
		return;
	strbuf_append(&inner, out->text + at, out->len - at);
	out->len = at;
	strbuf_printf(out, "(%s)", strbuf_str(&inner));
	strbuf_free(&inner);
}

int subst_value(struct span text, const struct subst_env *env, struct strbuf *out,
		struct parse_err *err)
{
	struct pass p = { .env = env, .out = out, .begin = out->len, .keywords = ALWAYS };
	int rc = run_pass(&p, text, err);

	if (rc > 0 && p.words)
		parenthesise(out, p.begin);
	return rc;
}

int subst_option(struct span text, const struct subst_env *env, struct strbuf *out,
		 struct parse_err *err)
{
	struct pass p = { .env = env, .out = out, .begin = out->len, .keywords = IN_VALUE };
	int rc = run_pass(&p, text, err);

	if (rc > 0 && p.words)
		parenthesise(out, (size_t)((char *)memchr(out->text + p.begin, '=',
							  out->len - p.begin) - out->text) + 1);
	return rc;
}
