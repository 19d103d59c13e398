/* SPDX-License-Identifier: MIT */
/*
 * The live line: what the run does right now, for a person at a terminal.
 *
 * It is drawn over itself on one row of the terminal, and taken away before anything else is
 * written there, so it never ends up in a document. Where it goes is the caller's decision; meant
 * is standard error if that is a terminal, since standard output may be piped into a file.
 */
#ifndef CORE_PROGRESS_H
#define CORE_PROGRESS_H

#include "core/opt.h"
#include "lib/numfmt.h"

#include <stdio.h>

/* --eta */
enum progress_when { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

struct progress {
	FILE *out;			/* NULL: say nothing */
	bool redraw;			/* a terminal: each line replaces the last */
	unsigned columns;		/* lines are cut here; 0: never */
	unsigned shown;			/* columns of the line that stands there now */
};

/* What one line tells. */
struct progress_view {
	unsigned running;		/* jobs that run */
	uint64_t open_files;
	const char *states;		/* a letter per job, in order; equal neighbours are
					 * counted: "rrw" is shown as r(2),w(1) */
	double percent;			/* done; below 0: not known */
	uint64_t bytes_per_second[DIRS], iops[DIRS];	/* of the last moment; all 0: left out */
	uint64_t p99_ns[DIRS];		/* of the latencies of that moment; 0: left out */
	int64_t eta_s;			/* below 0: not known */
	const char *layout;		/* not NULL: files are being made, say this instead, with
					 * percent, the rate of writes, eta_s, and of the bytes: */
	uint64_t layout_done, layout_bytes;	/* so many of so many; 0 of 0: left out */
	struct num_style style;
};

/*
 * progress_init - decide whether and how lines appear on `out`.
 * terminal: out is one. columns: its width. Without a terminal nothing is shown, except with
 * PROGRESS_ALWAYS: then every line stays and ends in a newline.
 */
void progress_init(struct progress *p, FILE *out, enum progress_when when, bool terminal,
		   unsigned columns);

/* progress_text - the line of a view, nothing around it. Returns its length, cut at n - 1. */
size_t progress_text(const struct progress_view *view, char *text, size_t n);

/* progress_update - show this. newline: let the line stay and begin another (--eta-newline). */
void progress_update(struct progress *p, const struct progress_view *view, bool newline);

/* progress_clear - take the line away, before something else is written and at the end. */
void progress_clear(struct progress *p);

#endif
