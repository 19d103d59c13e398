/* SPDX-License-Identifier: MIT */
/*
 * The verdict of a run: its findings as text and as JSON, and the exit status that --strict makes
 * of the grade.
 */
#ifndef CORE_TRUST_VERDICT_H
#define CORE_TRUST_VERDICT_H

#include "core/observer.h"

/*
 * trust_verdict_text - a line per finding where there is more than the last line tells, and as the
 * last line the grade with the worst of them. Clones of one job share a line.
 */
void trust_verdict_text(const struct observed *run, FILE *out);

/* trust_verdict_json - the member "trust" of the object "fio-like" of the document. */
void trust_verdict_json(const struct observed *run, struct json *doc);

/* trust_verdict_status - 4 for doubtful, 5 for INVALID, if --strict was given; else 0. */
int trust_verdict_status(const struct observed *run);

#endif
