/* SPDX-License-Identifier: MIT */
/*
 * What a shell offers behind <TAB>: found by the program itself at that moment, from the rows it
 * runs by, so that options of plugins, sections of the job file at hand, and examples are there
 * too. The scripts in completion/ do no more than ask and show.
 */
#ifndef CORE_COMPLETE_H
#define CORE_COMPLETE_H

#include <stdio.h>

/*
 * complete - the hidden --complete SHELL INDEX WORD...: the words of the command line so far, its
 * name first, and the index of the one that is to be completed.
 *
 * Prints a line for each candidate, with a tab and a few words about it behind; or ":files" or
 * ":dirs", where the shell knows better. shell: "bash" gets and gives words that are cut at '=' and
 * ':', all others whole ones. Candidates that end in '=' want no blank behind.
 * argv: SHELL, INDEX and the words. Returns the exit status: 0, or 1 if they make no sense.
 */
int complete(int argc, char **argv, FILE *out);

#endif
