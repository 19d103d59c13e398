/* SPDX-License-Identifier: MIT */
/*
 * Complaints and notes, turned into text at once and kept until somebody prints them. Nothing of an
 * origin is kept, so that texts may be freed in any order; whole lines are looked at only for the
 * picture of the place, which has to fit a terminal however long the line is.
 */
#include "core/diag.h"

#include "lib/grow.h"
#include "lib/printable.h"
#include "lib/strbuf.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_BYTES	96	/* of the user's line */
#define SHOWN_BEFORE	60	/* of these, left of the caret when the line is longer */

/* Texts in order of arrival, the first DIAG_MOST of the errors; the rest is only counted. */
struct diag_list {
	char **texts;
	size_t count;		/* texts kept */
	size_t most;		/* texts to keep */
	size_t more;		/* told beyond these */
	uint64_t *seen;		/* hashes of all texts, by open addressing; 0: free */
	size_t seen_room;	/* a power of two, or 0 */
};

struct diag {
	struct diag_list errors;
	struct diag_list notes;
	struct diag_list remarks;
	size_t printed;		/* errors that diag_print() has written */
	size_t printed_notes;	/* notes that it wrote because they are fatal */
	bool printed_more;
	bool warnings_fatal;
	bool plain;
};

struct diag *diag_new(bool warnings_fatal)
{
	struct diag *d = calloc(1, sizeof(*d));

	fl_assert(d);
	d->errors.most = DIAG_MOST;
	d->notes.most = d->remarks.most = SIZE_MAX;
	d->warnings_fatal = warnings_fatal;
	return d;
}

static void list_free(struct diag_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->texts[i]);
	free(l->texts);
	free(l->seen);
}

void diag_free(struct diag *d)
{
	if (!d)
		return;
	list_free(&d->errors);
	list_free(&d->notes);
	list_free(&d->remarks);
	free(d);
}

void diag_warnings_fatal(struct diag *d)
{
	d->warnings_fatal = true;
}

void diag_plain(struct diag *d)
{
	d->plain = true;
}

/* FNV-1a, never 0. */
static uint64_t hash_of(const char *text)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3u;
	return h ? h : 1;
}

/* Puts h into a table that has room. Returns false if it is there already. */
static bool seen_put(uint64_t *seen, size_t room, uint64_t h)
{
	size_t at = h & (room - 1);

	for (; seen[at]; at = (at + 1) & (room - 1))
		if (seen[at] == h)
			return false;
	seen[at] = h;
	return true;
}

/* Is this text the first of its kind? From now on it isn't. */
static bool is_new(struct diag_list *l, const char *text)
{
	size_t held = l->count + l->more;

	if (2 * (held + 1) > l->seen_room) {
		size_t room = l->seen_room ? 2 * l->seen_room : 64;
		uint64_t *seen = calloc(room, sizeof(*seen));

		fl_assert(seen);
		for (size_t i = 0; i < l->seen_room; i++)
			if (l->seen[i])
				seen_put(seen, room, l->seen[i]);
		free(l->seen);
		l->seen = seen;
		l->seen_room = room;
	}
	return seen_put(l->seen, l->seen_room, hash_of(text));
}

/* Takes the text of sb; drops it if the list has it already. */
static void list_add(struct diag_list *l, struct strbuf *sb)
{
	bool fresh = is_new(l, strbuf_str(sb)), full = l->count == l->most;

	if (!fresh || full) {
		l->more += fresh;
		strbuf_free(sb);
		return;
	}
	l->texts = grow(l->texts, l->count, sizeof(*l->texts));
	fl_assert(l->texts);
	l->texts[l->count++] = strbuf_steal(sb);
}

/* The bytes of the character at text, or 1 for one that is shown as '?'; a tab is a tab. */
static size_t step(const char *text, size_t len)
{
	size_t bytes = printable_length(text, len);

	return bytes ? bytes : 1;
}

/* A user's line: tabs are kept, the caret's line has them too. */
static void add_line(struct strbuf *sb, const char *text, size_t len)
{
	for (size_t i = 0, n; i < len; i += n) {
		n = step(text + i, len - i);
		if (text[i] == '\t')
			strbuf_putc(sb, '\t');
		else
			printable_add(sb, text + i, n);
	}
}

