/* SPDX-License-Identifier: MIT */
/* Writing and reading states. What is read may come from a disk that lost power: it is checked. */
#include "lib/vstate.h"
#include "lib/rand.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE	"fio-like verify state 1\n"

static uint64_t hash_of(const char *text, size_t len)
{
	uint64_t hash = len;

	for (size_t i = 0; i < len; i++)
		hash = rand_mix64(hash ^ (unsigned char)text[i]);
	return hash;
}

void vstate_write(const struct vstate *s, struct strbuf *out)
{
	size_t begin = out->len;

	strbuf_puts(out, FIRST_LINE "name ");
	for (const char *c = s->name; *c; c++)
		strbuf_putc(out, (unsigned char)*c < ' ' ? '?' : *c);
	strbuf_printf(out, "\njob %u\nseed %" PRIu64 "\nunit %u\nissued %" PRIu64 "\ninflight",
		      s->job, s->seed, s->unit, s->issued);
	for (size_t i = 0; i < s->nr_inflight; i++)
		strbuf_printf(out, " %" PRIu64, s->inflight[i]);
	strbuf_putc(out, '\n');
	for (size_t i = 0; i < s->nr_promised; i++)
		strbuf_printf(out, "promised %u %" PRIu64 "\n", s->promised[i].file,
			      s->promised[i].upto);
	strbuf_printf(out, "end %016" PRIx64 "\n", hash_of(out->text + begin, out->len - begin));
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* The words of one line, from left to right. */
struct words {
	struct span rest;
};

static bool next_word(struct words *w, struct span *word)
{
	size_t n = 0;

	while (w->rest.len && w->rest.at[0] == ' ')
		w->rest = span_from(w->rest, 1);
	while (n < w->rest.len && w->rest.at[n] != ' ')
		n++;
	*word = (struct span){ w->rest.at, n };
	w->rest = span_from(w->rest, n);
	return n;
}

/* A plain number, no more than most. */
static bool next_number(struct words *w, uint64_t most, uint64_t *value)
{
	struct span word;
	uint64_t n = 0;

	if (!next_word(w, &word) || word.len > 20)
		return false;
	for (size_t i = 0; i < word.len; i++) {
		unsigned digit = (unsigned char)word.at[i] - '0';

		if (digit > 9 || n > (UINT64_MAX - digit) / 10)
			return false;
		n = 10 * n + digit;
	}
	*value = n;
	return n <= most;
}

/* Room for one more entry of a list that has count of them. */
static bool grow(void **list, size_t count, size_t entry)
{
	void *more;

	if (count >= VSTATE_LIST_MAX)
		return false;
	if (count & (count - 1))
		return true;		/* it doubles at every power of two */
	more = realloc(*list, (count ? 2 * count : 1) * entry);
	if (more)
		*list = more;
	return more;
}

static bool read_inflight(struct vstate *s, struct words *w)
{
	while (w->rest.len) {
		if (!grow((void **)&s->inflight, s->nr_inflight, sizeof(*s->inflight)) ||
		    !next_number(w, UINT64_MAX, &s->inflight[s->nr_inflight]))
			return false;
		if (s->nr_inflight &&
		    s->inflight[s->nr_inflight] <= s->inflight[s->nr_inflight - 1])
			return false;
		s->nr_inflight++;
	}
	return true;
}

static bool read_promised(struct vstate *s, struct words *w)
{
	uint64_t file;

	if (!grow((void **)&s->promised, s->nr_promised, sizeof(*s->promised)) ||
	    !next_number(w, UINT32_MAX, &file) ||
	    !next_number(w, UINT64_MAX, &s->promised[s->nr_promised].upto))
		return false;
	s->promised[s->nr_promised].file = (uint32_t)file;
	return !s->nr_promised++ || s->promised[s->nr_promised - 2].file < file;
}

static bool read_name(struct vstate *s, struct words *w)
{
	size_t n = fl_min(w->rest.len, sizeof(s->name));

	if (n)
		memcpy(s->name, w->rest.at + 1, n - 1);
	w->rest.len = 0;
	return true;
}

static bool read_line(struct vstate *s, struct span line)
{
	struct words w = { line };
	struct span key;
	uint64_t value = 0;
	bool good;

	if (!next_word(&w, &key))
		return false;
	if (span_is(key, "name"))
		return read_name(s, &w);
	if (span_is(key, "inflight"))
		return read_inflight(s, &w);
	if (span_is(key, "promised"))
		return read_promised(s, &w) && !w.rest.len;
	good = next_number(&w, span_is(key, "job") || span_is(key, "unit") ? UINT32_MAX :
			   UINT64_MAX, &value) && !w.rest.len;
	if (span_is(key, "job"))
		s->job = (uint32_t)value;
	else if (span_is(key, "unit"))
		s->unit = (uint32_t)value;
	else if (span_is(key, "seed"))
		s->seed = value;
	else if (span_is(key, "issued"))
		s->issued = value;
	else
		return false;
	return good;
}

static struct span take_line(struct span *rest)
{
	const char *end = memchr(rest->at, '\n', rest->len);
	struct span line = { rest->at, end ? (size_t)(end - rest->at) : rest->len };

	*rest = span_from(*rest, fl_min(line.len + 1, rest->len));
	return line;
}

/* One record from its first line on. True: it is whole, and *s is it. */
static bool read_record(struct span text, struct vstate *s)
{
	struct span rest = span_from(text, strlen(FIRST_LINE));
	char end[32];

	memset(s, 0, sizeof(*s));
	while (rest.len) {
		size_t at = (size_t)(rest.at - text.at);
		struct span line = take_line(&rest);

		if (line.len >= 4 && !memcmp(line.at, "end ", 4)) {
			snprintf(end, sizeof(end), "end %016" PRIx64, hash_of(text.at, at));
			if (span_is(line, end) && s->unit)
				return true;
			break;
		}
		if (!read_line(s, line))
			break;
	}
	vstate_free(s);
	return false;
}

int vstate_read(struct span text, struct vstate *s, struct parse_err *err)
{
	size_t first = strlen(FIRST_LINE);
	bool any = false, found = false;

	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i + first <= text.len; i++) {
		struct vstate one;

		if ((i && text.at[i - 1] != '\n') || memcmp(text.at + i, FIRST_LINE, first))
			continue;
		any = true;
		if (!read_record(span_from(text, i), &one))
			continue;
		vstate_free(s);
		*s = one;
		found = true;
	}
	if (found)
		return 0;
	return any ? parse_fail(err, 0, "no record of it is whole: it was cut off or changed") :
		     parse_fail(err, 0, "it is no verify state: no line says '%.*s'",
				(int)first - 1, FIRST_LINE);
}

void vstate_free(struct vstate *s)
{
	free(s->inflight);
	free(s->promised);
	memset(s, 0, sizeof(*s));
}

bool vstate_in_flight(const struct vstate *s, uint64_t number)
{
	size_t lo = 0, hi = s->nr_inflight;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->inflight[mid] < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->nr_inflight && s->inflight[lo] == number;
}

uint64_t vstate_promised(const struct vstate *s, uint32_t file)
{
	size_t lo = 0, hi = s->nr_promised;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->promised[mid].file < file)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->nr_promised && s->promised[lo].file == file ? s->promised[lo].upto : 0;
}
