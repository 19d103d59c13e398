/* SPDX-License-Identifier: MIT */
/* --cpuclock-test: may the CPU's counter be trusted here? */
#ifndef CORE_CLOCKS_TEST_H
#define CORE_CLOCKS_TEST_H

#include <stdio.h>

/*
 * clocks_test - calibrate the counter, compare those of all CPUs, and tell about it in lines; the
 * last one is "passed", or "FAILED: " and why. Takes about half a second. Returns an exit status.
 */
int clocks_test(FILE *out);

#endif