static bool utf8_inside(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* The line and the caret below it; a long line is shown around the caret only. */
static void add_picture(struct strbuf *sb, const char *text, int col)
{
	size_t len = strlen(text), at = col > 0 ? (size_t)col - 1 : 0;
	size_t first = 0, shown;

	if (len > SHOWN_BYTES && at > SHOWN_BEFORE)
		first = fl_min(at - SHOWN_BEFORE, len - SHOWN_BYTES);
	for (int i = 0; i < 3 && first && first < at && utf8_inside(text[first]); i++)
		first++;
	shown = fl_min(len - first, (size_t)SHOWN_BYTES);
	for (int i = 0; i < 3 && first + shown < len && utf8_inside(text[first + shown]); i++)
		shown--;
	strbuf_puts(sb, "\n    ");
	strbuf_puts(sb, first ? "..." : "");
	add_line(sb, text + first, shown);
	strbuf_puts(sb, first + shown < len ? "..." : "");
	if (col <= 0 || at > len)
		return;
	strbuf_puts(sb, "\n    ");
	strbuf_puts(sb, first ? "   " : "");
	for (size_t i = first; i < at; i += step(text + i, len - i))
		strbuf_putc(sb, text[i] == '\t' ? '\t' : ' ');
	strbuf_putc(sb, '^');
}

/* A sentence that begins with the very argument it is about need not say it twice. */
static const char *without_argument(const char *sentence, const char *argument)
{
	size_t len;

	argument += strspn(argument, "-");
	len = strlen(argument);
	if (len && !strncmp(sentence, argument, len) && !strncmp(sentence + len, ": ", 2))
		return sentence + len + 2;
	return sentence;
}

static void add_sentence(struct strbuf *sb, const struct origin *at, const char *sentence)
{
	if (at && !at->file && at->text)
		sentence = without_argument(sentence, at->text);
	printable_add(sb, sentence, strlen(sentence));
}

static void add_place(struct strbuf *sb, const struct origin *at)
{
	if (!at)
		return;
	if (!at->file) {
		strbuf_puts(sb, "command line: ");
		if (at->text) {
			printable_add(sb, at->text, strlen(at->text));
			strbuf_puts(sb, ": ");
		}
		return;
	}
	printable_add(sb, at->file, strlen(at->file));
	strbuf_putc(sb, ':');
	if (at->line > 0)
		strbuf_printf(sb, "%d:", at->line);
}

static char *format(const char *fmt, va_list ap)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_vprintf(&sb, fmt, ap);
	return strbuf_steal(&sb);
}

static void add_note(struct diag_list *list, const struct origin *at, const char *fmt, va_list ap)
{
	struct strbuf sb = STRBUF_INIT;
	char *sentence = format(fmt, ap);

	add_place(&sb, at);
	if (at && at->file)
		strbuf_putc(&sb, ' ');
	add_sentence(&sb, at, sentence);
	free(sentence);
	list_add(list, &sb);
}

static void add_error(struct diag_list *list, const struct origin *at, const char *fmt, va_list ap)
{
	struct strbuf sb = STRBUF_INIT;
	char *sentence = format(fmt, ap);

	add_place(&sb, at);
	if (at && at->file) {
		if (at->line > 0 && at->col > 0)
			strbuf_printf(&sb, "%d:", at->col);
		strbuf_putc(&sb, ' ');
	}
	strbuf_puts(&sb, "error: ");
	add_sentence(&sb, at, sentence);
	if (at && at->file && at->text)
		add_picture(&sb, at->text, at->col);
	free(sentence);
	list_add(list, &sb);
}

void diag_error(struct diag *d, const struct origin *at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (d->plain)
		add_note(&d->errors, at, fmt, ap);
	else
		add_error(&d->errors, at, fmt, ap);
	va_end(ap);
}

void diag_note(struct diag *d, const struct origin *at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_note(&d->notes, at, fmt, ap);
	va_end(ap);
}

void diag_remark(struct diag *d, const struct origin *at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_note(&d->remarks, at, fmt, ap);
	va_end(ap);
}

int diag_errors(const struct diag *d)
{
	size_t n = d->errors.count + d->errors.more + (d->warnings_fatal ? d->notes.count : 0);

	return (int)fl_min(n, (size_t)INT_MAX);
}

bool diag_full(const struct diag *d)
{
	return d->errors.count == d->errors.most;
}

void diag_print(struct diag *d, FILE *out)
{
	for (; d->printed < d->errors.count; d->printed++)
		fprintf(out, "%s\n", d->errors.texts[d->printed]);
	if (d->errors.more && !d->printed_more)
		fprintf(out, "and %zu more\n", d->errors.more);
	d->printed_more = d->errors.more;
	for (; d->warnings_fatal && d->printed_notes < d->notes.count; d->printed_notes++)
		fprintf(out, "%s (a note, fatal because of --warnings-fatal)\n",
			d->notes.texts[d->printed_notes]);
	fflush(out);
}

size_t diag_notes(const struct diag *d)
{
	return d->notes.count + d->remarks.count;
}

const char *diag_note_text(const struct diag *d, size_t i)
{
	fl_assert(i < diag_notes(d));
	return i < d->notes.count ? d->notes.texts[i] : d->remarks.texts[i - d->notes.count];
}

size_t diag_complaints(const struct diag *d)
{
	return d->errors.count;
}

const char *diag_complaint(const struct diag *d, size_t i)
{
	fl_assert(i < d->errors.count);
	return d->errors.texts[i];
}

void diag_print_notes(const struct diag *d, FILE *out)
{
	for (size_t i = 0; i < diag_notes(d); i++)
		fprintf(out, "note: %s\n", diag_note_text(d, i));
	fflush(out);
}

void diag_say(FILE *out, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = format(fmt, ap);
	va_end(ap);
	printable_fix(text, strlen(text));
	fprintf(out, "%s\n", text);
	free(text);
}
