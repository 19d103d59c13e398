/* SPDX-License-Identifier: MIT */
/*
 * What became of a child, in words: a report that says "killed by signal 11 (Segmentation fault)"
 * needs no table of numbers beside it.
 */
#ifndef OS_STATUS_H
#define OS_STATUS_H

#include <stddef.h>

/*
 * status_text - put a wait status (as waitpid gives it) in words, without a full stop:
 * "exited with status 3", "killed by signal 9 (Killed)", "... (Aborted), core dumped".
 * Cut off when it doesn't fit; always terminated. Returns text.
 */
const char *status_text(int wstatus, char *text, size_t size);

/*
 * status_signal_name - a signal's name as in "SIGTERM"; "signal 99" for one without. Returns
 * text.
 */
const char *status_signal_name(int sig, char *text, size_t size);

#endif
