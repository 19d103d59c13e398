/* SPDX-License-Identifier: MIT */
/*
 * Where something was said by the user, and what we have to say about it.
 *
 * Every complaint about a job file or a command line goes through here, so that all of them look
 * the same (file:line:column, the line itself, a caret, the nearest valid name) and all of them
 * come out in one go. Notes are remarks that do not stop the run; they end up in the result.
 */
#ifndef CORE_DIAG_H
#define CORE_DIAG_H

#include "lib/base.h"

#include <stdio.h>

/*
 * Where a piece of text came from. Strings are owned by whoever read the text and outlive its
 * use.
 */
struct origin {
	const char *file;	/* NULL: the command line */
	int line;		/* from 1; the command line: index of the argument */
	int col;		/* from 1, in bytes; 0: not known */
	const char *text;	/* the whole line or argument, for showing; NULL: not known */
};

struct diag;

/* So many complaints are told; the rest is counted ("and 12 more"): nobody reads a thousand. */
#define DIAG_MOST	50

/* diag_new - an empty collection; warnings_fatal: as diag_warnings_fatal(). Never NULL. */
struct diag *diag_new(bool warnings_fatal);
void diag_free(struct diag *d);

/*
 * diag_warnings_fatal - from now on every note, those already there included, counts as an error.
 */
void diag_warnings_fatal(struct diag *d);

/*
 * diag_plain - from now on complaints are kept as notes are, without the line and the caret: for
 * one who has a use of his own for them (diag_complaint()).
 */
void diag_plain(struct diag *d);

/*
 * diag_error - one complaint. at may be NULL; nothing of it is kept. The text is one sentence or
 * two, no final newline. The same complaint about the same place is kept once: a bad [global]
 * line is seen anew by every job below it.
 */
void diag_error(struct diag *d, const struct origin *at, const char *fmt, ...) fl_printf(3, 4);
/* diag_note - one remark for the result. The same note twice is kept once. */
void diag_note(struct diag *d, const struct origin *at, const char *fmt, ...) fl_printf(3, 4);

/* diag_remark - a note that is none of a doubt: no error either where notes are. */
void diag_remark(struct diag *d, const struct origin *at, const char *fmt, ...) fl_printf(3, 4);

/* diag_errors - how many complaints there are so far. */
int diag_errors(const struct diag *d);
/* diag_full - will further complaints only be counted? Then no work need go into their words. */
bool diag_full(const struct diag *d);
/*
 * diag_print - write every complaint not yet printed to out, in order of arrival:
 *
 *	FILE:LINE:COL: error: the sentence
 *	    the line
 *	       ^
 *	command line: --bs=4kx: error: the sentence
 *
 * What the user wrote comes out as lib/printable.h says, here and in notes.
 */
void diag_print(struct diag *d, FILE *out);

/*
 * diag_notes - how many notes, and the text of each ("file:line: text" where an origin is known).
 */
size_t diag_notes(const struct diag *d);
const char *diag_note_text(const struct diag *d, size_t i);

/* diag_complaints - how many of them are kept, at most DIAG_MOST; diag_complaint - their texts. */
size_t diag_complaints(const struct diag *d);
const char *diag_complaint(const struct diag *d, size_t i);

/* diag_print_notes - write all of them to out, "note: " in front of each. */
void diag_print_notes(const struct diag *d, FILE *out);

/*
 * diag_say - one line to out at once, for what belongs to no collection: with '?' for what may not
 * be printed, and a newline behind it.
 */
void diag_say(FILE *out, const char *fmt, ...) fl_printf(2, 3);

#endif
