/* SPDX-License-Identifier: MIT */
/* --crctest: how fast the checksums of verify are on this machine, and whose code computes them. */
#ifndef CORE_CRCTEST_H
#define CORE_CRCTEST_H

#include <stddef.h>
#include <stdio.h>

/*
 * crctest_run - names: kinds with commas between them; "" or "all": every kind; "help": their names
 * alone. One line per kind to out, as it is known. Takes about 0.1 s per kind.
 * Returns 0, or -EINVAL or -ENOMEM with a sentence in why.
 */
int crctest_run(const char *names, FILE *out, char *why, size_t why_bytes);

#endif
