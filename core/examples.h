/* SPDX-License-Identifier: MIT */
/*
 * Job files to begin with, inside the program: those of examples/, as they were when it was built.
 * The first line of each is "; NAME: a sentence".
 */
#ifndef CORE_EXAMPLES_H
#define CORE_EXAMPLES_H

#include "lib/base.h"

#include <stdio.h>

struct example {
	const char *name;		/* of the file, without .ini */
	const char *text;
};

/* examples_at - the i-th of them, by name; NULL behind the last. */
const struct example *examples_at(size_t i);

/* examples_sentence - what it is about: a text with its length, without a newline. */
const char *examples_sentence(const struct example *e, size_t *len);

/* examples_list - --list-examples: a line for each. */
void examples_list(FILE *out);

/*
 * examples_print - --example=NAME: the job file as it is. Returns 0, or -ENOENT with a sentence in
 * why that has the nearest name.
 */
int examples_print(const char *name, FILE *out, char *why, size_t why_bytes);

#endif
