/* SPDX-License-Identifier: MIT */
/*
 * --explain: what a run is going to do, for people or as JSON. Of each job its settings with whose
 * word each is, what it does in a sentence, and what of it is doubtful.
 */
#ifndef CORE_EXPLAIN_H
#define CORE_EXPLAIN_H

#include "core/preview.h"

/* explain_text - all: with the defaults that do not matter, too. */
void explain_text(const struct preview *p, bool all, FILE *out);

/* explain_json - one document with all settings. */
void explain_json(const struct preview *p, FILE *out);

/* explain_does - what a job does, a sentence. The caller frees it. */
char *explain_does(const struct preview *p, const struct preview_job *j);

#endif
