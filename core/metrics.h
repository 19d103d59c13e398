/* SPDX-License-Identifier: MIT */
/*
 * --metrics-file: the run as a text file for Prometheus, written anew every second. Meant for the
 * folder that the textfile collector of its node exporter reads.
 */
#ifndef CORE_METRICS_H
#define CORE_METRICS_H

#include "core/observer.h"

extern const struct observer metrics_observer;

/* metrics_write - the text, of the period that was taken last. running: the run goes on. */
struct periods;
void metrics_write(const struct periods *p, bool running, FILE *out);

#endif
