/* SPDX-License-Identifier: MIT */
/* Printing compressed logs (--inflate-log): ours, and those of fio 3.33. */
#ifndef CORE_LOG_INFLATE_H
#define CORE_LOG_INFLATE_H

#include <stddef.h>
#include <stdio.h>

/*
 * log_inflate - the lines of a compressed log to out. Returns 0; or -errno with a sentence in why:
 * what could be read until then has been printed.
 */
int log_inflate(const char *path, FILE *out, char *why, size_t why_bytes);

#endif
