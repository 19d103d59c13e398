/* SPDX-License-Identifier: MIT */
/* One-line files of /proc and /sys as facts. What is not there is no fact. */
#ifndef OS_SYSFACTS_H
#define OS_SYSFACTS_H

#include "lib/facts.h"

/*
 * sysfacts_text, sysfacts_u64 - the file that root and the path make up, as a fact of this name.
 * Blanks around a text are dropped. scale: what one of the file's units is worth. Returns whether
 * there is one.
 */
bool sysfacts_text(struct facts *f, const char *name, unsigned int flags, const char *root,
		   const char *path, ...) fl_printf(5, 6);
bool sysfacts_u64(struct facts *f, const char *name, unsigned int flags, uint64_t scale,
		  const char *root, const char *path, ...) fl_printf(6, 7);

/* sysfacts_bool - the same for a file that says 0 or 1, N or Y, off or on. */
bool sysfacts_bool(struct facts *f, const char *name, unsigned int flags, const char *root,
		   const char *path, ...) fl_printf(5, 6);

/* sysfacts_choice - the word in brackets: "none [mq-deadline]" is mq-deadline. */
bool sysfacts_choice(struct facts *f, const char *name, unsigned int flags, const char *root,
		     const char *path, ...) fl_printf(5, 6);

/* sysfacts_line - the text behind "key:" in a file of such lines, without blanks around it. */
bool sysfacts_line(const char *text, const char *key, char *out, size_t out_bytes);

#endif
