/* SPDX-License-Identifier: MIT */
/*
 * The pages that --help, --cmdhelp and --enghelp print, made from the tables the program runs by.
 */
#ifndef CORE_HELP_H
#define CORE_HELP_H

#include "core/opt.h"

/* help_usage - how to call the program: its flags, the output formats, where to read on. */
void help_usage(const char *program, FILE *out);

/*
 * help_options - --cmdhelp: one line per option of these n tables (name NULL or "all"), or all
 * about one of them. Engines are asked about a name that no table has.
 * Returns 0, or -ENOENT with a sentence in why.
 */
int help_options(const struct opt_table *const *tables, size_t n, const char *name, FILE *out,
		 char *why, size_t why_bytes);

/*
 * help_engines - --enghelp: each engine with where it came from, its version, and whether it can
 * work here or why not (arg NULL); all about one ("ENGINE"); or about one of its options
 * ("ENGINE,OPTION"). What cannot even be loaded is named on err, so that a script which looks for a
 * word in the list finds only engines that are there.
 * Returns 0, or -ENOENT and such with a sentence in why.
 */
int help_engines(const char *arg, FILE *out, FILE *err, char *why, size_t why_bytes);

#endif
