/* SPDX-License-Identifier: MIT */
/* Reading and writing lines of iologs. */
#include "lib/iolog.h"
#include "lib/logfmt.h"
#include "lib/nearest.h"

#include <errno.h>

static const char *const names[IOLOG_ACTIONS] = {
	[IOLOG_READ] = "read", [IOLOG_WRITE] = "write", [IOLOG_TRIM] = "trim",
	[IOLOG_SYNC] = "sync", [IOLOG_DATASYNC] = "datasync",
	[IOLOG_SYNC_RANGE] = "sync_file_range", [IOLOG_WAIT] = "wait", [IOLOG_ADD] = "add",
	[IOLOG_OPEN] = "open", [IOLOG_CLOSE] = "close",
};

const char *iolog_action_name(enum iolog_action a)
{
	return names[a];
}

static const char *name_at(void *ctx, size_t i)
{
	(void)ctx;
	return names[i];
}

int iolog_version(struct span line)
{
	line = span_trim(line);
	return span_is(line, "fio version 2 iolog") ? 2 :
	       span_is(line, "fio version 3 iolog") ? 3 : 0;
}

/* Take the last word off the line. */
static struct span take_last(struct span *rest)
{
	size_t end = rest->len, at;

	while (end && span_char_blank(rest->at[end - 1]))
		end--;
	for (at = end; at && !span_char_blank(rest->at[at - 1]);)
		at--;
	rest->len = at;
	return (struct span){ rest->at + at, end - at };
}

static struct span take_first(struct span *rest)
{
	size_t at = 0, end;

	while (at < rest->len && span_char_blank(rest->at[at]))
		at++;
	for (end = at; end < rest->len && !span_char_blank(rest->at[end]);)
		end++;
	struct span word = { rest->at + at, end - at };

	*rest = span_from(*rest, end);
	return word;
}

static bool number(struct span word, uint64_t *value)
{
	uint64_t v = 0;

	if (!word.len || word.len > 19)
		return false;
	for (size_t i = 0; i < word.len; i++) {
		if (!span_char_digit(word.at[i]))
			return false;
		v = 10 * v + (uint64_t)(word.at[i] - '0');
	}
	*value = v;
	return v <= INT64_MAX;
}

/* By the first letter and the length, then the word: this is done for each line. */
static bool action_of(struct span word, enum iolog_action from, enum iolog_action to,
		      enum iolog_action *a)
{
	for (*a = from; *a < to; ++*a)
		if (word.len && word.at[0] == names[*a][0] && span_is(word, names[*a]))
			return true;
	return false;
}

static int bad_action(struct span word, struct span line, int version, struct parse_err *err)
{
	struct parse_shown shown = parse_show(word);
	const char *near = nearest_name(shown.text, name_at, IOLOG_ACTIONS, NULL);

	return parse_fail(err, (size_t)(word.at - line.at), "'%s' is no action; it must be read, "
			  "write, trim, sync, datasync,%s add, open or close%s%s%s", shown.text,
			  version == 2 ? " wait," : "", near ? " (did you mean " : "",
			  near ? near : "", near ? "?)" : "");
}

static int bad_number(struct span word, struct span line, const char *what, struct parse_err *err)
{
	return parse_fail(err, (size_t)(word.at - line.at), "'%s' is no %s; it must be a whole "
			  "number from 0 to 2^63-1, without a unit", parse_show(word).text, what);
}

/* What has been put together is checked as a whole. */
static int check(const struct iolog_line *l, struct span line, int version, struct parse_err *err)
{
	if (l->action == IOLOG_WAIT && version != 2)
		return parse_fail(err, 0, "wait is an action of version 2; in version 3 time "
				  "stamps say when");
	if (!l->name.len)
		return parse_fail(err, 0, "a file name is expected before '%s'", names[l->action]);
	if (l->action < IOLOG_SYNC && !l->len)
		return parse_fail(err, line.len, "a length of 0 moves no bytes; it must be at "
				  "least 1");
	if (iolog_is_io(l->action) && l->len > INT64_MAX - l->offset)
		return parse_fail(err, 0, "offset and length end beyond the largest file");
	return 0;
}

/* The time stamp in front. */
static int take_time(struct span *rest, struct span line, uint64_t *time_us, struct parse_err *err)
{
	struct span word = take_first(rest);

	if (number(word, time_us))
		return 0;
	return bad_number(word, line, "time stamp in microseconds, which each line of version 3 "
			  "begins with", err);
}

int iolog_parse(struct span line, int version, struct iolog_line *out, struct parse_err *err)
{
	struct span rest = span_trim(line), last, before, action;
	int ret;

	*out = (struct iolog_line){ .action = IOLOG_ADD };
	if (!rest.len || iolog_version(rest))
		return 0;
	if (version == 3) {
		ret = take_time(&rest, line, &out->time_us, err);
		if (ret)
			return ret;
	}
	last = take_last(&rest);
	if (!action_of(last, IOLOG_ADD, IOLOG_ACTIONS, &out->action)) {
		before = take_last(&rest);
		action = take_last(&rest);
		if (!before.len || !action.len)
			return parse_fail(err, 0, "expected is %sFILE add|open|close, or %sFILE "
					  "ACTION OFFSET LENGTH", version == 3 ? "TIME " : "",
					  version == 3 ? "TIME " : "");
		if (!action_of(action, IOLOG_READ, IOLOG_ADD, &out->action))
			/* whichever of the two forms was meant */
			return bad_action(span_char_digit(last.at[0]) ? action : last, line,
					  version, err);
		if (!number(before, &out->offset))
			return bad_number(before, line, "offset", err);
		if (!number(last, &out->len))
			return bad_number(last, line, "length", err);
	}
	out->name = span_trim(rest);
	ret = check(out, line, version, err);
	return ret ? ret : 1;
}

const char *iolog_head(void)
{
	return "fio version 3 iolog\n";
}

static char *put_word(char *at, const char *word, size_t len)
{
	*at++ = ' ';
	memcpy(at, word, len);
	return at + len;
}

static char *put_number(char *at, uint64_t v)
{
	*at++ = ' ';
	return logfmt_number(at, v);
}

char *iolog_put(char *at, const struct iolog_line *line)
{
	const char *action = names[line->action];

	at = logfmt_number(at, line->time_us);
	at = put_word(at, line->name.at, line->name.len);
	at = put_word(at, action, strlen(action));
	if (line->action < IOLOG_ADD) {
		at = put_number(at, line->offset);
		at = put_number(at, line->len);
	}
	*at++ = '\n';
	return at;
}
