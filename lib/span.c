/* SPDX-License-Identifier: MIT */
/* Cutting text without copying it. */
#include "lib/span.h"

#include "lib/strbuf.h"

struct span span_trim(struct span s)
{
	while (s.len && span_char_blank(s.at[0]))
		s = span_from(s, 1);
	while (s.len && span_char_blank(s.at[s.len - 1]))
		s.len--;
	return s;
}

bool span_is(struct span s, const char *word)
{
	return strlen(word) == s.len && (!s.len || !memcmp(s.at, word, s.len));
}

bool span_is_nocase(struct span s, const char *word)
{
	if (strlen(word) != s.len)
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (span_char_lower(s.at[i]) != span_char_lower(word[i]))
			return false;
	return true;
}

/* A '-' at i is a sign: it stands where an item begins, or behind an operator. */
static bool span_minus_is_sign(struct span s, size_t i)
{
	while (i && span_char_blank(s.at[i - 1]))
		i--;
	return !i || (s.at[i - 1] && strchr("+-*", s.at[i - 1]));
}

bool span_next(struct span *rest, const char *seps, struct span *item)
{
	struct span s = *rest;
	size_t i, depth = 0;

	if (!s.at)
		return false;
	for (i = 0; i < s.len; i++) {
		char c = s.at[i];

		if (c == '(')
			depth++;
		else if (c == ')' && depth)
			depth--;
		else if (!depth && c && strchr(seps, c) &&
			 !(c == '-' && span_minus_is_sign(s, i)))
			break;
	}
	*item = span_trim((struct span){ s.at, i });
	*rest = i < s.len ? span_from(s, i + 1) : (struct span){ NULL, 0 };
	return true;
}

/* Take one name, perhaps empty, off *rest. */
static void span_take_name(struct span *rest, struct strbuf *name)
{
	struct span s = *rest;
	size_t i, end;

	for (end = 0; end < s.len && s.at[end] != ':'; end++)
		if (s.at[end] == '\\' && end + 1 < s.len && s.at[end + 1] == ':')
			end++;
	*rest = end < s.len ? span_from(s, end + 1) : (struct span){ NULL, 0 };
	s.len = end;
	s = span_trim(s);
	strbuf_clear(name);
	for (i = 0; i < s.len; i++) {
		if (s.at[i] == '\\' && i + 1 < s.len && s.at[i + 1] == ':')
			i++;
		strbuf_putc(name, s.at[i]);
	}
}

bool span_next_name(struct span *rest, struct strbuf *name)
{
	while (rest->at) {
		span_take_name(rest, name);
		if (name->len)
			return true;
	}
	return false;
}
