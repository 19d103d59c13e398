/* SPDX-License-Identifier: MIT */
/*
 * The option machine: turns the text of one option into the member its row names.
 *
 * Rows are the public struct fl_opt, for the runner's own options as for an engine's. The runner
 * adds kinds of its own. Each core file that implements options exports one struct opt_table
 * whose rows' offsets are relative to that file's own conf struct; core/job.c puts the tables
 * together.
 */
#ifndef CORE_OPT_H
#define CORE_OPT_H

#include "fio-like/engine.h"
#include "lib/base.h"

#include <stdio.h>

/* The runner's own kinds of rows, and what they write. */
enum opt_type {
	OPT_CUSTOM = FL_OPT_HOST,	/* row->parse(member, text, ...); an error writes nothing */
	OPT_AMOUNT,			/* struct amount: bytes, or a share of something */
	OPT_SIZE_DIRS,			/* struct per_dir: up to three sizes, read,write,trim */
	OPT_RANGE_DIRS,			/* struct range_dirs: up to three lo-hi pairs of sizes */
	OPT_RANGE_SIZE,			/* struct range: lo-hi or one size */
	OPT_RANGE_TIME,			/* struct range in ns: lo-hi or one time */
	OPT_STR_LIST,			/* const char *: a repeated option is joined by ':' */
	OPT_NO_EFFECT,			/* accepted for old job files; says so in a note */
	OPT_STR_BARE,			/* const char *: FL_OPT_STR, without a value "" */
};

/*
 * What row->arg means for these kinds; it is 0 for all others.
 *
 * OPT_CUSTOM:		OPT_ARG_BARE: the value may be left out; parse() then gets text == NULL.
 * OPT_SIZE_DIRS:	OPT_ARG_DASH: '-' and ':' separate as ',' does (bs=4k-8k is 4k,8k).
 * OPT_AMOUNT:		the largest percentage; 0: none is too large.
 */
#define OPT_ARG_BARE	(UINT64_C(1) << 62)
#define OPT_ARG_DASH	(UINT64_C(1) << 61)

/* A number whose row->unit is this may be written with a % behind it. */
#define OPT_UNIT_PERCENT	"%"

/* Directions, as in enum fl_op. */
enum { DIR_READ = FL_OP_READ, DIR_WRITE = FL_OP_WRITE, DIR_TRIM = FL_OP_TRIM, DIRS = 3 };

/*
 * An amount of bytes: absolute, or percent of a base that is known later. A share of memory_limit
 * (33%mem) is settled by memlimit_settle(), a number of zones (5z) by zones_settle(), before
 * anybody else looks.
 */
struct amount {
	uint64_t bytes;
	double percent;		/* > 0: bytes is unused */
	double memory;		/* > 0: percent of memory_limit; bytes and percent are 0 */
	uint64_t zones;		/* > 0: of zones whose size is known later; the others are 0 */
};
struct per_dir {
	uint64_t v[DIRS];
};

/* per_dir_bits - bit 1 << direction for each that either of the two has a number for. */
static inline uint32_t per_dir_bits(const struct per_dir *a, const struct per_dir *b)
{
	uint32_t dirs = 0;

	for (int d = 0; d < DIRS; d++)
		dirs |= (uint32_t)(a->v[d] || b->v[d]) << d;
	return dirs;
}

struct range {
	uint64_t lo, hi;
};
struct range_dirs {
	struct range v[DIRS];
};

/* The rows of one conf struct. */
struct opt_table {
	const char *title;		/* of the section in the manual: "Files", "Workload" */
	const struct fl_opt *rows;
	size_t count;
	size_t row_size;		/* bytes from row to row; older engines differ */
	size_t base;			/* of the conf struct in struct job; engines: 0 */
};

#define OPT_TABLE(title_, rows_, base_) \
	{ .title = title_, .rows = rows_, .count = ARRAY_SIZE(rows_), \
	  .row_size = sizeof((rows_)[0]), .base = base_ }

/* How the numbers of one section are to be read. */
struct opt_units {
	uint32_t kb_base;		/* 1024 or 1000 */
};

/*
 * opt_row - row i of a table, whatever its row size. A copy goes to *out; members it lacks are 0.
 */
void opt_row(const struct opt_table *t, size_t i, struct fl_opt *out);

/* opt_same_name - are these the same name of an option? Exact, but '-' equals '_'. */
bool opt_same_name(const char *a, const char *b);

/*
 * opt_find - look a name or alias up in a table, as opt_same_name().
 * Returns the index, or -1.
 */
int opt_find(const struct opt_table *t, const char *name);

/* opt_nearest - the name in these n tables that a mistyped one most likely stands for; or NULL. */
const char *opt_nearest(const struct opt_table *const *tables, size_t n, const char *name);

/*
 * opt_set - parse text by the row and store it in conf (the struct the row's offset is relative
 * to).
 * text:    NULL for a bare option, allowed where opt_bare() says so.
 * Strings: stored by pointer to a copy that lives until the end of the run.
 * Lists:   a direction left empty (`,8k`) keeps the value it had.
 * Returns: 0, or -EINVAL with one sentence in why (names option and value, what was expected, the
 *          nearest valid word), or 1: fine, and why holds a note for the user. conf is as it was
 *          after -EINVAL: the other options are checked, too, and must find values that can be.
 */
int opt_set(const struct fl_opt *row, void *conf, const char *text, const struct opt_units *units,
	    char *why, size_t why_bytes);

/*
 * opt_show - the value that conf has for the row, as a text that opt_set() takes for the same.
 * Returns 0; -ENOENT: it was not given; -ENOTSUP for an OPT_CUSTOM; -ENAMETOOLONG: cut off.
 */
int opt_show(const struct fl_opt *row, const void *conf, char *buf, size_t n);

/*
 * opt_keep - a copy of text that lives until the end of the run, for OPT_CUSTOM parsers. Main
 * thread.
 */
const char *opt_keep(const char *text);
/*
 * opt_keep_bytes - zeroed memory that lives as long, for the same. bytes: what to
 * copy there, or NULL.
 */
void *opt_keep_bytes(const void *bytes, size_t n);

/* opt_reset - back to the row's default, as if the option had not been seen. */
void opt_reset(const struct fl_opt *row, void *conf);

/*
 * opt_defaults - zero conf_size bytes at conf and set every row's default. Asserts that defaults
 * parse.
 */
void opt_defaults(const struct opt_table *t, void *conf, size_t conf_size);

/* opt_bare - may this option stand without a value? */
bool opt_bare(const struct fl_opt *row);

/* opt_type_name - what a value of this row looks like, for people: "size", "time", "0 or 1". */
const char *opt_type_name(const struct fl_opt *row);

/*
 * opt_range_text - the row's bounds in words: "1 to 65536", "at least 512", "at most 100"; "" if it
 * has none. Cut off at n bytes; returns buf.
 */
const char *opt_range_text(const struct fl_opt *row, char *buf, size_t n);

/*
 * opt_help_line - one aligned line: name, help. opt_help_full - all the row knows
 * (--cmdhelp=NAME).
 */
void opt_help_line(const struct fl_opt *row, FILE *out);
void opt_help_full(const struct fl_opt *row, FILE *out);

#endif
