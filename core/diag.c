/* SPDX-License-Identifier: MIT */
/*
 * Complaints and notes, turned into text at once and kept until somebody prints them. Nothing of an
 * origin is kept, so that texts may be freed in any order; whole lines are looked at only for the
 * picture of the place, which has to fit a terminal however long the line is.
 */
#include "core/diag.h"

#include "lib/strbuf.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_BYTES	96	/* of the user's line */
#define SHOWN_BEFORE	60	/* of these, left of the caret when the line is longer */

struct diag_list {
	char **texts;
	size_t count;
};

struct diag {
	struct diag_list errors;
	struct diag_list notes;
	size_t printed;		/* errors that diag_print() has written */
	size_t printed_notes;	/* notes that it wrote because they are fatal */
	bool warnings_fatal;
};

struct diag *diag_new(bool warnings_fatal)
{
	struct diag *d = calloc(1, sizeof(*d));

	fl_assert(d);
	d->warnings_fatal = warnings_fatal;
	return d;
}

static void list_free(struct diag_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->texts[i]);
	free(l->texts);
}

void diag_free(struct diag *d)
{
	if (!d)
		return;
	list_free(&d->errors);
	list_free(&d->notes);
	free(d);
}

void diag_warnings_fatal(struct diag *d)
{
	d->warnings_fatal = true;
}

/* Takes the text of sb; drops it if the list has it already. */
static void list_add(struct diag_list *l, struct strbuf *sb)
{
	for (size_t i = 0; i < l->count; i++) {
		if (!strcmp(l->texts[i], strbuf_str(sb))) {
			strbuf_free(sb);
			return;
		}
	}
	l->texts = reallocarray(l->texts, l->count + 1, sizeof(*l->texts));
	fl_assert(l->texts);
	l->texts[l->count++] = strbuf_steal(sb);
}

static bool utf8_inside(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

static void add_printable(struct strbuf *sb, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		strbuf_putc(sb, is_control(text[i]) && text[i] != '\t' ? '?' : text[i]);
}

/* The line and the caret below it; a long line is shown around the caret only. */
static void add_picture(struct strbuf *sb, const char *text, int col)
{
	size_t len = strlen(text), at = col > 0 ? (size_t)col - 1 : 0;
	size_t first = 0, shown;

	if (len > SHOWN_BYTES && at > SHOWN_BEFORE)
		first = fl_min(at - SHOWN_BEFORE, len - SHOWN_BYTES);
	while (first < len && utf8_inside(text[first]))
		first++;
	shown = fl_min(len - first, (size_t)SHOWN_BYTES);
	while (shown > 0 && first + shown < len && utf8_inside(text[first + shown]))
		shown--;
	strbuf_puts(sb, "\n    ");
	strbuf_puts(sb, first ? "..." : "");
	add_printable(sb, text + first, shown);
	strbuf_puts(sb, first + shown < len ? "..." : "");
	if (col <= 0 || at > len)
		return;
	strbuf_puts(sb, "\n    ");
	strbuf_puts(sb, first ? "   " : "");
	for (size_t i = first; i < at; i++)
		if (!utf8_inside(text[i]))
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

static void add_place(struct strbuf *sb, const struct origin *at)
{
	if (!at)
		return;
	if (!at->file) {
		strbuf_puts(sb, "command line: ");
		if (at->text) {
			add_printable(sb, at->text, strlen(at->text));
			strbuf_puts(sb, ": ");
		}
		return;
	}
	strbuf_printf(sb, "%s:", at->file);
	if (at->line > 0)
		strbuf_printf(sb, "%d:", at->line);
}

static char *format(const char *fmt, va_list ap)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_vprintf(&sb, fmt, ap);
	return strbuf_steal(&sb);
}

void diag_error(struct diag *d, const struct origin *at, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	char *sentence;
	va_list ap;

	va_start(ap, fmt);
	sentence = format(fmt, ap);
	va_end(ap);
	add_place(&sb, at);
	if (at && at->file) {
		if (at->line > 0 && at->col > 0)
			strbuf_printf(&sb, "%d:", at->col);
		strbuf_putc(&sb, ' ');
	}
	strbuf_puts(&sb, "error: ");
	strbuf_puts(&sb, at && !at->file && at->text ? without_argument(sentence, at->text) :
		    sentence);
	if (at && at->file && at->text)
		add_picture(&sb, at->text, at->col);
	free(sentence);
	list_add(&d->errors, &sb);
}

void diag_note(struct diag *d, const struct origin *at, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	char *sentence;
	va_list ap;

	va_start(ap, fmt);
	sentence = format(fmt, ap);
	va_end(ap);
	add_place(&sb, at);
	if (at && at->file)
		strbuf_putc(&sb, ' ');
	strbuf_puts(&sb, at && !at->file && at->text ? without_argument(sentence, at->text) :
		    sentence);
	free(sentence);
	list_add(&d->notes, &sb);
}

int diag_errors(const struct diag *d)
{
	return (int)(d->errors.count + (d->warnings_fatal ? d->notes.count : 0));
}

void diag_print(struct diag *d, FILE *out)
{
	for (; d->printed < d->errors.count; d->printed++)
		fprintf(out, "%s\n", d->errors.texts[d->printed]);
	for (; d->warnings_fatal && d->printed_notes < d->notes.count; d->printed_notes++)
		fprintf(out, "%s (a note, fatal because of --warnings-fatal)\n",
			d->notes.texts[d->printed_notes]);
	fflush(out);
}

size_t diag_notes(const struct diag *d)
{
	return d->notes.count;
}

const char *diag_note_text(const struct diag *d, size_t i)
{
	fl_assert(i < d->notes.count);
	return d->notes.texts[i];
}
