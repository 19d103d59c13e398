/* SPDX-License-Identifier: MIT */
/* One pass from left to right; what was put in is never looked at again. */
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

/* Append what "NAME" or "NAME:-default" stands for; dollar is the offset for errors. */
static int subst_one_var(struct span inside, size_t dollar, const struct subst_env *env,
			 struct strbuf *out, struct parse_err *err)
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
	value = env->var(env->ctx, text);
	if (fallback.at && (!value || !*value)) {
		strbuf_append(out, fallback.at, fallback.len);
		return 0;
	}
	if (!value)
		return parse_fail(err, dollar,
				  "the variable %s is not set (${%s:-VALUE} would give a default)",
				  parse_show(name).text, parse_show(name).text);
	strbuf_puts(out, value);
	return 0;
}

int subst_vars(struct span text, const struct subst_env *env, struct strbuf *out,
	       struct parse_err *err)
{
	size_t done = 0;
	int count = 0, rc;

	for (size_t i = 0; i < text.len; i++) {
		const char *close;
		size_t end;

		if (!starts_with(text, i, "${"))
			continue;
		close = memchr(text.at + i, '}', text.len - i);
		if (!close)
			return parse_fail(err, i, "'${' has no closing '}'");
		end = (size_t)(close - text.at);
		strbuf_append(out, text.at + done, i - done);
		rc = subst_one_var((struct span){ text.at + i + 2, end - i - 2 }, i, env, out, err);
		if (rc)
			return rc;
		count++;
		i = end;
		done = end + 1;
	}
	strbuf_append(out, text.at + done, text.len - done);
	return count;
}

/* The keyword that begins at text + at, or NULL. */
static const char *keyword_at(struct span text, size_t at)
{
	for (size_t i = 0; i < ARRAY_SIZE(subst_keyword_names); i++)
		if (starts_with(text, at, subst_keyword_names[i]))
			return subst_keyword_names[i];
	return NULL;
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

int subst_keywords(struct span text, const struct subst_env *env, struct strbuf *out)
{
	struct strbuf made = STRBUF_INIT;
	size_t done = 0;
	int count = 0;
	bool wrap;

	for (size_t i = 0; i < text.len; i++) {
		const char *name = text.at[i] == '$' ? keyword_at(text, i + 1) : NULL;
		const char *value = name ? env->keyword(env->ctx, name) : NULL;

		if (!value)
			continue;
		strbuf_append(&made, text.at + done, i - done);
		strbuf_puts(&made, value);
		count++;
		i += strlen(name);
		done = i + 1;
	}
	strbuf_append(&made, text.at + done, text.len - done);
	wrap = count && wants_parentheses((struct span){ made.text, made.len });
	strbuf_puts(out, wrap ? "(" : "");
	strbuf_append(out, made.text, made.len);
	strbuf_puts(out, wrap ? ")" : "");
	strbuf_free(&made);
	return count;
}

int subst_value(struct span text, const struct subst_env *env, struct strbuf *out,
		struct parse_err *err)
{
	struct strbuf plain = STRBUF_INIT;
	int vars = subst_vars(text, env, &plain, err);
	int keywords = 0;

	if (vars >= 0)
		keywords = subst_keywords((struct span){ strbuf_str(&plain), plain.len }, env, out);
	strbuf_free(&plain);
	return vars < 0 ? vars : vars + keywords;
}
