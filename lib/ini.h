/* SPDX-License-Identifier: MIT */
/*
 * The job file as a text: sections, options, comments, includes. This reader knows the form and
 * nothing of what the options mean, and it opens no file: texts come in as memory and everything
 * found goes out as events, each with the place it came from, in the order of the file.
 *
 *	; a comment, also with # and also behind a value
 *	[section]
 *	name=value
 *	name
 *	include FILE
 *
 * Reading goes on after an error, so that a user sees all mistakes of a file at once. Errors of
 * one cause are told once: after a header that cannot be read, its options are skipped.
 */
#ifndef LIB_INI_H
#define LIB_INI_H

#include "lib/arena.h"
#include "lib/base.h"
#include "lib/subst.h"

/* Files open inside one another, and includes of one reading in all. */
#define INI_DEPTH_MAX		16
#define INI_INCLUDES_MAX	1024

/* A text larger than this is no job file. Lines and columns fit an int because of it. */
#define INI_BYTES_MAX		(UINT64_C(64) << 20)

/* A job file in memory. name is what messages call it. */
struct ini_source {
	const char *name;
	const char *text;	/* len bytes, no NUL needed; may be NULL when len is 0 */
	size_t len;
};

/* Where something stands. All pointers live as long as the arena of ini_read(). */
struct ini_origin {
	const char *file;
	int line;		/* from 1; 0 when an error is about the file as a whole */
	int name_col;		/* from 1, in bytes: where the option, header or error begins */
	int value_col;		/* from 1: where the value begins; 0 if there is none */
	const char *text;	/* the line as it stands, without its end; "" for line 0 */
	bool expanded;		/* something was replaced: the value does not stand so in text */
};

struct ini_env {
	struct subst_env subst;
	/*
	 * load - read the file that an include asks for.
	 *
	 * wanted: the name in the directive; from: the name (as load() or the source gave it) of
	 * the file the directive stands in, for a lookup relative to it.
	 * On success fills *out. out->name should be the same for one file however it was asked
	 * for, since loops are found by it. The source stays the callback's until unload().
	 * Returns 0 or -errno.
	 */
	int (*load)(void *ctx, const char *wanted, const char *from, struct ini_source *out);
	/* unload - give back what load() filled; called once for each load() that returned 0. */
	void (*unload)(void *ctx, struct ini_source *source);
	/* semicolons - in the value of this option a ';' begins no comment. May be NULL. */
	bool (*semicolons)(struct span name);
	void *ctx;		/* for load and unload; subst has its own */
};

/* What is found. Strings live as long as the arena of ini_read(); origins too, if copied. */
struct ini_sink {
	/* section - a header. Returns true to be told its options, false to have them skipped. */
	bool (*section)(void *ctx, const char *name, const struct ini_origin *at);
	/* option - value is NULL for an option without '=', "" for one with nothing behind it. */
	void (*option)(void *ctx, const char *name, const char *value,
		       const struct ini_origin *at);
	/* error - one sentence; at->name_col is the column to point at. */
	void (*error)(void *ctx, const char *message, const struct ini_origin *at);
	void *ctx;
};

/*
 * ini_read - read one job file, and what it includes, into events.
 *
 * A byte order mark is skipped, CRLF is a line end like LF, lines have any length. A text with NUL
 * bytes or many control characters is refused as binary. Blanks around names and values are
 * dropped. A ; or # starts a comment anywhere except inside the quotes of a value, "..." or
 * '...'; a quote that is not closed, or an apostrophe behind a letter or digit, is no quote.
 * In values for which env->semicolons() says so a ; starts none.
 * Comments go first, then ${VAR} is replaced in the whole line (section headers excepted, include
 * names included), then keywords in the value.
 *
 * An include is only known where a section is open; what it contains belongs to that section, and a
 * header in it is an error that ends its reading. Skipped sections open no includes.
 *
 * The strings of all events are kept in arena, which may be used for several files.
 * Returns the number of errors that were reported; 0 means the file is well-formed.
 */
int ini_read(const struct ini_source *source, const struct ini_env *env,
	     const struct ini_sink *sink, struct arena *arena);

#endif
