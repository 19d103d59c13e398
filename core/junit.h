/* SPDX-License-Identifier: MIT */
/*
 * The outcome of a run as CI servers read it: JUnit's XML, a suite per job and per group with
 * expectations, a case per expectation, and one that says whether the job ran without an error.
 */
#ifndef CORE_JUNIT_H
#define CORE_JUNIT_H

#include <stddef.h>
#include <stdio.h>

struct expect_outcome;
struct result;

/*
 * junit_write - the document. Whatever texts are in it, it is well-formed XML 1.0 in UTF-8.
 * Returns 0 or the -errno of the first failed write; out stays the caller's.
 */
int junit_write(const struct result *r, const struct expect_outcome *list, size_t count, FILE *out);

#endif
