/* SPDX-License-Identifier: MIT */
/* The environment in normal output: a line for the machine, one for each target and each change. */
#ifndef CORE_ENVIRONMENT_TEXT_H
#define CORE_ENVIRONMENT_TEXT_H

#include "lib/facts.h"

#include <stdio.h>

/* environment_text - write the lines; all: every fact behind them, a line each. */
void environment_text(const struct facts *f, bool all, FILE *out);

#endif
